# SPDX-License-Identifier: BSD-3-Clause
"""The real program with experiments of several kinds, for tests of its page in a browser."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 180  # [s]

CURVES = """[trainable]
kind = table
path = %s/data/curves/digits_mlp.csv
[space]
lr = loguniform(1e-4, 3)
momentum = uniform(0, 0.99)
hidden = choice(16, 32, 64)
layers = randint(1, 3)
batch = choice(16, 32, 64, 128)
weight_decay = loguniform(1e-6, 1e-1)
""" % ROOT

HEAD = """[experiment]
name = %s
storage = results
metric = validation_loss
mode = min
num_samples = %d
seed = 1
[search]
type = random
"""

POPULATION = """[experiment]
name = population
storage = results
metric = accuracy
mode = max
num_samples = 12
seed = 3
[trainable]
kind = class
name = digits_mlp
[space]
lr = loguniform(1e-4, 1)
momentum = uniform(0.5, 0.99)
dropout = uniform(0, 0.5)
hidden = 16
layers = 1
batch = 128
optimizer = sgd
[scheduler]
type = pbt
time_attr = training_iteration
perturbation_interval = 2
mutate = lr
[stop]
training_iteration = 5000
[cluster]
cpus = 1
"""


class Served:
    """A process of the program that serves a page."""

    def __init__(self, of, words):
        self.of = of
        self.log = open(of.place / ("%s.log" % words[0]), "w+b")  # noqa: SIM115
        of.logs.append(self.log)
        self.child = subprocess.Popen(
            [of.program, *map(str, words)],
            cwd=of.place,
            env=of.environment,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
        )
        of.children.append(self.child)
        found = of.wait(self.link, "the link of " + " ".join(map(str, words)))
        self.address, self.token = found.groups()
        self.host = self.address.split("/")[2]

    def text(self):
        return Path(self.log.name).read_text(errors="replace")

    def link(self):
        if self.child.poll() is not None:
            raise AssertionError("it has ended: " + self.text())
        return re.search(r"(http://[^/]+/)#token=([0-9a-f]{64})", self.text())

    def get(self, path):
        asked = urllib.request.Request(
            self.address + "api/v1/experiments" + path,
            headers={"Authorization": "Bearer " + self.token},
        )
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return json.loads(answer.read())


class Laboratory:
    """A directory with the program's experiments, and all processes that work in it."""

    def __init__(self):
        self.place = Path(tempfile.mkdtemp(prefix="tune-real-"))
        self.program = os.environ["TUNE_NODE"]
        self.environment = dict(os.environ, XDG_STATE_HOME=str(self.place / "state"))
        self.children, self.logs = [], []

    def close(self):
        for log in self.logs:
            log.close()
        for child in reversed(self.children):
            if child.poll() is None:
                child.kill()
            child.wait()
        shutil.rmtree(self.place, ignore_errors=True)

    def wait(self, ready, what):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = ready()
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError("waited in vain for " + what)

    def write(self, name, text):
        path = self.place / (name + ".ini")
        path.write_text(text)
        return path

    def live(self, trials=2000):
        """An experiment that goes on, once it has made so many trials."""
        ini = self.write(
            "live",
            HEAD % ("live", 10**6)
            + CURVES
            + "[scheduler]\ntype = asha\nmax_t = 81\ngrace_period = 3\n"
            + "[cluster]\ncpus = 4\n",
        )
        served = Served(self, ["run", ini, "--http", "127.0.0.1:0"])
        self.wait(lambda: served.get("/live")["trials"]["total"] >= trials, "%d trials" % trials)
        return served

    def population(self):
        """PBT on three nodes: the run's own, and two workers. It goes on."""
        ini = self.write("population", POPULATION)
        words = ["--listen", "127.0.0.1:0", "--insecure-plaintext", "--http", "127.0.0.1:0"]
        served = Served(self, ["run", ini, *words])
        where = self.wait(
            lambda: re.search(r"--join (127\.0\.0\.1:\d+)", served.text()), "the port for workers"
        )
        for name in ("w1", "w2"):
            words = [
                *("worker", "--join", where.group(1), "--insecure-plaintext"),
                *("--name", name, "--cpus", "1", "--work", self.place / name),
            ]
            with open(self.place / (name + ".log"), "wb") as log:
                self.children.append(
                    subprocess.Popen(
                        [self.program, *words],
                        env=self.environment,
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                    )
                )
        self.wait(
            lambda: len(served.get("/population/lineage")["exploits"]) >= 3
            and len(served.get("/population/nodes")["nodes"]) == 3,
            "three nodes and three exploits",
        )
        return served

    def huge(self, trials=100_000):
        """A finished experiment beside a small one, and a server for both."""
        for name, count in (("huge", trials), ("small", 300)):
            subprocess.run(
                [os.environ["TUNE_GROW"], self.place / "results" / name, str(count), "9"],
                check=True,
            )
        return Served(self, ["serve", "results", "--http", "127.0.0.1:0"])
