"""The packages that a build downloads, cloned with this machine's Git.

Git may be told of mirrors on this machine that a stage cannot reach.
"""

import json
import subprocess

from scratch import ROOT


def add_repositories(root):
    """Clones each package of Package.resolved into a stage, and tells the stage's Git to use the clone."""
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        clone = f"var/repositories/{pin['identity']}"
        subprocess.run(["git", "clone", "-q", "--bare", pin["location"], root / clone], check=True)
        subprocess.run(
            ["git", "config", "--file", root / "etc/gitconfig", f"url.file:///{clone}.insteadOf", pin["location"]],
            check=True)
