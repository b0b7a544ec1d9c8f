"""A strict reader of the Prometheus text format: what a lenient scraper forgives is a failure here."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_SAMPLE = re.compile(rf"^({_NAME})(?:\{{(.*)\}})? (-?(?:[0-9.]+(?:e[+-]?[0-9]+)?|Inf)|NaN|\+Inf)$")
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
_SUFFIXES = {"counter": ("",), "gauge": ("",), "histogram": ("_bucket", "_sum", "_count")}

Labels = tuple[tuple[str, str], ...]


class Family(NamedTuple):
    """All series of one metric name."""

    kind: str
    help: str
    samples: dict[tuple[str, Labels], float]

    def value(self, **labels: str) -> float:
        """The sum over all series that have these labels; a histogram's is its count."""
        return sum(
            value
            for (name, have), value in self.samples.items()
            if labels.items() <= dict(have).items() and not name.endswith(("_bucket", "_sum"))
        )

    def sum(self, **labels: str) -> float:
        """The sum of what all series that have these labels observed."""
        return sum(
            value
            for (name, have), value in self.samples.items()
            if labels.items() <= dict(have).items() and name.endswith("_sum")
        )


def parse(text: str) -> dict[str, Family]:
    """Families by name. Every sample belongs to the family declared right before it, and no series comes twice."""
    assert text.endswith("\n"), "the last line has no end"
    families: dict[str, Family] = {}
    current, told_help = "", {}
    for line in text.splitlines():
        if line.startswith("# HELP "):
            _, _, name, told = line.split(" ", 3)
            told_help[name] = told
        elif line.startswith("# TYPE "):
            _, _, current, kind = line.split(" ")
            assert current not in families, f"{current} is declared twice"
            assert told_help.get(current), f"{current} has no HELP before its TYPE"
            families[current] = Family(kind, told_help[current], {})
        else:
            _add(families[current], current, line)
    for name, family in families.items():
        if family.kind == "histogram":
            _check_buckets(name, family)
        if family.kind == "counter":
            assert name.endswith("_total"), f"the counter {name} does not end in _total"
    return families


def _add(family: Family, name: str, line: str) -> None:
    found = _SAMPLE.match(line)
    assert found, f"not a sample: {line!r}"
    sample, inside, value = found.groups()
    assert sample in [name + suffix for suffix in _SUFFIXES[family.kind]], f"{sample} among the samples of {name}"
    labels = tuple(_LABEL.findall(inside or ""))
    assert sum(len(key) + len(text) + 3 for key, text in labels) + max(len(labels) - 1, 0) == len(inside or ""), line
    assert (sample, labels) not in family.samples, f"{line!r} comes twice"
    family.samples[sample, labels] = float(value)


def _check_buckets(name: str, family: Family) -> None:
    series: dict[Labels, list[tuple[float, float]]] = {}
    for (sample, labels), value in family.samples.items():
        if sample.endswith("_bucket"):
            rest = tuple(pair for pair in labels if pair[0] != "le")
            series.setdefault(rest, []).append((float(dict(labels)["le"]), value))
    for labels, buckets in series.items():
        counts = [count for _, count in buckets]
        assert buckets == sorted(buckets) and counts == sorted(counts), f"{name}{labels} is not cumulative"
        assert buckets[-1] == (float("inf"), family.samples[f"{name}_count", labels]), f"{name}{labels} lacks +Inf"
