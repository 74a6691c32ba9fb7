"""Runs all benchmarks, or the ones named: `python -m benchmarks [NAME]...`; `BENCHMARKS` has the names."""

import sys
from importlib import import_module

from benchmarks.report import machine

BENCHMARKS = ("steps", "wire", "engine", "disturbance", "watching", "visiting")

print(machine())
for name in sys.argv[1:] or BENCHMARKS:
    if name not in BENCHMARKS:
        sys.exit(f"no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    import_module(f"benchmarks.{name}").main()
