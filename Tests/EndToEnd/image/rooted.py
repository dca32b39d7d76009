"""Commands in a folder as their root, as an engine runs them in a container."""

import os
import pathlib

IN_CHROOT = pathlib.Path(__file__).with_name("in-chroot")
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# An engine hands these to a build as well.
PROXIES = [f"{name}={value}" for name, value in os.environ.items() if name.lower().endswith("_proxy")]


def rooted(root, user, shared, variables, *words):
    """The words that run `words` in `root` with these variables alone; it can read the folder `shared`."""
    return ["env", "-i", PATH, *variables, str(IN_CHROOT), str(root), user, str(shared), *words]


def build_step(root, shared, variables, script):
    """The words that run a shell script in `root` as a build does."""
    return rooted(root, "0:0", shared, ["HOME=/root", *PROXIES, *variables], "/bin/sh", "-c", script)
