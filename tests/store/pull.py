"""Ask for a Docker engine and for an image, in a process that can be ended where that takes long.

It prints `ready` where both are at hand, nothing where no engine answers, and ends with the
reason where the image cannot be had.
"""

import sys

from docker.errors import DockerException, ImageNotFound  # type: ignore[import-untyped] # none
from testcontainers.core.config import testcontainers_config
from testcontainers.core.docker_client import DockerClient


def main(image: str) -> None:
    """Have the image at hand, and that of the helper which removes containers left behind."""
    try:
        engine = DockerClient().client
        engine.ping()
    except (DockerException, OSError):
        return
    helper = [] if testcontainers_config.ryuk_disabled else [testcontainers_config.ryuk_image]
    for wanted in (image, *helper):
        try:
            engine.images.get(wanted)
        except ImageNotFound:
            engine.images.pull(wanted)
    print("ready")  # noqa: T201 - what it was asked


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except (DockerException, OSError) as error:
        sys.exit(str(error))
