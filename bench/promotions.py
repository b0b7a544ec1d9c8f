"""The figures of promotions: one on a warm cache, one in a large repository, fifty at once."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Callable, Iterator

from certificates import Certificate
from command_line import CommandLine
from figures import Figure, median
from fleet import BareRepository, helm_release
from git_remote import PASSWORD, USERNAME, HttpsRemote, make_repository
from promoting import Promoting

ROUNDS = 9
FILES, MANY_FILES, CROWD = 1000, 20_000, 50


def milli(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"


class Promotions:
    """Everything below one folder of the disk that is measured; `rounds` is how often each pair is repeated."""

    def __init__(self, binary: Path, work: Path, certificate: Certificate, rounds: int = ROUNDS):
        self.binary, self.work, self.certificate, self.rounds = binary, work, certificate, rounds
        self.repositories = work / "repositories"

    def measure(self, say: Callable[[str], None]) -> list[Figure]:
        crowd = [f"app{number}" for number in range(CROWD)]
        fleet = make_repository(self.repositories / "fleet.git", FILES)
        shared = make_repository(self.repositories / "shared.git", FILES, pipelines=crowd)
        with HttpsRemote(self.work / "remote", self.repositories, self.certificate) as remote:
            found = []
            for where, base in (("local bare remote", f"file://{self.repositories}"), ("HTTPS", remote.url)):
                say(f"promotions, {where}")
                found += self._against_command_line(fleet, where, base)
                say(f"{CROWD} promotions at once, {where}")
                found += self._at_once(shared, where, base, crowd)
        say("promotions in a large repository")
        return found + self._large()

    @contextlib.contextmanager
    def _sluice(self, repositories: dict[str, str], name: str) -> Iterator[Promoting]:
        keys = {"username": USERNAME, "password": PASSWORD, "caFile": self.certificate.cert.read_bytes()}
        local = f"--local-repositories={self.repositories}"
        made = Promoting(self.binary, self.work / name, self.certificate, repositories, local, keys=keys)
        with made:
            yield made

    def _against_command_line(self, fleet: BareRepository, where: str, base: str) -> list[Figure]:
        url = f"{base}/fleet.git"
        https = url.startswith("https:")
        folder = self.work / f"command-line-{https}"
        by_hand = CommandLine(
            folder,
            url,
            authority=self.certificate.cert if https else None,
            login=(USERNAME, PASSWORD) if https else None,
        )
        with self._sluice({"podinfo": url}, f"one-{https}") as sluice:
            sluice.promote()  # fills the cache
            seen = self._interleaved(
                fleet,
                {
                    "sluice": lambda _: sluice.promote(),
                    "fresh clone": by_hand.fresh_clone,
                    "kept clone": by_hand.kept_clone,
                },
            )
        bounds = {"fresh clone": 2.5 if https else 10.0, "kept clone": 1.8 if https else 5.0}
        how = f"signed POST to PullRequestOpen, {FILES:,} files, 50 commits, warm cache; median of {self.rounds} pairs"
        return [
            Figure(
                f"one promotion, {where}, to the git command line with a {peer}",
                milli(median(seen["sluice"])),
                milli(median(seen[peer])),
                median([other / ours for ours, other in zip(seen["sluice"], seen[peer])]),
                bound,
                how,
                at_least=True,
            )
            for peer, bound in bounds.items()
        ]

    def _interleaved(
        self, fleet: BareRepository, kinds: dict[str, Callable[[str], float]]
    ) -> dict[str, list[float]]:
        """Before each round somebody commits to the base, so that every kind has something to fetch."""
        seen: dict[str, list[float]] = {name: [] for name in kinds}
        order = list(kinds)
        for number in range(self.rounds):
            fleet.commit({f"apps/0/{number}.yaml": helm_release(f"3.0.{number}")})
            random.Random(number).shuffle(order)
            for name in order:
                seen[name].append(kinds[name](f"8.0.{number}"))
        return seen

    def _at_once(self, shared: BareRepository, where: str, base: str, crowd: list[str]) -> list[Figure]:
        repositories = {name: f"{base}/shared.git" for name in crowd}
        with self._sluice(repositories, f"crowd-{base.startswith('https:')}") as sluice:
            sluice.promote(crowd[0])
            seen = self._interleaved(
                shared, {"one": lambda _: sluice.promote(crowd[0]), "all": lambda _: sluice.promote_all(crowd)}
            )
            peak = sluice.peak_memory()
        one, everyone = median(seen["one"]), median(seen["all"])
        how = f"{CROWD} pipelines of one repository, {FILES:,} files, first POST to last PullRequestOpen"
        ratio = median([total / single for single, total in zip(seen["one"], seen["all"])])
        mebibytes = peak / (1 << 20)
        return [
            Figure(f"{CROWD} promotions at once, {where}, to one", milli(everyone), milli(one), ratio, 5.0, how),
            Figure(
                f"peak memory of {CROWD} at once, {where}",
                f"{mebibytes:.0f} MiB",
                "",
                mebibytes,
                64.0,
                "VmHWM of the process",
                unit=" MiB",
            ),
        ]

    def _large(self) -> list[Figure]:
        sizes = {"small": FILES, "large": MANY_FILES}
        made = {name: make_repository(self.repositories / f"{name}.git", files) for name, files in sizes.items()}
        # Each has its own process: what one scan left in memory must not help the other.
        with (
            self._sluice({"podinfo": made["small"].url}, "small") as small,
            self._sluice({"podinfo": made["large"].url}, "large") as large,
        ):
            small.promote()
            large.promote()
            cold, once = large.patching()
            assert once == 1, f"the marker index was asked {once} times for one promotion"
            seen: dict[str, list[float]] = {"small": [], "large": []}
            for number in range(self.rounds):
                for name, sluice in (("small", small), ("large", large)):
                    made[name].commit({f"apps/0/{number}.yaml": helm_release(f"3.0.{number}")})
                    seen[name].append(sluice.promote())
            total, count = large.patching()
        warm = (total - cold) / (count - once)
        ratio = median([big / little for little, big in zip(seen["small"], seen["large"])])
        return [
            Figure(
                f"one promotion, {MANY_FILES:,} files to {FILES:,} files",
                milli(median(seen["large"])),
                milli(median(seen["small"])),
                ratio,
                1.3,
                f"both by Sluice on a warm cache, local bare remote; median of {self.rounds} pairs",
            ),
            Figure(
                f"its patch step to a cold scan of {MANY_FILES:,} files",
                f"{warm * 1e3:.1f} ms",
                f"{cold * 1e3:.0f} ms (the first one)",
                warm / cold,
                0.05,
                "sluice_git_operation_seconds{operation=patch}, mean",
            ),
        ]
