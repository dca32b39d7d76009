"""A Dockerfile, read as far as this project's own needs it."""

import dataclasses
import json
import shlex

INSTRUCTIONS = {"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "HEALTHCHECK", "RUN", "USER", "WORKDIR"}


class DockerfileError(Exception):
    """What the Dockerfile says and this file does not understand."""


@dataclasses.dataclass
class Stage:
    """A stage's base, its name, and its instructions in order, each a word and the rest of its line."""
    base: str
    name: str | None
    instructions: list


def parse(text):
    """The stages in order."""
    stages = []
    for line in logical_lines(text):
        word, _, rest = line.partition(" ")
        word, rest = word.upper(), rest.strip()
        if word == "FROM":
            base, *alias = rest.split()
            stages.append(Stage(base, alias[1] if alias else None, []))
        elif word in INSTRUCTIONS and stages:
            stages[-1].instructions.append((word, rest))
        else:
            raise DockerfileError(f"cannot read the line: {line}")
    return stages


def logical_lines(text):
    """Lines without comments, continued lines joined."""
    joined = ""
    for line in text.splitlines():
        if line.lstrip().startswith("#") or not (joined or line.strip()):
            continue
        joined += line.removesuffix("\\").strip() + " "
        if not line.endswith("\\"):
            yield joined.strip()
            joined = ""


def assignment(rest):
    """Name and value of ARG and ENV."""
    (word,) = shlex.split(rest)
    name, _, value = word.partition("=")
    return name, value


def configuration(stage):
    """What the image tells an engine, with the keys of `docker inspect`."""
    found = {"User": "", "Entrypoint": [], "Cmd": [], "Env": [], "ExposedPorts": {}, "Healthcheck": None}
    for word, rest in stage.instructions:
        if word in ("ENTRYPOINT", "CMD"):
            found[word.capitalize()] = json.loads(rest)
        elif word == "USER":
            found["User"] = rest
        elif word == "ENV":
            found["Env"].append("=".join(assignment(rest)))
        elif word == "EXPOSE":
            found["ExposedPorts"][f"{rest}/tcp"] = {}
        elif word == "HEALTHCHECK":
            options, _, command = rest.partition("CMD ")
            found["Healthcheck"] = {"Test": ["CMD", *json.loads(command)]}
    return found


def context_files(ignore):
    """The top-level names that a .dockerignore lets into the context; it must be a list of exceptions to `*`."""
    first, *others = [line for line in ignore.splitlines() if line and not line.startswith("#")]
    if first != "*" or not all(line.startswith("!") and "/" not in line for line in others):
        raise DockerfileError(".dockerignore is not `*` followed by lines of the form `!name`")
    return [line.removeprefix("!") for line in others]
