"""What Apache's log must show of one credential's tokens."""

import dataclasses
import math

# Seconds that one fetch may take. A token's life begins with the receipt, so a fetch comes on top.
FETCH = 0.5


@dataclasses.dataclass(frozen=True)
class Seen:
    """How many tokens came, and the age and the time left, in seconds, of the one closest to its end."""
    tokens: int
    age: float
    left: float


def refreshes(life):
    """The earliest and the latest time at which the next token is fetched, by the policy on the page Tokens."""
    latest = min(0.8 * life, 0.9 * life - min(1, 0.25 * life))
    return latest - 0.1 * life, latest


def judge(name, arrivals, sent, fetched, seconds, life, checks):
    """Compares what came to the backend with what was sent and fetched."""
    refused = [arrival for arrival in arrivals if arrival.status != 200]
    checks.true(f"{name}: the backend refused nothing", not refused, f"but {refused[:3]}")
    checks.equal(f"{name}: requests at the backend", len(arrivals), sent)
    accepted = [arrival for arrival in arrivals if arrival.status == 200]
    without = [arrival for arrival in accepted if arrival.issued is None or arrival.expires is None]
    if not checks.true(f"{name}: every token has iat and exp", accepted and not without, f"but {without[:3]}"):
        return Seen(0, math.nan, math.nan)
    checks.equal(f"{name}: lives", {arrival.expires - arrival.issued for arrival in accepted}, {life})
    mistaken = [arrival for arrival in accepted if arrival.scope != arrival.wanted]
    checks.true(f"{name}: every token has the scope asked for", not mistaken, f"but {mistaken[:3]}")
    # exp is the first whole second at which the token is no longer good (RFC 7519 section 4.1.4).
    late = [arrival for arrival in accepted if arrival.at >= arrival.expires]
    checks.true(f"{name}: no token came at or past exp", not late, f"but {len(late)}: {late[:3]}")

    earliest, latest = refreshes(life)
    values = len({arrival.wanted for arrival in accepted})
    least = values * (math.floor(seconds / (latest + FETCH)) - 1)
    most = values * (math.ceil(seconds / earliest) + 1)
    succeeded, failed = fetched
    checks.true(f"{name}: {succeeded} tokens fetched", least <= succeeded <= most, f"not {least} to {most}")
    checks.equal(f"{name}: fetches without a token", failed, 0)
    tokens = len({arrival.token for arrival in accepted})
    checks.true(f"{name}: {tokens} tokens used", tokens <= succeeded + 2 * values, "more than were fetched")
    oldest = min(accepted, key=lambda arrival: arrival.expires - arrival.at)
    return Seen(tokens, oldest.at - oldest.issued, oldest.expires - oldest.at)
