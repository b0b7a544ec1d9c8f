"""Each figure of the bench: interleaved pairs, medians, and the bound it is held against."""

from __future__ import annotations

import os
import random
import statistics
import time
from pathlib import Path
from typing import Callable, NamedTuple

from prepared import Events, first_of
from servers import Nginx, Server, Sluice
from tls_client import Connection
from wrk import Run, run

CONNECTIONS = 64
ROUNDS = 5
ROUNDS_ON_DISK = 9  # a disk that stands still for 50 ms spoils a whole run, and some do so every few seconds
SECONDS = 5
IDLE = 2000


class Figure(NamedTuple):
    """One row of the result; `bound` is the largest or, with `at_least`, the smallest that passes."""

    what: str
    ours: str
    peer: str
    value: float | None
    bound: float | None
    how: str
    at_least: bool = False
    unit: str = "×"

    @property
    def passed(self) -> bool | None:
        if self.value is None or self.bound is None:
            return None
        return self.value >= self.bound if self.at_least else self.value <= self.bound


def median(values: list[float]) -> float:
    return statistics.median(values)


def micro(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs"


class Bench:
    """Both servers running, and what one run of each kind needs."""

    def __init__(self, sluice: Sluice, nginx: Nginx, work: Path, events: Events):
        self.sluice, self.nginx, self.work, self.events = sluice, nginx, work, events
        self.fresh_events = work / "fresh"
        self.rate = 20_000.0  # of new events: the first guess, then what was measured
        self.seen = {close: self._known_events(close) for close in (False, True)}

    def _known_events(self, close: bool) -> Path:
        """A thousand events that the server has already accepted, to be repeated."""
        name = self.events.prepare(self.work / f"known-{close}", 1000, close=close)
        for thread in range(2):
            _send_all(self.sluice, Path(f"{name}.{thread}"))
        return name

    def repeated(self, server: Server, close: bool) -> Run:
        before = self.sluice.rows()
        measured = run(server, self.seen[close], SECONDS, CONNECTIONS, again=True)
        assert self.sluice.rows() == before, "a repeated event was written"
        return measured

    def fresh(self, close: bool, seconds: int = SECONDS) -> Run:
        expected = 4_000.0 if close else self.rate * 1.6
        self.events.prepare(self.fresh_events, int(expected * seconds), close=close)
        before = self.sluice.rows()
        measured = run(self.sluice, self.fresh_events, seconds, CONNECTIONS, again=False)
        new = settled(self.sluice.rows) - before
        # wrk leaves up to one request per connection unanswered when its time is over.
        assert measured.requests <= new <= measured.requests + CONNECTIONS, f"{measured.requests} × 202, {new} rows"
        if not close:
            self.rate = max(10_000.0, measured.rate)
        return measured


def settled(count: Callable[[], int]) -> int:
    """The count once it no longer grows."""
    last, now = -1, count()
    while now != last:
        time.sleep(0.2)
        last, now = now, count()
    return now


def _send_all(server: Sluice, file: Path) -> None:
    with Connection(server.url, server.context) as connection, file.open("rb") as requests:
        while size := requests.read(8):
            connection.send(requests.read(int(size)).replace(b"Connection: close\r\n", b""))
            assert connection.read_answer().status == 202


def interleaved(kinds: dict[str, Callable[[], Run]], rounds: int) -> dict[str, list[Run]]:
    """Each kind so many times, in an order that changes, so that drift hits all alike."""
    seen: dict[str, list[Run]] = {name: [] for name in kinds}
    order = list(kinds)
    for number in range(rounds):
        random.Random(number).shuffle(order)
        for name in order:
            seen[name].append(kinds[name]())
    return seen


def ratio(ours: list[Run], peer: list[Run], of: Callable[[Run], float]) -> float:
    return median([of(one) / of(other) for one, other in zip(ours, peer)])


def one_event_per_connection(bench: Bench) -> list[Figure]:
    seen = interleaved({
        "nginx": lambda: bench.repeated(bench.nginx, True),
        "repeated": lambda: bench.repeated(bench.sluice, True),
        "new": lambda: bench.fresh(True),
    }, ROUNDS)  # fmt: skip
    cpu = {name: median([one.cpu_each for one in runs]) for name, runs in seen.items()}
    how = f"CPU time of all processes (/proc/PID/stat) per request; wrk, {CONNECTIONS} at once, Connection: close"
    return [
        Figure(
            f"server CPU, {name} event on a new TLS connection",
            micro(cpu[name]),
            micro(cpu["nginx"]),
            ratio(seen[name], seen["nginx"], lambda one: one.cpu_each),
            bound,
            how,
        )
        for name, bound in (("new", 1.4), ("repeated", 1.15))
    ]


def kept_connections(bench: Bench, ledger_loop: Callable[[Path, float, Path, int], float]) -> list[Figure]:
    """`ledger_loop` tells how many events a second the SQL alone takes: on which state, batch size, requests, their count."""
    beside = bench.work / "loop"
    bench.sluice.copy_ledger(beside)  # from here on both write the same
    alone: list[float] = []
    sync: list[float] = []
    batches: list[float] = []

    def fresh() -> Run:
        before = bench.sluice.metrics()["sluice_ledger_batch_size"]
        measured = bench.fresh(False)
        after = bench.sluice.metrics()["sluice_ledger_batch_size"]
        batches.append((after.sum() - before.sum()) / (after.value() - before.value()))
        alone.append(ledger_loop(beside, batches[-1], bench.fresh_events, measured.requests))
        sync.append(fdatasync_p99(bench.work))
        return measured

    seen = interleaved({
        "nginx": lambda: bench.repeated(bench.nginx, False),
        "repeated": lambda: bench.repeated(bench.sluice, False),
        "new": fresh,
    }, ROUNDS_ON_DISK)  # fmt: skip
    rate = {name: median([one.rate for one in runs]) for name, runs in seen.items()}
    p99 = {name: median([one.p99 for one in runs]) for name, runs in seen.items()}
    allowed = 3 * p99["nginx"] + 2 * median(sync)
    per_second = {name: f"{value:,.0f}/s" for name, value in rate.items()}
    how = f"wrk, {CONNECTIONS} kept connections, {SECONDS} s"
    return [
        Figure("requests per second, repeated event", per_second["repeated"], per_second["nginx"],
               ratio(seen["repeated"], seen["nginx"], lambda one: one.rate), 0.7, how, at_least=True),
        Figure("events per second, new: verified and durable, to the same SQL alone", per_second["new"],
               f"{median(alone):,.0f}/s (ledger_loop)",
               median([one.rate / other for one, other in zip(seen["new"], alone)]), 0.7,
               f"{how}; ledger_loop writes the same events into a copy of the ledger at the server's mean batch of {median(batches):.1f}, same disk", at_least=True),
        Figure("events per second, new, to nginx", per_second["new"], per_second["nginx"],
               ratio(seen["new"], seen["nginx"], lambda one: one.rate), None, how),
        Figure("p99 of a new event", f"{p99['new'] * 1e3:.1f} ms",
               f"{p99['nginx'] * 1e3:.1f} ms, fdatasync {median(sync) * 1e3:.2f} ms",
               p99["new"] / allowed, 1.0, "to 3 × nginx's p99 + 2 × p99 of fdatasync (768 bytes each, same disk)"),
    ]  # fmt: skip


def fdatasync_p99(folder: Path, count: int = 2000) -> float:
    took = []
    path = folder / "fdatasync"
    with path.open("wb", buffering=0) as file:
        for _ in range(count):
            file.write(b"x" * 768)
            begun = time.perf_counter()
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - begun)
    path.unlink()
    return statistics.quantiles(took, n=100)[98]


