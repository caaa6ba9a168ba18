"""An object store on loopback: a server of S3 in a process of its own, which may stand still."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Final

import httpx

from tests.live.servers import wait_until

BUCKET: Final = "hall"
ENVIRONMENT: Final = {
    "AWS_ACCESS_KEY_ID": "tests",
    "AWS_SECRET_ACCESS_KEY": "tests",
    "AWS_REGION": "us-east-1",
}

_ADDRESS: Final = re.compile(r"http://127\.0\.0\.1:[0-9]+")


class Objects:
    """A server with one bucket; `environment` is what its clients need to know."""

    def __init__(self, process: subprocess.Popen[bytes], url: str) -> None:
        self.process = process
        self.url = url
        self.environment = {**ENVIRONMENT, "AWS_ENDPOINT_URL": url}

    @contextlib.contextmanager
    def standing_still(self) -> Generator[None]:
        """Connections are taken, and nothing is answered."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def keys(self) -> list[str]:
        """What is in the bucket, at most a thousand."""
        answer = httpx.get(f"{self.url}/{BUCKET}?list-type=2", timeout=60).text
        return re.findall("<Key>(.*?)</Key>", answer)


@contextlib.contextmanager
def serving_objects(log: Path) -> Generator[Objects]:
    """A server, while it is needed; what it says goes into a file."""
    command = [sys.executable, "-u", "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
    with log.open("w") as said:
        process = subprocess.Popen(command, stderr=said, stdout=said)
    try:
        wait_until(lambda: _ADDRESS.search(log.read_text()))
        found = _ADDRESS.search(log.read_text())
        assert found is not None
        httpx.put(f"{found[0]}/{BUCKET}", timeout=60).raise_for_status()
        yield Objects(process, found[0])
    finally:
        process.kill()
        process.wait()
