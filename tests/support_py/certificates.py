"""Certificates for tests, made with the openssl command line."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NamedTuple


class Certificate(NamedTuple):
    """A certificate and its key, both PEM files."""

    cert: Path
    key: Path


def self_signed(folder: Path, name: str, subject: str = "127.0.0.1") -> Certificate:
    """For the server on 127.0.0.1, and its own authority."""
    return _make(folder, name, ["-subj", f"/CN={subject}", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"])


def authority(folder: Path, name: str) -> Certificate:
    return _make(folder, name, ["-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign"])


def client(folder: Path, name: str, signer: Certificate) -> Certificate:
    usage = ["-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=clientAuth"]
    return _make(folder, name, ["-subj", f"/CN={name}", *usage, "-CA", str(signer.cert), "-CAkey", str(signer.key)])


def _make(folder: Path, name: str, more: list[str]) -> Certificate:
    folder.mkdir(parents=True, exist_ok=True)
    made = Certificate(folder / f"{name}.crt", folder / f"{name}.key")
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-days", "30", "-keyout", str(made.key), "-out", str(made.cert), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    return made
