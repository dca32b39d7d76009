"""systemd units and log rotation on a host."""

import os
import re
import subprocess

from attache import running_attache
from processes import wait_until
from scratch import ROOT

CONFIG = ROOT / "config"
# systemd-analyze rates a service from 0 (safe) to 10; this one has an exposure of 1.1 by systemd 252.
EXPOSURE = 12


def run(attache, folder, checks):
    check_units(attache, folder, checks)
    check_rotation(attache, folder, checks)


def check_units(attache, folder, checks):
    units = folder / "units"
    units.mkdir()
    for name in ("attache.service", "attache.socket"):
        text = (CONFIG / name).read_text()
        (units / name).write_text(re.sub(r"^ExecStart=\S+", f"ExecStart={attache}", text, flags=re.MULTILINE))
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:"}
    for name in ("attache.service", "attache.socket"):
        verified = subprocess.run(["systemd-analyze", "verify", "--man=no", units / name], capture_output=True, text=True,
                                  env=environment)
        checks.equal(f"exit status of systemd-analyze verify {name}", verified.returncode, 0, verified.stderr)
        checks.equal(f"what it says of {name}", [line for line in verified.stderr.splitlines() if "attache" in line], [])
    rated = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={EXPOSURE}",
                            units / "attache.service"], capture_output=True, text=True)
    level = re.search(r"exposure level for \S+: (\S+)", rated.stdout)
    checks.equal(f"exit status of systemd-analyze security, with an exposure of {level and level[1]}", rated.returncode, 0,
                 rated.stderr)


def check_rotation(attache, folder, checks):
    """logrotate renames the access log several times while requests run; no line is lost."""
    logs = folder / "attache"
    logs.mkdir(mode=0o755)
    log = logs / "access.log"
    settings = folder / "logrotate.conf"
    settings.write_text((CONFIG / "attache.logrotate").read_text().replace("/var/log/attache", str(logs)))
    settings.chmod(0o644)
    configuration = {
        "accessLog": {"path": str(log)},
        # Nothing listens there, so each request fails, and has its line.
        "routes": [{"name": "nowhere", "match": {"host": "nowhere.test"}, "upstream": "http://127.0.0.1:1"}]}
    with running_attache([attache], folder, configuration) as proxy:
        environment = with_systemctl(folder, proxy.process.pid)
        for number in range(3):
            for _ in range(10):
                proxy.ask("http://nowhere.test/")
            # logrotate leaves an empty file alone, and Attaché writes lines in batches.
            wait_until(lambda: log.stat().st_size > 0, 10, "the log has lines")
            rotated = subprocess.run(["logrotate", "--force", "--state", folder / "state", settings], capture_output=True,
                                     text=True, env=environment)
            checks.equal(f"exit status of rotation {number + 1}", rotated.returncode, 0, rotated.stdout + rotated.stderr)
            wait_until(log.exists, 10, "the new log is there")
        proxy.ask("http://nowhere.test/")
    files = sorted(file.name for file in logs.iterdir())
    checks.equal("files after three rotations", files, ["access.log", "access.log.1", "access.log.2.gz", "access.log.3.gz"])
    shown = subprocess.run(["zcat", "-f", *logs.iterdir()], capture_output=True, text=True, check=True)
    checks.equal("lines in all files", len(shown.stdout.splitlines()), 31)


def with_systemctl(folder, process):
    """An environment whose systemctl sends the signal that it is told to the process, as no systemd runs it."""
    programs = folder / "bin"
    programs.mkdir()
    program = programs / "systemctl"
    program.write_text('#!/bin/sh\n[ "$1 $3" = "kill attache.service" ] && exec kill -s "${2#--signal=SIG}" ' f"{process}\n")
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
