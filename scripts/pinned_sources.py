"""Source of published packages, pinned by version and hash, brought with pip and unpacked.

pip is asked, with whatever index it is configured for; there is no other way in here. `pip
download` makes the metadata of an sdist, which can run the package's build backend: where that
needs more than a build backend (a compiler, a git checkout), the wheel is pinned instead.
"""

from __future__ import annotations

import dataclasses
import enum
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

_NO_INDEX = (
    "No matching distribution found",
    "Could not find a version",
    "NewConnectionError",
    "ConnectTimeoutError",
    "Max retries exceeded",
    "Network is unreachable",
    "Temporary failure in name resolution",
)


class Kind(enum.Enum):
    """The form in which a package is brought."""

    SDIST = "sdist"
    WHEEL = "wheel"


@dataclasses.dataclass(frozen=True, slots=True)
class Pin:
    """One published archive.

    Args:
        sha256: hash of the archive, in hexadecimal.
    """

    name: str
    version: str
    sha256: str
    kind: Kind = Kind.SDIST

    @property
    def requirement(self) -> str:
        """The line of a requirements file that allows this archive alone."""
        return f"{self.name}=={self.version} --hash=sha256:{self.sha256}"


class NotToBeHad(Exception):
    """There is no package index here, or it does not have the package."""


class DownloadFailed(Exception):
    """pip found the package and could not bring it: a wrong hash, a broken build."""


FLAX = Pin("flax", "0.12.8", "1bb438775b967a3f1f42b9c3d4ddf1d2883cd6406589f9cecdc244634036bdc4")
FLAX_BEFORE_TREE_MODE = Pin(
    "flax", "0.12.0", "cb3d4a2028666640c1a2e5b267dadfbd42ef14c6db41896fb4c765a7f05ebe74"
)
USERS = (
    Pin(
        "avitai-artifex",
        "0.1.3",
        "2cff40e34a77ce9b7cac7f9b96f93ec6880d0728179084b531f233892eb74711",
    ),
    Pin("cax", "0.3.3", "42da336358941edecd2ae8a0ca47466478ee83eba4a361fd7a81f01bafa2a538"),
    Pin("datarax", "0.1.4", "5d2b0e0d06bd77b41c792c91b66f304584b434ad2cc872da6f4dec14b0ca234f"),
    # The sdist of gensbi takes its version from a git checkout, so pip cannot make its metadata.
    Pin(
        "gensbi",
        "0.3.4",
        "94fa56113388b49b681dc095cf3e485a00a7d5f3b37c4e1ffc60c669577c1c73",
        Kind.WHEEL,
    ),
    Pin("jax2onnx", "0.17.1", "c86175e63df07580827d9c015d5dc6dc484e58027abee3c34bf786644934fc67"),
    Pin("jaxkan", "0.3.7", "0dd568db4427185b2cea548627b37a14ef74d1d4ffa2e74a8fb75fda6bb7f8c3"),
    Pin("keras", "3.15.1", "92ae7c1dd7f61041953dc2d42253181ee099086f0b58ae36fcf98147a6f08a29"),
    Pin("nmn", "0.3.5", "3306f4b6997a56cef49854b8086611f1c4412fdb19081998d8099b28a1ba6c95"),
    Pin("numpyro", "0.22.0", "d428b688f7c6d1f9089b730c242a3817452609e3672bd62bbc1b02ce17f069bb"),
    Pin("opifex", "0.2.0", "aecb5fbd4d974b2d6bbe76757d3e73986cc33e126da37b65f27594a7ea5c03a0"),
    Pin("ott-jax", "0.6.0", "86fda8aea68a6c29c989b1be2fc8bc7e5344e6353d3e486a3edbc36364b07483"),
    Pin("qwix", "0.1.8", "12e4fb40575ff0a1c4aa82ba0f682299d47e762c7e80108708081e6ebd67a32a"),
)


def unpacked(pin: Pin, cache: Path) -> Path:
    """Return the folder with the unpacked archive, which is brought when the cache lacks it.

    Args:
        cache: folder that keeps one folder an archive between runs.

    Raises:
        NotToBeHad: there is no index, or it lacks the package.
        DownloadFailed: pip gave up for any other reason.
    """
    home = cache / f"{pin.name}-{pin.version}-{pin.sha256[:12]}"
    if not home.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            content = Path(scratch, "content")
            _unpack(_download(pin, Path(scratch)), content)
            content.rename(home)
    inner = list(home.iterdir())
    return inner[0] if pin.kind is Kind.SDIST and len(inner) == 1 else home


def _download(pin: Pin, folder: Path) -> Path:
    requirements = folder / "requirements.txt"
    requirements.write_text(pin.requirement + "\n", encoding="utf-8")
    archives = folder / "archives"
    only = "--no-binary" if pin.kind is Kind.SDIST else "--only-binary"
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check"]
    command += ["--no-deps", "--ignore-requires-python", only, pin.name]
    command += ["--retries", "1", "--timeout", "30", "--dest", str(archives)]
    done = subprocess.run(
        [*command, "--requirement", str(requirements)], capture_output=True, text=True
    )
    if done.returncode != 0:
        reason = _last_error(done.stderr)
        kind = NotToBeHad if any(sign in done.stderr for sign in _NO_INDEX) else DownloadFailed
        raise kind(f"{pin.name} {pin.version}: {reason}")
    (archive,) = archives.iterdir()
    return archive


def _last_error(stderr: str) -> str:
    errors = [line.strip() for line in stderr.splitlines() if "error" in line.lower()]
    return errors[-1] if errors else (stderr.strip().splitlines() or ["pip said nothing"])[-1]


def _unpack(archive: Path, folder: Path) -> None:
    folder.mkdir()
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)
    else:
        with tarfile.open(archive) as sdist:
            sdist.extractall(folder, filter="data")


def copy_tree(source: Path, target: Path) -> Path:
    """Copy a source folder for a run to work on, without caches and version control."""
    unwanted = shutil.ignore_patterns(".git", "__pycache__", "*.pyc", ".venv", ".pytest_cache")
    shutil.copytree(source, target, symlinks=True, ignore=unwanted)
    return target
