"""The folder that stands for the image swift:VERSION-bookworm: Debian, with the Swift of this machine."""

import pathlib
import re
import shutil
import subprocess

from image.rooted import build_step
from scratch import SCRATCH

# What the official image's Dockerfile installs.
PACKAGES = ("binutils-gold ca-certificates git gnupg2 libc6-dev libcurl4-openssl-dev libedit2 libgcc-12-dev "
            "libpython3-dev libsqlite3-0 libstdc++-12-dev libxml2-dev libncurses-dev libz3-dev pkg-config tzdata "
            "zip unzip zlib1g-dev")


def swift_home():
    """The folder that holds usr/bin/swift."""
    return pathlib.Path(shutil.which("swift")).resolve().parent.parent.parent


def copy_base_image(name, root):
    """Fills the folder of a stage. The Debian part is made once and kept in the scratch folder."""
    wanted = re.fullmatch(r"swift:([0-9.]+)-bookworm", name)
    if not wanted:
        raise RuntimeError(f"{name} cannot be made without an engine, only swift:VERSION-bookworm and scratch")
    found = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    if not re.search(rf"Swift version {re.escape(wanted[1])}\b", found):
        raise RuntimeError(f"the Dockerfile wants Swift {wanted[1]}, this machine has {found.splitlines()[0]}")
    folder = SCRATCH / "swift-bookworm"
    if not folder.exists():
        make(folder)
    subprocess.run(["cp", "-a", f"{folder}/.", root], check=True)
    # A stage sees the toolchain at this machine's path for it.
    toolchain = swift_home() / "usr/bin"
    for program in sorted(toolchain.iterdir()):
        link = root / "usr/bin" / program.name
        if not link.exists() and not link.is_symlink():
            link.symlink_to(program)


def make(folder):
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", partial, mirror()], check=True)
    # apt in a stage uses the proxy that this machine's apt uses.
    settings = subprocess.run(["apt-config", "dump", "Acquire::http"], capture_output=True, text=True, check=True)
    (partial / "etc/apt/apt.conf.d/99machine").write_text(settings.stdout)
    script = f"apt-get update && apt-get install -y --no-install-recommends {PACKAGES} && rm -rf /var/lib/apt/lists/*"
    subprocess.run(build_step(partial, swift_home(), ["DEBIAN_FRONTEND=noninteractive"], script), check=True)
    partial.rename(folder)


def mirror():
    """Where this machine's apt gets Debian 12 from; Debian's own address if it does not say."""
    form = "$(ORIGIN)|$(CODENAME)|$(COMPONENT)|$(REPO_URI)"
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", form, "Created-By: Packages"],
        capture_output=True, text=True, check=True).stdout.splitlines()
    found = [target.split("|")[3] for target in targets if target.startswith("Debian|bookworm|main|")]
    return found[0] if found else "http://deb.debian.org/debian"
