"""Settings as the command line takes them."""

from __future__ import annotations


def flags(**settings: object) -> list[str]:
    """`flags(limit_body="1KiB")` is `--limit-body=1KiB`."""
    return [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
