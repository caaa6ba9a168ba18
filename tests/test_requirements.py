"""What `requirements/` pins, and what is told of it."""

import json
import re
import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
LOCKS: Final = ROOT / "requirements"


def pinned(name: str) -> dict[str, str]:
    """A lock's packages with their versions."""
    return dict(re.findall(r"^([\w.-]+)==(\S+)", (LOCKS / name).read_text(), re.MULTILINE))


def test_what_runs_is_tested_at_the_same_versions_and_has_nothing_that_is_never_imported() -> None:
    """With traces and without."""
    left_out = re.findall(r"^\w[\w-]*", (LOCKS / "never-imported.txt").read_text(), re.MULTILINE)
    run, traced = pinned("run.txt"), pinned("otel.txt")
    assert run.items() <= traced.items() <= pinned("dev.txt").items()
    assert not set(left_out) & set(traced)
    assert set(left_out) <= set(pinned("dev.txt"))


def test_the_bill_of_materials_has_every_pin_with_its_hashes(tmp_path: Path) -> None:
    """`make sbom` writes what `requirements/run.txt` says."""
    file = tmp_path / "bill" / "referee.cdx.json"
    # What is to be set up is: these tests run in it.
    subprocess.run(["make", "-s", "-o", "setup", "sbom", f"SBOM={file}"], cwd=ROOT, check=True)
    bill = json.loads(file.read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "referee"
    found = {part["name"]: part for part in bill["components"]}
    assert {name: part["version"] for name, part in found.items()} == pinned("run.txt")
    for part in found.values():
        assert part["externalReferences"][0]["hashes"]
