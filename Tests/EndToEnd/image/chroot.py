"""Builds and runs an image without an engine: each stage is a folder, each command runs in it by chroot."""

import os
import shlex
import shutil
import subprocess

from image import dockerfile
from image.base_image import copy_base_image, swift_home
from image.repositories import add_repositories
from image.rooted import build_step, rooted
from scratch import ROOT


class Chroot:
    """The builder for machines without an engine. It needs root and `debootstrap`."""

    name = "chroot"

    def __init__(self, folder):
        self.folder, self.stages = folder, {}

    def build(self, arguments):
        """Builds this repository's Dockerfile; `arguments` are those of --build-arg."""
        stages = dockerfile.parse((ROOT / "Dockerfile").read_text())
        for number, stage in enumerate(stages):
            root = self.folder / f"stage-{number}"
            root.mkdir()
            if stage.base != "scratch":
                copy_base_image(stage.base, root)
                add_repositories(root)
            self.stages[stage.name] = root
            self._run(stage, root, arguments)
        self.root, self.settings = root, dockerfile.configuration(stages[-1])

    def configuration(self):
        return self.settings

    def command(self, shared, *words):
        """The words that run the image's entrypoint with arguments. It can read the folder `shared`."""
        return self.replaced(shared, *self.settings["Entrypoint"], *words)

    def replaced(self, shared, *words):
        """The words that run another command in the image."""
        return rooted(self.root, self.settings["User"], shared, self.settings["Env"], *words)

    def copy(self, path, target):
        """Copies a file out of the image."""
        shutil.copy(inside(self.root, path), target)

    def _run(self, stage, root, arguments):
        workdir, variables = "/", {}
        for word, rest in stage.instructions:
            if word == "WORKDIR":
                workdir = rest
                inside(root, workdir).mkdir(parents=True, exist_ok=True)
            elif word == "ARG":
                name, default = dockerfile.assignment(rest)
                variables[name] = arguments.get(name, default)
            elif word == "COPY":
                self._copy(rest.split(), root, workdir)
            elif word == "RUN":
                print(f"RUN {rest}", flush=True)
                assignments = [f"{name}={value}" for name, value in variables.items()]
                script = f"cd {shlex.quote(workdir)} && {rest}"
                # The toolchain appears at its own path.
                subprocess.run(build_step(root, swift_home(), assignments, script), check=True)

    def _copy(self, words, root, workdir):
        *sources, target = words
        destination = inside(root, os.path.join(workdir, target))
        if sources == ["."]:
            names = dockerfile.context_files((ROOT / ".dockerignore").read_text())
            subprocess.run(["cp", "-a", *(ROOT / name for name in names), destination], check=True)
        elif len(sources) == 2 and sources[0].startswith("--from="):
            stage = self.stages[sources[0].removeprefix("--from=")]
            destination.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-aL", inside(stage, sources[1]), destination], check=True)
        else:
            raise dockerfile.DockerfileError(f"cannot read COPY {' '.join(words)}")


def inside(root, path):
    """A path of a stage, as this machine sees it."""
    return root / path.lstrip("/")
