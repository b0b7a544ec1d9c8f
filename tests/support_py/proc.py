"""What the kernel knows about a process."""

from __future__ import annotations

import os
from pathlib import Path


def resident_bytes(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def proportional_bytes(pid: int) -> int:
    """PSS: what is its own, and its share of what it shares."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def cpu_seconds(pid: int) -> float:
    """User and system time of all its threads so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def descendants(pid: int) -> list[int]:
    """It and all its children, for servers of several processes."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid] + [one for child in children for one in descendants(int(child))]
