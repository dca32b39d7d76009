"""Collects what was wrong, and decides which outcomes were."""

import collections

import clock
import faults


class Judge:
    SHOWN = 20

    def __init__(self, lag):
        self.lag = lag
        self.failures = []
        self.outcomes = collections.Counter()
        self.excuses = collections.Counter()
        # Answers that clients saw, by status, whole or not, and how many exchanges had none.
        self.statuses = collections.Counter()
        self.unanswered = 0
        self.begun = clock.now()
        self.tokens = None
        self.backends = {}

    def fail(self, text, exchange=None):
        self.failures.append(text)
        if len(self.failures) > self.SHOWN:
            return
        print(f"FAILURE at {clock.now() - self.begun:.3f}: {text}", flush=True)
        if exchange is not None:
            print(f"    {exchange}")
            for when, event in exchange.history:
                print(f"    {when - self.begun:9.3f} {event}", flush=True)

    def ended(self, x, outcome):
        """The client is through with an exchange."""
        x.ended = clock.now()
        x.note(x.ended, outcome)
        reason = self.reason(x, outcome)
        if reason is None:
            self.fail(f"{outcome}, allowed {', '.join(x.fault_outcomes)}", x)
        elif reason:
            self.excuses[reason] += 1
        if outcome in ("answered", "cut"):
            self.statuses[str(x.status)] += 1
        elif outcome[:3].isdigit():
            self.statuses[outcome[:3]] += 1
        else:
            self.unanswered += 1
        self.outcomes[x.fault.name if x.fault else "no fault", outcome.partition(":")[0]] += 1

    def reason(self, x, outcome):
        """Why an outcome is all right: "" where it was planned, None where it is not."""
        if outcome in x.fault_outcomes:
            return ""
        if outcome == "gone" and x.version == "1.0" and "cut" in x.fault_outcomes:
            return "reset, where closing would be the end of the body"
        if outcome in x.excused:
            return x.excused[outcome]
        if outcome == "answered" and x.whole_arrivals > 1:
            # The arrival that the fault hit was sent again; the backend has checked that it could be.
            return "sent again"
        if outcome[:3] in ("408", "504") and self.lag.between(x.started, x.ended) > 1:
            return "a time-out while this process was late"
        if outcome == faults.NO_CREDENTIAL:
            return self.tokens.excuse(x.route.credential, x.started, x.ended)
        backend = self.backends.get(x.route.name)
        return backend.excuse(x, outcome) if backend else None
