"""Compares what our parser makes of messages with what llhttp and h11 make of them. README.md says what counts."""

import argparse
import collections
import pathlib
import re
import subprocess
import sys

import h11_verdicts
from mutants import mutants

HERE = pathlib.Path(__file__).parent


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--verdicts", required=True, help="the executable with our parser")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=40_000, help="how many mutated messages")
    options = arguments.parse_args()

    lines = run([options.verdicts, "vectors"], "").splitlines()
    vectors = [(kind, bytes.fromhex(data), place) for kind, data, place in map(str.split, lines)]
    made = mutants([(kind, data) for kind, data, _ in vectors], options.seed, options.count)
    messages = list(dict.fromkeys((kind, data) for kind, data, _ in vectors))
    from_vectors = len(messages)
    messages = list(dict.fromkeys(messages + list(made)))
    print(f"{len(messages)} messages: {from_vectors} of the vectors, the rest made from them with seed {options.seed}")

    text = "".join(f"{kind} {data.hex() or '-'}\n" for kind, data in messages if data)
    messages = [message for message in messages if message[1]]
    ours = run([options.verdicts], text).splitlines()
    theirs = {
        "llhttp": run(["node", "--no-deprecation", str(HERE / "llhttp_verdicts.js")], text).splitlines(),
        "h11": [h11_verdicts.judge(kind, data) for kind, data in messages],
    }
    assert all(len(each) == len(messages) for each in [ours, *theirs.values()]), "a verdict is missing"

    known = known_differences()
    unexplained, counts, stricter = 0, collections.Counter(), collections.defaultdict(collections.Counter)
    for parser, verdicts in theirs.items():
        for (kind, data), our, their in zip(messages, ours, verdicts):
            difference = compare(our, their)
            counts[parser, difference.split(" ")[0]] += 1
            if difference == "stricter":
                stricter[parser][our.split(" ")[1]] += 1
            if difference in ("agree", "stricter"):
                continue
            rule = next((rule for rule in known if rule.fits(parser, difference, kind, data)), None)
            if rule:
                rule.count += 1
                continue
            unexplained += 1
            if unexplained <= 40:
                print(f"\n{parser}: {difference}\n  {kind} {data!r}\n  ours   {our}\n  theirs {their}")

    report(counts, stricter, known)
    unused = [rule.title for rule in known if not rule.count]
    for title in unused:
        print(f"error: no message shows the known difference '{title}': it is to be taken out")
    if unexplained:
        print(f"error: {unexplained} differences that no entry of known-differences.txt explains")
    return 1 if unexplained or unused else 0


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def compare(our, their):
    """In one line what the difference is; 'stricter' where we refuse what they take, 'agree' where there is none."""
    ours, theirs = our.split(" "), their.split(" ")
    if ours[0] == "refused":
        return "agree" if theirs[0] in ("refused", "incomplete") else "stricter"
    if ours[0] == "incomplete":
        # More would have to come, so nothing was taken yet; but where they have a whole message we read another one.
        return "reading incomplete" if theirs[0] in ("accepted", "partial") else "agree"
    if theirs[0] == "refused":
        return "looser " + theirs[1]
    if ours[0] != theirs[0]:
        return f"reading {ours[0]}/{theirs[0]}"
    names = ["start", "target-or-reason", "version", "fields", "content", "end"]
    for name, one, other in zip(names, ours[1:], theirs[1:]):
        if normal(name, one) != normal(name, other):
            return f"reading {name}"
    return "agree"


def normal(name, value):
    """The value without what h11 writes in lower case, and nobody reads otherwise: names, and transfer codings."""
    if name != "fields" or value == "-":
        return value
    lines = [bytes.fromhex(line).partition(b": ") for line in value.split(",")]
    lines = [(field.lower(), text) for field, _, text in lines]
    return [(field, text.lower() if field == b"transfer-encoding" else text) for field, text in lines]


class Known:
    """An entry of known-differences.txt."""

    def __init__(self, title, entries):
        self.title, self.count = title, 0
        self.parser, self.difference = entries["parser"], re.compile(entries["difference"])
        self.message = re.compile(entries.get("message", "").encode(), re.DOTALL)
        self.kind = re.compile(entries.get("kind", ""))
        assert entries["clause"] and entries["why"], title

    def fits(self, parser, difference, kind, data):
        return (parser == self.parser and self.difference.fullmatch(difference)
                and self.kind.search(kind) and self.message.search(data))


def known_differences():
    known, title, entries = [], None, {}
    for number, line in enumerate((HERE / "known-differences.txt").read_text().splitlines() + ["--- "], 1):
        if line.startswith("--- "):
            if title:
                known.append(Known(title, entries))
            title, entries = line[4:], {}
        elif title and line:
            name, _, value = line.partition(" ")
            if name not in ("parser", "difference", "message", "kind", "clause", "why"):
                sys.exit(f"known-differences.txt:{number}: no entry is named {name}")
            entries[name] = (entries[name] + " " if name in entries else "") + value.strip()
    return known


def report(counts, stricter, known):
    for parser in ("llhttp", "h11"):
        of = {difference: count for (name, difference), count in counts.items() if name == parser}
        print(f"\n{parser}: " + ", ".join(f"{name} {of[name]}" for name in sorted(of)))
        for rule in known:
            if rule.parser == parser:
                print(f"  known: {rule.title}: {rule.count}")
        for reason, count in stricter[parser].most_common():
            print(f"  stricter: {reason}: {count}")


if __name__ == "__main__":
    sys.exit(main())
