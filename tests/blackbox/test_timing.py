"""How long a 401 takes must not tell whether the pipeline exists."""

from __future__ import annotations

import math
import random
import statistics
import threading
import time
from typing import Callable

import pytest
from flags import flags
from flux_events import encode, flux_event, signed_headers
from instance import Instance

SAMPLES = 1000
CONNECTIONS = 25
KNOWN, UNKNOWN = "/default/podinfo/dev", "/default/pod1nfo/dev"


def welch(left: list[float], right: list[float]) -> float:
    variance = statistics.variance(left) / len(left) + statistics.variance(right) / len(right)
    return (statistics.fmean(left) - statistics.fmean(right)) / math.sqrt(variance)


@pytest.mark.release_only
def test_an_unknown_pipeline_and_a_wrong_key_take_the_same_time(make: Callable[..., Instance]) -> None:
    took: dict[str, list[float]] = {KNOWN: [], UNKNOWN: []}
    body = encode(flux_event("6.1.8"))
    headers = signed_headers("another key", body)
    with make(arguments=flags(auth_failures_per_minute=1_000_000)) as server:

        def sample(order: list[str]) -> None:
            with server.connect() as connection:
                for path in order:
                    begun = time.perf_counter()
                    assert connection.post(path, body, headers).status == 401
                    took[path].append(time.perf_counter() - begun)

        threads = []
        for number in range(CONNECTIONS):
            order = [KNOWN, UNKNOWN] * (SAMPLES // CONNECTIONS)
            random.Random(number).shuffle(order)
            threads.append(threading.Thread(target=sample, args=(order,)))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(took[KNOWN]) == len(took[UNKNOWN]) == SAMPLES
    assert abs(welch(took[KNOWN], took[UNKNOWN])) < 4.5
