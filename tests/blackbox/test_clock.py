"""The wall clock jumps: freshness follows it, everything else goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable

import pytest
from flux_events import encode, flux_event, signed_headers
from instance import KEY, PATH, Instance
from process import wait_until
from signing import seconds_from_now
from tls_client import Answer

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))


class Clock:
    """The server's wall clock, seconds away from ours."""

    def __init__(self, folder: Path):
        self.file = folder / "faketime"
        self.set(0)

    def set(self, seconds: int) -> None:
        beside = self.file.with_suffix(".new")
        beside.write_text(f"{seconds:+d}s\n")
        os.replace(beside, self.file)

    def environment(self) -> dict[str, str]:
        return {
            "LD_PRELOAD": str(LIBRARIES[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }


def accepted(answer: Answer) -> Answer | None:
    return answer if answer.status == 202 else None


@pytest.mark.release_only
@pytest.mark.parametrize("jump", [3600, -3600, 86_400 * 3])
def test_a_jump_of_the_clock_moves_the_freshness_window_and_nothing_else(
    jump: int, tmp_path: Path, make: Callable[..., Instance]
) -> None:
    if not LIBRARIES:
        pytest.skip("libfaketime is not installed; run scripts/setup")
    clock = Clock(tmp_path)
    with make(environment=clock.environment()) as server, server.connect() as connection:
        assert server.event("1.0.0").json()["decision"] == "promote"
        clock.set(jump)
        wait_until(lambda: server.event("1.1.0").status == 422, "the server to see the new time")
        moved = encode(flux_event("1.2.0", timestamp=seconds_from_now(jump)))
        answer = connection.post(PATH, moved, signed_headers(KEY, moved))
        assert answer.status == 202, "the connection of before does not work any more"
        assert answer.json()["decision"] == "promote"
        assert server.admin("/healthz").status == 200
        clock.set(0)
        heard = wait_until(lambda: accepted(server.event("1.3.0")), "the server to see the old time again")
        assert heard.json()["decision"] == "promote", "what was signed while the clock was ahead still counts"
        assert server.admin("/healthz").status == 200 and server.admin("/readyz").status == 200
        server.stop()
        server.start()
        assert server.tell(moved).status == 422
