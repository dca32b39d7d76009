"""Where requests go: the hosts that clients ask for, each with its backend and credential."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Route:
    name: str
    # Where its backend listens: "plain", "tls", or one of the doors that are no backend.
    scheme: str = "http"
    credential: str | None = None
    weight: float = 1.0

    @property
    def host(self):
        return f"{self.name}.soak"


ROUTES = [
    Route("plain", credential="one", weight=4),
    Route("tls", scheme="https", credential="two", weight=4),
    Route("again", credential="three", weight=2),
    Route("open", weight=2),
    Route("key", credential="key", weight=1),
    # A relay before a TLS backend that lets new connections wait.
    Route("late", scheme="https", credential="two", weight=0.5),
]
# Nothing listens there.
DEAD = Route("dead", credential="one")
# What listens there does not speak TLS.
BABBLE = Route("babble", scheme="https", credential="two")
# Not in the configuration.
NOWHERE = Route("nowhere")



def named(name):
    return next(route for route in ROUTES if route.name == name)


TOKEN_CREDENTIALS = ["one", "two", "three"]
STATIC_KEY = "soak-secret-static-key"
