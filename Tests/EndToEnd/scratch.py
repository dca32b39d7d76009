"""The folder that `install` fills and that outlives a run."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRATCH = pathlib.Path(os.environ.get("END_TO_END_SCRATCH") or ROOT / ".build/end-to-end").resolve()
VENV_PYTHON = SCRATCH / "venv/bin/python"
