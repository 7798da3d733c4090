# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the tests of sinks and exports: experiments with metrics and parameters of every kind, and
services that take what sinks send."""
import contextlib
import http.server
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from e2e import ROOT, Case

TRIAL = Path(__file__).with_name("sink_trial.py")
SKIPPED = 77

# Parameters of every kind.
SPACE = """
lr = loguniform(1e-4, 1)
step = quniform(0.1, 1, 0.1)
units = randint(4, 65)
even = qrandint(2, 20, 2)
mixed = choice(1, 2.5, "a b", true)
flag = choice(true, false)
noise = randn(0, 1)
order = permutation("conv", "pool", "norm")
parts = subset("flip", "crop", "=cmd")
fixed = 3
momentum = uniform(0.1, 0.9) if flag == true
inner = uniform(0, {units})
optimizer.name = choice("sgd", "adam")
"""


def venv_with(name, *packages):
    """A Python with these packages from PyPI, made once for a build tree. Ends the test, with the
    reason, where they cannot be had."""
    base = Path(os.environ.get("TUNE_VENVS") or ROOT / "build" / "venvs") / name
    python = base / "bin" / "python"
    wanted = " ".join(packages)
    mark = base / ".packages"
    if mark.is_file() and mark.read_text() == wanted:
        return python
    for words in (
        [sys.executable, "-m", "venv", "--clear", base],
        [python, "-m", "pip", "install", "--quiet", *packages],
    ):
        done = subprocess.run(words, capture_output=True, text=True, timeout=500)
        if done.returncode != 0:
            print("skipped: %s cannot be installed:" % wanted, (done.stdout + done.stderr)[-500:])
            sys.exit(SKIPPED)
    mark.write_text(wanted)
    return python


class SinkCase(Case):
    def sink_experiment(
        self, sinks, samples=6, iterations=4, space=SPACE, more="", experiment="", name="x.ini"
    ):
        return self.ini(
            "\n".join(
                [
                    "[experiment]",
                    "metric = loss",
                    "mode = min",
                    "num_samples = %d" % samples,
                    "seed = 5",
                    experiment,
                    "[trainable]",
                    "command = %s %s %d" % (sys.executable, TRIAL, iterations),
                    "[space]",
                    space,
                    "[failure]",
                    "backoff = 0",
                    "[sinks]",
                    sinks,
                    more,
                ]
            )
            + "\n",
            name,
        )

    def results(self, experiment="x"):
        """All reports of the record, in order, with metrics as Python has them."""
        found = self.rows("SELECT * FROM results ORDER BY seq", experiment)
        for x in found:
            x["metrics"] = json.loads(x["metrics"])
        return found

    def trials(self, experiment="x"):
        found = self.rows("SELECT * FROM trials ORDER BY trial", experiment)
        for x in found:
            for name in ("config", "best_config", "best_metrics"):
                x[name] = json.loads(x[name]) if x[name] else None
        return found

    def place(self, *parts, experiment="x"):
        return self.directory.joinpath("results", experiment, *parts)

    def reader(self, python, script, *words):
        """Runs a reader's script; returns the JSON that it prints."""
        done = subprocess.run(
            [python, "-c", script, *map(str, words)], capture_output=True, text=True, timeout=300,
            cwd=self.directory, env=dict(os.environ, no_proxy="127.0.0.1,localhost"),
        )
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-6000:])
        return json.loads(done.stdout.splitlines()[-1])


class Collector:
    """A service that takes JSON by POST. `statuses` are given first, then 200."""

    def __init__(self, case, port=0, statuses=()):
        self.requests = []
        self.changed = threading.Condition()
        left = list(statuses)
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = left.pop(0) if left else 200
                with service.changed:
                    service.requests.append((status, self.path, dict(self.headers), body))
                    service.changed.notify_all()
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        case.addCleanup(self.close)

    def close(self):
        with contextlib.suppress(OSError):
            self.server.shutdown()
            self.server.server_close()

    def taken(self):
        """The bodies of requests that were taken."""
        return [json.loads(body) for status, _, _, body in self.requests if status == 200]
