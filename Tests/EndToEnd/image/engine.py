"""Builds and runs an image with docker or podman, which share a command line."""

import json
import shutil
import subprocess

from scratch import ROOT

TAG = "attache-end-to-end"


class Engine:
    """docker or podman, by name."""

    def __init__(self, name):
        self.name = name

    def is_usable(self):
        """Whether it is installed and, for docker, its daemon answers."""
        return bool(shutil.which(self.name)) and self._run("info").returncode == 0

    def build(self, arguments):
        """Builds this repository's Dockerfile; `arguments` are those of --build-arg."""
        words = [f"--build-arg={name}={value}" for name, value in arguments.items()]
        # podman drops HEALTHCHECK from an image in its own format.
        form = ["--format=docker"] if self.name == "podman" else []
        subprocess.run([self.name, "build", *form, *words, "--tag", TAG, ROOT], check=True)

    def configuration(self):
        described = self._run("image", "inspect", TAG)
        described.check_returncode()
        (image,) = json.loads(described.stdout)
        # podman has the health check beside the configuration.
        return {"Healthcheck": image.get("HealthCheck") or image.get("Healthcheck"), **image["Config"]}

    def command(self, shared, *words):
        """The words that run the image's entrypoint with arguments. It can read the folder `shared`."""
        return [*self._run_words(shared), TAG, *words]

    def replaced(self, shared, *words):
        """The words that run another command in the image."""
        program, *arguments = words
        return [*self._run_words(shared), f"--entrypoint={program}", TAG, *arguments]

    def copy(self, path, target):
        """Copies a file out of the image."""
        container = subprocess.run([self.name, "create", TAG], check=True, capture_output=True, text=True).stdout.strip()
        try:
            subprocess.run([self.name, "cp", f"{container}:{path}", target], check=True)
        finally:
            self._run("rm", container)

    def _run_words(self, shared):
        # The check asks for the health itself.
        return [self.name, "run", "--rm", "--no-healthcheck", "--network=host", f"--volume={shared}:{shared}:ro"]

    def _run(self, *words):
        return subprocess.run([self.name, *words], capture_output=True, text=True)