def memory_of_idle_connections(bench: Bench) -> list[Figure]:
    grown = {server.name: _growth(server, bench.seen[False]) for server in (bench.nginx, bench.sluice)}
    each = {name: f"{value / 1000:.1f} kB" for name, value in grown.items()}
    how = f"PSS growth of all processes with {IDLE} kept TLS connections after one POST each"
    value = grown["sluice"] / grown["nginx"]
    return [Figure("memory per idle TLS connection", each["sluice"], each["nginx"], value, 1.5, how)]


def _growth(server: Server, known: Path) -> float:
    request = first_of(known)
    held: list[Connection] = []
    before = server.memory()
    try:
        for _ in range(IDLE):
            held.append(Connection(server.url, server.context))
            held[-1].send(request)
            assert held[-1].read_answer().status == 202
        return (server.memory() - before) / IDLE
    finally:
        for one in held:
            one.close()


def time_to_first_answer(server: Server, request: bytes) -> float:
    """From exec to a 202."""

    def ask() -> bool:
        while server.process.running():
            try:
                with Connection(server.url, server.context) as connection:
                    connection.send(request)
                    return connection.read_answer().status == 202
            except OSError:
                time.sleep(0.0005)
        return False

    begun = time.perf_counter()
    server.process.start(ask, 60)
    return time.perf_counter() - begun


def start_to_first_answer(sluice: Sluice, nginx: Nginx, request: bytes, starts: int = 9) -> list[Figure]:
    took: dict[str, list[float]] = {sluice.name: [], nginx.name: []}
    for server in (sluice, nginx) * starts:
        took[server.name].append(time_to_first_answer(server, request))
        server.stop()
    ours, peer = median(took["sluice"]), median(took["nginx"])
    how = f"exec to the first 202 on a new TLS connection, median of {starts} starts; one pipeline, state is there"
    return [Figure("start to first answer", f"{ours * 1e3:.0f} ms", f"{peer * 1e3:.0f} ms", ours / peer, 2.0, how)]


def recovery_with_a_million_rows(bench: Bench) -> list[Figure]:
    """The ledger holds a million events already; a few seconds of load come on top before the end."""
    bench.fresh(False, seconds=3)
    held = bench.sluice.rows()
    assert held > 1_000_000
    bench.sluice.kill9()
    took = time_to_first_answer(bench.sluice, first_of(bench.events.prepare(bench.work / "after", 2)))
    assert bench.sluice.rows() >= held, "rows were lost"
    how = f"kill -9 with {held:,} events in the ledger and 1,000 pipelines; exec to the first 202"
    return [Figure("accepting again after kill -9", f"{took:.2f} s", "2 s", took, 2.0, how, unit=" s")]
