#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what looking at an experiment costs it, with the real program, and prints one JSON object.

    bench/live_bench.py TUNE_NODE PACED [TRIALS [SECONDS [ROUNDS]]]

PACED is the library `tune_paced_trainable`. TRIALS (100,000) that report once come first; then eight
go on to report, 1,000 times a second together, each a while after the answer to its last report: so
whatever makes answers late makes fewer of them. The process that runs the experiment serves it, too.
By turns, SECONDS (10) each, ROUNDS (3) times, nobody looks (`alone`), one client asks for pages of
100 trials (`pages`), and ten dashboards follow while it does (`dashboards`).

`reports_per_second`; `lost`: how much less than alone [1]; `cpu`: processor time of the program per
second [s]; `p50`, `p99`, `most`: until a page was there [ms]. Each is the middle one of the rounds.
The clients run on the same machine, and take processor time of their own.
"""
import http.client
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from http_bench import Dashboards, Program, spread

RUN = """[experiment]
name = live
storage = %(storage)s
metric = loss
mode = min
num_samples = %(samples)d
seed = 1
[search]
type = random
[trainable]
plugin = %(plugin)s
name = paced
reuse_actors = true
[space]
x = uniform(0, 1)
quick = %(quick)d
pause = %(pause)g
[log]
trial_files = false
costs = false
[cluster]
cpus = 8
"""
PACED = 8
# Each waits so long, and a little until its answer is there.
PAUSE = 0.0078


def await_paced(served, trials):
    end = time.monotonic() + 600
    while time.monotonic() < end:
        told = served.ask("/api/v1/experiments/live")
        if told["trials"]["terminated"] >= trials and told["trials"]["running"] == PACED:
            return
        time.sleep(0.5)
    raise SystemExit("the quick trials did not come to their end")


def ask_pages(served, seconds):
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    times, begun = [], time.monotonic()
    while time.monotonic() - begun < seconds:
        before = time.monotonic()
        served.ask("/api/v1/experiments/live/trials?limit=100", connection)
        times.append(time.monotonic() - before)
        time.sleep(0.02)
    connection.close()
    return spread(times)


def measure(served, seconds, company, asks):
    reports = lambda: sum(
        x["iterations"]
        for x in served.ask(
            "/api/v1/experiments/live/trials?status=RUNNING&fields=iterations"
        )["trials"]
    )
    others = company(served) if company else None
    time.sleep(2)
    begun, before, cpu = time.monotonic(), reports(), served.cpu()
    found = ask_pages(served, seconds) if asks else time.sleep(seconds) or {}
    took, made, cpu = time.monotonic() - begun, reports() - before, served.cpu() - cpu
    if others:
        others.end()
    return {"reports_per_second": made / took, "cpu": cpu / took, **found}


def main(words):
    if len(words) < 2:
        raise SystemExit(__doc__)
    program, plugin = (Path(x).resolve() for x in words[:2])
    trials, seconds, rounds = (
        int(words[i]) if len(words) > i else usual for i, usual in ((2, 100_000), (3, 10), (4, 3))
    )
    place = Path(tempfile.mkdtemp(prefix="tune-live-bench-"))
    kinds = {
        "alone": (None, False),
        "pages": (None, True),
        "dashboards": (lambda served: Dashboards(served, 10), True),
    }
    ini = place / "live.ini"
    ini.write_text(
        RUN
        % {
            "storage": place / "results",
            "samples": trials + PACED,
            "plugin": plugin,
            "quick": trials,
            "pause": PAUSE,
        }
    )
    try:
        served = Program(place, [program, "run", ini, "--quiet", "--http", "127.0.0.1:0"])
        await_paced(served, trials)
        found = {name: [] for name in kinds}
        for _ in range(rounds):
            for name, how in kinds.items():
                found[name].append(measure(served, seconds, *how))
        memory = served.memory() / 2**20
        served.end()
        middle = {
            name: {key: statistics.median(x[key] for x in all) for key in all[0]}
            for name, all in found.items()
        }
        for x in middle.values():
            x["lost"] = 1 - x["reports_per_second"] / middle["alone"]["reports_per_second"]
        result = {
            name: {key: round(x[key], 4) for key in x} for name, x in middle.items()
        }
        print(json.dumps({"trials": trials, "memory_mib": round(memory, 1), **result}))
    finally:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
