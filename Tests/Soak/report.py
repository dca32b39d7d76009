"""The summary of a run."""

import collections


def text(run):
    judge = run.judge
    parts = []
    if run.samples.samples:
        parts.append(run.samples.table())
    modes = sum((server.answers for server in run.tokens.servers), collections.Counter())
    rows = {
        "seed, seconds, clients": f"{run.seed}, {run.seconds:.0f}, {run.load.clients}",
        "exchanges, whole requests at backends": f"{run.load.sent}, {sum(each.requests for each in run.backends)}",
        "token answers by mode": ", ".join(f"{mode} {count}" for mode, count in sorted(modes.items())),
        "this process was late by at most": f"{run.lag.worst:.3f} s",
        **run.statistics,
    }
    width = max(map(len, rows))
    parts.append("\n".join(f"{name:<{width}}  {value}" for name, value in rows.items()))
    parts.append(_outcomes(judge.outcomes))
    parts.append("excused by what was injected elsewhere:\n" + "\n".join(
        f"{count:9}  {reason}" for reason, count in sorted(judge.excuses.items())))
    parts.append(f"{len(judge.failures)} failures" if judge.failures else "No failure that was not injected.")
    return "\n" + "\n\n".join(parts)


def _outcomes(outcomes):
    faults = collections.defaultdict(dict)
    for (fault, outcome), count in outcomes.items():
        faults[fault][outcome] = count
    lines = []
    for fault, counts in sorted(faults.items(), key=lambda row: (row[0] != "no fault", row[0])):
        listed = ", ".join(f"{outcome} {count}" for outcome, count in sorted(counts.items(), key=lambda row: -row[1]))
        lines.append(f"{fault:<24} {sum(counts.values()):8}  {listed}")
    return "\n".join(lines)
