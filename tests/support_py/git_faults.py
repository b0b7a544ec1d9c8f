"""How a git server goes wrong, as text: `FAULT [PART]` hits the requests whose `METHOD target` has PART in it.

A fetch or push begins with `info/refs`; a fetch goes on with `/git-upload-pack`, a push with `/git-receive-pack`.

    silent               takes the request and never answers
    cut-pack:BYTES       answers with the first BYTES of the body and then resets the connection
    cut-push:BYTES       takes the first BYTES of the request's body and then resets the connection
    lose-answer          does what was asked and resets the connection instead of answering
    status:CODE[:TIMES]  answers CODE, after TIMES again as usual
    after:CODE[:TIMES]   does what was asked of the forge's API and answers CODE nevertheless
    redirect:URL         sends to the same path below URL
    html-sign-in         answers 200 with the page of a portal that wants to know who is there
    slow[:SECONDS]       waits that long before the answer and before every 4 KiB of its body (0.1 unless told)
"""

from __future__ import annotations

import threading
from pathlib import Path

KINDS = {"silent", "cut-pack", "cut-push", "lose-answer", "status", "after", "redirect", "html-sign-in", "slow"}


class Fault:
    """One fault; what it is counted by is its own, so a new one starts afresh."""

    def __init__(self, text: str):
        self.text = text.strip()
        what, _, self.part = self.text.partition(" ")
        self.kind, _, self.argument = what.partition(":")
        if self.kind and self.kind not in KINDS:
            raise ValueError(f"no such fault: {self.kind!r} ({', '.join(sorted(KINDS))})")
        self.code, self._left = 0, float("inf")
        if self.kind in ("status", "after"):
            code, _, times = self.argument.partition(":")
            self.code, self._left = int(code), int(times) if times else float("inf")
        self.bytes = int(self.argument) if self.kind in ("cut-pack", "cut-push") else 0
        self.delay = float(self.argument or 0.1) if self.kind == "slow" else 0.0
        self._lock = threading.Lock()

    def hits(self, request: str) -> bool:
        """Whether this request meets the fault; each that does is counted."""
        if not self.kind or self.part not in request:
            return False
        with self._lock:
            self._left -= 1
            return self._left >= 0


NONE = Fault("")


class FaultSwitch:
    """The fault of the moment: what `set` said last, or what the control file says now."""

    def __init__(self, text: str = "", control: Path | None = None):
        self._fault, self._control = Fault(text), control
        self._lock = threading.Lock()

    def set(self, text: str) -> None:
        with self._lock:
            self._fault = Fault(text)

    def now(self) -> Fault:
        with self._lock:
            told = self._told()
            if told is not None and told != self._fault.text:
                self._fault = Fault(told)
            return self._fault

    def for_request(self, request: str) -> Fault:
        fault = self.now()
        return fault if fault.hits(request) else NONE

    def _told(self) -> str | None:
        try:
            return self._control.read_text().strip() if self._control else None
        except FileNotFoundError:
            return None
