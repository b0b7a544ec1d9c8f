"""A child process with a log file, started and stopped within deadlines."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Callable, Mapping, Sequence, TypeVar

T = TypeVar("T")


def wait_until(ask: Callable[[], T], what: str, deadline: float = 10.0, show: Callable[[], str] = str) -> T:
    """The first truthy answer, asked for every 20 ms; after the deadline (seconds) fails and adds what `show` says."""
    end = time.monotonic() + deadline
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"waited {deadline:g} s in vain for {what}\n{show()}")
        time.sleep(0.02)


def free_ports(count: int) -> list[int]:
    """Distinct loopback ports that nobody listens on, for programs that cannot take port 0."""
    held = [socket.socket() for _ in range(count)]
    try:
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()


class Process:
    """One program; what it prints on both streams is appended to its log file."""

    def __init__(self, command: Sequence[str | Path], log: Path, environment: Mapping[str, str] | None = None):
        self.command = [str(part) for part in command]
        self.log = log
        self.environment = os.environ | dict(environment or {})
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._child is not None, f"{self.command[0]} was not started"
        return self._child.pid

    def running(self) -> bool:
        return self._child is not None and self._child.poll() is None

    def start(self, ready: Callable[[], object], deadline: float = 10.0) -> None:
        """Starts it and returns when `ready` answers true; if it does not, the failure shows the end of the log."""
        assert not self.running(), f"{self.command[0]} runs already"
        with self.log.open("ab") as out:
            self._child = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.environment
            )
        try:
            wait_until(lambda: not self.running() or ready(), f"{self.command[0]} to get ready", deadline, self.tail)
            assert self.running(), f"{self.command[0]} ended with {self._child.returncode}\n{self.tail()}"
        except BaseException:
            self.stop(signal.SIGKILL)
            raise

    def stop(self, sig: int = signal.SIGTERM, deadline: float = 15.0) -> int | None:
        """Sends the signal, after the deadline SIGKILL; the exit status, or None if it never ran."""
        if self._child is None:
            return None
        if self._child.poll() is None:
            self._child.send_signal(sig)
        try:
            return self._child.wait(deadline)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait(deadline)
            raise AssertionError(
                f"{self.command[0]} outlived {signal.Signals(sig).name} by {deadline:g} s\n{self.tail()}"
            ) from None

    def text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def tail(self, lines: int = 40) -> str:
        return f"--- the end of {self.log}\n" + "\n".join(self.text().splitlines()[-lines:])
