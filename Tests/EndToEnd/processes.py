"""Programs that a scenario starts, and ends when it is over."""

import contextlib
import os
import pathlib
import socket
import subprocess
import time


class StartError(Exception):
    """A program that did not become ready; the text holds the end of its output."""


def free_ports(count):
    """Ports of 127.0.0.1 on which nothing listens."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [free.getsockname()[1] for free in sockets]
    for free in sockets:
        free.close()
    return ports


def listens(port):
    """Whether something accepts connections on a port of 127.0.0.1."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(holds, seconds, what):
    """Returns when `holds` is true; raises `TimeoutError` after so many seconds."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s until {what}")
        time.sleep(0.05)


@contextlib.contextmanager
def running(command, log, is_ready, **options):
    """Starts `command` with its output in the file `log`, waits until it is ready, and ends it with SIGTERM."""
    with pathlib.Path(log).open("wb") as output:
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output, stderr=output, **options)
    try:
        try:
            wait_until(lambda: process.poll() is not None or is_ready(), 60, f"{command[0]} is ready")
            failure = f"ended with exit status {process.returncode}" if process.returncode is not None else None
        except TimeoutError as error:
            failure = str(error)
        if failure:
            raise StartError(f"{command[0]}: {failure}; the end of {log}:\n{tail(log)}")
        yield process
    finally:
        stop(process)


def stop(process, seconds=30):
    """Sends SIGTERM, after `seconds` SIGKILL, and returns the exit status."""
    if process.poll() is None:
        process.terminate()
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def tail(log, lines=20):
    """The last lines of a file."""
    return os.linesep.join(pathlib.Path(log).read_text(errors="replace").splitlines()[-lines:])
