"""The image under test, and containers of it: by docker or podman, on the machine's own network."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any, Final
from uuid import uuid4

from tests.live.servers import Server, piped
from tests.store.machines import free_port

ENGINE: Final = os.environ.get("REFEREE_TEST_ENGINE", "docker")
IMAGE: Final = os.environ.get("REFEREE_TEST_IMAGE", "referee")
BASE: Final = os.environ.get("REFEREE_TEST_BASE", "python:3.13-slim")
# As little as a container can be given; podman by itself gives a /tmp.
HARDENED: Final = [
    "--rm", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges",
    "--network=host", "--no-healthcheck", "--user=54321:0",
    *(["--read-only-tmpfs=false"] if "podman" in ENGINE else []),
]  # fmt: skip


def engine(*arguments: str) -> str:
    """What a command of the engine prints."""
    command = [ENGINE, *arguments]
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def inspected(image: str) -> Any:
    """What the engine knows of an image."""
    (found,) = json.loads(engine("image", "inspect", image))
    return found


def ran(*command: str, options: tuple[str, ...] = (), check: bool = True) -> tuple[int, str]:
    """Run a command in a container of its own; its exit status, and all that it said."""
    entry, *arguments = command
    line = [ENGINE, "run", *HARDENED, f"--entrypoint={entry}", *options, IMAGE, *arguments]
    done = subprocess.run(line, check=False, text=True, capture_output=True)
    assert done.returncode == 0 or not check, done.stderr
    return done.returncode, done.stdout + done.stderr


class Container(Server):
    """`referee serve` in a container, on a port of the machine's."""

    def __init__(self, redis_url: str, *options: str, **settings: str) -> None:
        self.name = f"referee-{uuid4().hex}"
        self._options = options
        super().__init__(
            redis_url, REFEREE_HOST="127.0.0.1", REFEREE_PORT=str(free_port()), **settings
        )

    def begun(self, environ: dict[str, str]) -> subprocess.Popen[str]:
        """The process of the engine that stands for it; a setting that is "" is left out."""
        told = [f"--env={name}={text}" for name, text in environ.items() if text]
        line = [ENGINE, "run", *HARDENED, f"--name={self.name}", *told, *self._options, IMAGE]
        return piped(line)

    def kill(self) -> None:
        """Kill what runs in it: the engine's own process is only a go-between."""
        if self.process.poll() is None:
            engine("kill", self.name)
        self._ended()

    def has_run(self, *command: str) -> bool:
        """Whether a command in it succeeds."""
        return subprocess.run([ENGINE, "exec", self.name, *command], check=False).returncode == 0
