# SPDX-License-Identifier: BSD-3-Clause
"""Made-up experiments that answer as a gateway's do: many trials, hostile texts, all statuses."""

import functools
import math
import threading

from fake_charts import NODES, RUNGS, FakeCharts

# What a trial may write: none of it may ever become markup, a script or a control sequence.
HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\x1b[31m\u202eevil'
CUTOFFS = [0.8, 0.55, 0.4, 0.3]


def draws(t):
    """Five numbers of [0, 1) that belong to a trial. Quicker than a generator of its own."""
    x = (t * 2654435761 + 12345) & 0xFFFFFFFF
    for _ in range(5):
        x = (x ^ (x >> 15)) * 2246822519 & 0xFFFFFFFF
        x ^= x >> 13
        yield x / 4294967296


@functools.lru_cache(None)
def config(t):
    a, b, c, d, e = draws(t)
    return {
        "lr": 10 ** (-5 + 4 * a),
        "momentum": 0.1 + 0.89 * b,
        "layers": 1 + int(8 * c),
        "optimizer": ("sgd", "adam", "rmsprop")[int(3 * d)],
        "dropout": 0.6 * e,
    }


@functools.lru_cache(None)
def quality(t):
    c = config(t)
    away = abs(math.log10(c["lr"]) + 3) / 2 + abs(c["momentum"] - 0.8) + 0.06 * c["layers"]
    return 0.05 + 0.3 * away + (0.08 if c["optimizer"] == "rmsprop" else 0)


# An experiment that shares its head with others, and waits.
STANDING = {
    "user": "ada",
    "priority": -3,
    "share": 2.5,
    "running": 3,
    "cpu": 8.0,
    "gpu": 0.0,
    "memory": 0,
    "waiting": 12,
    "place": 2,
    "stands_aside": False,
    "made_room": 7,
    "made_room_for": "<b>high</b> of bob, priority 5",
    "quota": {"cpu": {"used": 8, "total": 32}, "memory": {"used": 0, "total": 1 << 30}},
}

class Fake(FakeCharts):
    """One experiment. Its trials are made when they are asked for, and always the same."""

    def __init__(self, name, trials, live=False, kind="asha", objectives=1, hostile=False):
        self.name, self.total, self.live, self.kind = name, trials, live, kind
        self.objectives = [{"metric": "loss", "mode": "min"}, {"metric": "latency", "mode": "min"}]
        self.objectives = self.objectives[:objectives]
        self.hostile = hostile
        self.paused = False
        self.seq = 1000
        self.stopped = set()
        self.changed = threading.Condition()
        self.created = 1764000000000
        self.cache = {}

    # -- trials ---------------------------------------------------------------------------------
    def status(self, t):
        if t in self.stopped:
            return "TERMINATED"
        if t % 41 == 7:
            return "ERRORED"
        if self.live and t >= self.total - 12:
            return ("RUNNING", "RUNNING", "PAUSED", "PENDING")[t % 4]
        return "TERMINATED"

    def config(self, t):
        return config(t)

    def quality(self, t):
        return quality(t)

    def iterations(self, t):
        if self.status(t) == "PENDING":
            return 0
        q = self.quality(t)
        for at, cutoff in zip(RUNGS, CUTOFFS):
            if q > cutoff * 0.75:
                return at
        return 256

    def loss(self, t, i):
        wave = 0.01 * math.sin(i * 1.7 + t) * math.exp(-i / 80)
        return self.quality(t) + 0.9 * math.exp(-i / 14) + wave

    def metrics(self, t):
        i = self.iterations(t)
        if i == 0:
            return {}
        made = {"loss": self.loss(t, i), "accuracy": 1 - self.loss(t, i) / 2}
        if len(self.objectives) > 1:
            made["latency"] = 3 + 10 / (0.2 + self.quality(t)) + t % 5
        if t % 97 == 5:
            made["accuracy"] = "nan"
        return made

    def row(self, t):
        if t in self.cache:
            return self.cache[t]
        i, status = self.iterations(t), self.status(t)
        loss = self.loss(t, i)
        reason = "below the cutoff of the rung at %d: %.4f > %.4f" % (i, loss, loss * 0.9)
        if self.hostile and t % 3 == 0:
            reason = HOSTILE
        ended = status in ("TERMINATED", "ERRORED")
        made = {
            "trial": t,
            "trial_id": "%05d" % t,
            "status": status,
            "config": self.config(t),
            "origin": "random",
            "iterations": i,
            "time_total_s": i * 0.37,
            "metrics": self.metrics(t),
            "best_iteration": i,
            "best_metrics": self.metrics(t),
            "best_config": self.config(t),
            "reason": reason if i < 256 else "max_iterations: 256",
            "error": ("Traceback:\n" + HOSTILE) if status == "ERRORED" else "",
            "failures": int(status == "ERRORED"),
            "node": NODES[t % 3],
            "created": t * 0.4,
            "ended": t * 0.4 + i * 0.37 if ended else None,
        }
        if not self.live or ended:
            self.cache[t] = made
        return made

    def counts(self):
        made = dict.fromkeys(("pending", "running", "paused", "terminated", "errored"), 0)
        if "base" not in self.__dict__:
            self.base = [self.status(t).lower() for t in range(self.total)]
        for x in self.base[: self.total]:
            made[x] += 1
        made["total"] = self.total
        return made

    def best(self):
        if "found" not in self.__dict__:
            done = [
                t for t in sorted(range(self.total), key=quality)[:50] if self.iterations(t) == 256
            ]
            self.found = min(done, key=lambda t: self.loss(t, 256), default=None)
        return (
            None
            if self.found is None
            else {"trial": self.found, "value": self.loss(self.found, 256)}
        )

    def step(self):
        """One more trial is there."""
        self.total += 1
        self.touch()

    def stop(self, t):
        self.stopped.add(t)
        self.touch()

    def touch(self):
        """Tells all who listen that something is new."""
        with self.changed:
            self.base = [self.status(t).lower() for t in range(self.total)]
            self.seq += 1
            self.changed.notify_all()

    # -- answers --------------------------------------------------------------------------------
    def short(self):
        steps = [x[1] for x in self.history(40)["best_over_trials"]][-40:] if self.total else []
        return {
            "name": self.name,
            "status": "running" if self.live else "done",
            "why": "",
            "live": self.live,
            "created_ms": self.created,
            "elapsed_s": self.total * 0.4 + 100,
            "trials": self.counts(),
            "metric": "loss",
            "mode": "min",
            "best": self.best(),
            "spark": steps,
        }

    def about(self):
        made = self.short()
        made.update(
            {
                "epoch": 2,
                "seed": "18446744073709551615",
                "last_seq": self.seq,
                "spec": {},
                "objectives": self.objectives,
                "constraints": [],
                "scheduler": {"type": self.kind, "line": "4 rungs, 1 of 4 climbs"},
                "search": {"type": "tpe"},
                "waits_for": "its trials wait: quota of ada, 8 of 8 CPU" if self.live else None,
                "allocation": STANDING if self.live else None,
                "paused": self.paused,
                "nodes": NODES,
                "resources": {"total": {"cpu": 12}, "used": {"cpu": 8 if self.live else 0}},
                "parameters": [
                    {
                        "name": "lr",
                        "domain": {"kind": "real", "low": 1e-5, "high": 0.1, "log": True},
                    },
                    {
                        "name": "momentum",
                        "domain": {"kind": "real", "low": 0.1, "high": 0.99, "log": False},
                    },
                    {
                        "name": "layers",
                        "domain": {"kind": "integer", "low": 1, "high": 8, "log": False},
                    },
                    {
                        "name": "optimizer",
                        "domain": {"kind": "choice", "values": ["sgd", "adam", "rmsprop"]},
                    },
                    {
                        "name": "dropout",
                        "domain": {"kind": "real", "low": 0, "high": 0.6, "log": False},
                    },
                ],
                "metrics": ["loss", "accuracy"] + (["latency"] if len(self.objectives) > 1 else []),
                "summary_text": "",
                "eta_s": 320.0 if self.live else None,
            }
        )
        return made

    def select(self, query):
        trials = range(self.total)
        if query.get("status"):
            trials = [t for t in trials if self.status(t) == query["status"]]
        if query.get("filter"):
            if "lr <" not in query["filter"]:
                return None
            bound = float(query["filter"].split("<")[1])
            trials = [t for t in trials if self.config(t)["lr"] < bound]
        sort = query.get("sort", "")
        key = sort.lstrip("-")
        if key.startswith(("best:", "last:", "metric:")):
            trials = sorted(trials, key=lambda t: self.loss(t, self.iterations(t)))
        elif key.startswith("param:"):
            trials = sorted(trials, key=lambda t: str(self.config(t).get(key[6:])))
        if sort.startswith("-"):
            trials = list(reversed(trials))
        return trials

    def history(self, points):
        every = max(1, self.total // points)
        steps, times, values, best = [], [], [], math.inf
        for t in range(0, self.total, every):
            if self.iterations(t) == 0:
                continue
            value = self.loss(t, self.iterations(t))
            values.append([t, t * 0.4, value, self.status(t)])
            if value < best:
                best = value
                steps.append([t + 1, best])
                times.append([t * 0.4, best])
        return {"best_over_trials": steps, "best_over_time": times, "values": values}

    def trial(self, t):
        row = dict(self.row(t))
        i = row["iterations"]
        row.update(
            {
                "attempts": [
                    {
                        "attempt": "1.%d" % t,
                        "node": NODES[t % 3],
                        "started": t * 0.4,
                        "ended": row["ended"],
                        "end_class": "stopped",
                        "detail": HOSTILE if self.hostile else "",
                    }
                ],
                "decisions": [
                    {
                        "t": t * 0.4,
                        "training_iteration": i,
                        "action": "stop",
                        "reason": {},
                        "text": row["reason"],
                    }
                ],
                "checkpoints": [
                    {
                        "checkpoint": 3,
                        "training_iteration": 4,
                        "bytes": 123456,
                        "state": "good",
                        "location": "trials/x",
                        "detail": "",
                    }
                ],
                "exports": [],
                "artifacts": [{"path": "plots/a b.png", "bytes": 2048}],
                "lineage": 0,
                "why": {},
            }
        )
        return row
