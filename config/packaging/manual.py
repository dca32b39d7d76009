"""The manual page, made of what the program says about its commands and options."""

import json
import subprocess
import time


def manual(executable, seconds):
    """attache.1 for the date `seconds` after 1970."""
    told = subprocess.run([executable, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    command = json.loads(told)["command"]
    date = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    lines = [
        f'.TH ATTACHE 1 "{date}" "attache" "User Commands"',
        ".SH NAME", rf"attache \- {text(lowered(command['abstract']))}",
        ".SH SYNOPSIS", r".B attache", r"\fICOMMAND\fR [\fIOPTIONS\fR]",
        ".SH DESCRIPTION", text(command["discussion"]),
        ".SH COMMANDS",
    ]
    for sub in visible(command.get("subcommands", [])):
        if sub["commandName"] == "help":
            continue
        lines += [f".SS attache {sub['commandName']}", text(sub["abstract"])]
        if sub.get("discussion"):
            lines += [".PP", text(sub["discussion"])]
        for argument in visible(sub.get("arguments", [])):
            if argument["valueName"] not in ("help", "version"):
                lines += option(argument)
    lines += [
        ".SH ENVIRONMENT",
        r"Each setting of \fBrun\fR has a variable: ATTACHE_ and the option's name in capitals, as in ATTACHE_TOKEN_URL.",
        ".SH FILES",
        ".TP", ".I /etc/attache/attache.env", "The environment of the systemd unit.",
        ".SH EXIT STATUS",
        ".TP", "0", "The command succeeded.",
        ".TP", "1", "The command found a problem or could not finish, for instance because a token server refused the client.",
        ".TP", "2", "The configuration or the command line is wrong.",
        ".TP", "3", r"\fBrun\fR cannot listen because another process uses the address.",
    ]
    return "\n".join(lines) + "\n"


def visible(items):
    return [item for item in items if item.get("shouldDisplay", True)]


def option(argument):
    if argument["kind"] == "positional":
        head = rf"\fI{text(argument['valueName'].upper())}\fR"
    else:
        names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
        head = ", ".join(rf"\fB{text(name)}\fR" for name in names)
        if argument["kind"] == "option":
            head += rf" \fI{text(argument['valueName'].upper())}\fR"
    lines = [".TP", head, text(argument.get("abstract", ""))]
    if argument.get("defaultValue"):
        lines.append(rf"Default: {text(argument['defaultValue'])}.")
    return lines


def lowered(sentence):
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def text(words):
    """Words that roff takes as they are."""
    escaped = words.replace("\\", r"\e").replace("-", r"\-")
    escaped = "".join(letter if ord(letter) < 128 else rf"\[u{ord(letter):04X}]" for letter in escaped)
    guarded = "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in escaped.split("\n"))
    return "\n.PP\n".join(paragraph.replace("\n", "\n.br\n") for paragraph in guarded.split("\n\n"))
