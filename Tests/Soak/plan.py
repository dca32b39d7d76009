"""Draws exchanges from a seeded generator; what is drawn depends on nothing else."""

import faults
from exchange import Exchange
from routes import ROUTES

BODY_METHODS = {"POST", "PUT"}


def size(rng):
    ceiling = rng.choices([0, 1 << 10, 1 << 16, 1 << 20, 1 << 22], [20, 50, 22, 7, 1])[0]
    return rng.randint(0, ceiling)


def exchange(rng, client, number, fault_share):
    """One exchange of a client; `fault_share` of them carry a fault of client or backend."""
    x = Exchange(number, client, rng.choices(ROUTES, [route.weight for route in ROUTES])[0],
                 rng.choices(["GET", "HEAD", "POST", "PUT", "DELETE"], [45, 8, 25, 15, 7])[0])
    x.version = "1.0" if rng.random() < 0.06 else "1.1"
    if x.method in BODY_METHODS:
        x.body = "chunked" if x.version == "1.1" and rng.random() < 0.4 else "length"
        x.body_size = size(rng)
        x.expects = x.version == "1.1" and x.body_size > 0 and rng.random() < 0.15
        x.slow_writer = rng.random() < 0.05
    x.closes = rng.random() < 0.05
    x.own_authorization = rng.random() < 0.2
    x.status = rng.choices([200, 201, 204, 304, 401, 404, 500], [70, 5, 6, 4, 4, 6, 5])[0]
    x.answer = rng.choices(["length", "chunked", "close"], [60, 34, 6])[0]
    x.answer_size = size(rng)
    x.interim = rng.choice([1, 2]) if rng.random() < 0.08 else 0
    x.answer_closes = x.answer == "close" or rng.random() < 0.05
    x.slow_reader = rng.random() < 0.04
    x.slow_backend = rng.random() < 0.04
    x.dice = rng.random()
    if rng.random() < fault_share:
        x.fault = faults.draw(rng)
        x.fault.shape(x)
    if x.answer == "close":
        x.answer_closes = True
    return x
