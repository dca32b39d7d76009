"""The dashboard, read with Grafana's own model of one (grafana-foundation-sdk)."""

import json

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard


def lost_in_model(board):
    """The paths of what is another value, or none, once the model has read and written the dashboard."""
    register_default_plugins()
    return list(lost(board, json.loads(json.dumps(Dashboard.from_json(board), cls=JSONEncoder)), "dashboard"))


def lost(before, after, path):
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from lost(value, after.get(key, f"no {key}"), f"{path}.{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (first, second) in enumerate(zip(before, after)):
            yield from lost(first, second, f"{path}[{number}]")
    elif before != after:
        yield path
