"""The table of ratios, for the terminal and for bench/results.md."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

from figures import Figure


def table(figures: list[Figure]) -> str:
    head = ["figure", "Sluice", "peer", "ratio", "bound", "", "how it was measured"]
    rows = [head] + [_cells(figure) for figure in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + " |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def write(figures: list[Figure], path: Path, version: str) -> None:
    cores = os.cpu_count()
    passed = sum(figure.passed is True for figure in figures)
    bounded = sum(figure.passed is not None for figure in figures)
    path.write_text(
        "# What `make bench` measured\n\n"
        f"{time.strftime('%Y-%m-%d')}, {version}, {cores} cores ({platform.machine()}), client and server on the same "
        f"machine. {passed} of {bounded} bounds held.\n"
        "Absolute figures drift from machine to machine and hour to hour; the ratios are what counts. "
        "[README.md](README.md) says how to read them.\n\n" + table(figures) + "\n"
    )


def _cells(figure: Figure) -> list[str]:
    value = "" if figure.value is None else f"{figure.value:.2f}{figure.unit}"
    bound = "" if figure.bound is None else f"{'≥' if figure.at_least else '≤'} {figure.bound:g}{figure.unit}"
    verdict = {True: "PASS", False: "MISS", None: ""}[figure.passed]
    return [figure.what, figure.ours, figure.peer, value, bound, verdict, figure.how]
