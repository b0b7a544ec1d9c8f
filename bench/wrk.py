"""One run of wrk against one server, with what it cost the server."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from prepared import THREADS
from servers import Server

SCRIPT = Path(__file__).with_name("send.lua")


class Run(NamedTuple):
    """What wrk saw, and the CPU time of the server's processes meanwhile."""

    requests: int
    seconds: float
    p99: float  # seconds
    cpu: float  # seconds

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    @property
    def cpu_each(self) -> float:
        return self.cpu / self.requests


def run(server: Server, prepared: Path, seconds: int, connections: int, *, again: bool) -> Run:
    """Every answer is a 202, or the run is worth nothing."""
    os.sync()  # else the disk writes what was prepared while the server is measured
    before = server.cpu_seconds()
    command = ["wrk", f"-t{THREADS}", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(SCRIPT)]
    done = subprocess.run(
        [*command, server.url, "--", str(prepared), "again" if again else "once"],
        capture_output=True,
        text=True,
        timeout=seconds + 60,
        check=False,
    )
    cpu = server.cpu_seconds() - before
    assert done.returncode == 0, done.stdout + done.stderr
    told = json.loads(done.stdout.strip().splitlines()[-1])
    assert told["refused"] == 0 and told["broken"] == 0, f"{server.name}: {told}"
    assert told["exhausted"] == 0, f"{server.name} was faster than the prepared requests: {told}"
    return Run(told["requests"], told["microseconds"] / 1e6, told["p99"] / 1e6, cpu)
