"""Each test has its own server, folder and ports; what every server must hold to is checked when it ends."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Callable, Iterator

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support_py"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from instance import KEY, Instance  # noqa: E402
from promoter import forge, make_promoter, served  # noqa: E402, F401
from sluice import binary  # noqa: E402

# pytest stops what the fixtures started on an interrupt only, so a TERM becomes one.
signal.signal(signal.SIGTERM, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "release_only: says something about the optimised build only")
    config.addinivalue_line("markers", "crash: kills the process; ThreadSanitizer learns nothing from it")


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    assert binary().exists(), f"{binary()} is not built; run make"


@pytest.fixture(scope="session")
def failpoints(built: None) -> None:
    """In other builds their names are compiled away."""
    if b"ledger.before_commit" not in binary().read_bytes():
        pytest.skip("this build has no failpoints")


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Instance]]:
    """Makes an instance; what is still running when the test ends is stopped, and its log is searched for the key."""
    made: list[Instance] = []

    def create(**options: object) -> Instance:
        folder = options.pop("folder", tmp_path / f"sluice-{len(made)}")
        made.append(Instance(folder, **options))  # type: ignore[arg-type]
        return made[-1]

    yield create
    for one in made:
        one.stop()
        assert KEY not in one.process.text(), "the log shows a secret"
        assert "Sanitizer" not in one.process.text(), one.process.tail(120)


@pytest.fixture
def server(make: Callable[..., Instance]) -> Iterator[Instance]:
    """A running instance with default settings."""
    with make() as one:
        yield one
