# SPDX-License-Identifier: BSD-3-Clause
"""What a made-up experiment answers to the views with charts."""

import math
import random

RUNGS = [4, 16, 64, 256]
NODES = ["node-a", "node-b", "node-c"]


class FakeCharts:
    """The charts' half of an experiment; the other half makes its trials."""

    def curves(self, many, x):
        factor = {"time": 0.37, "cost": 0.37}.get(x, 1)
        made = []
        for t in sorted(range(min(self.total, 2000)), key=self.quality)[
            :: max(1, min(self.total, 2000) // many)
        ][:many]:
            last = self.iterations(t)
            points = [
                [i * factor, self.loss(t, i)] for i in range(1, last + 1, max(1, last // 100))
            ]
            made.append(
                {
                    "trial": t,
                    "status": self.status(t),
                    "stopped_at": last * factor if last < 256 else None,
                    "cut_off_at": None,
                    "points": points,
                }
            )
        return {"metric": "loss", "curves": made, "total": self.total}

    def results(self, t):
        rows = [
            [i, i * 0.4, i * 0.37, self.loss(t, i), 1 - self.loss(t, i) / 2]
            for i in range(1, self.iterations(t) + 1)
        ]
        return {
            "columns": ["training_iteration", "t", "time_total_s", "loss", "accuracy"],
            "rows": rows,
            "sampled": False,
        }

    def rungs(self):
        if self.kind != "asha":
            return {
                "kind": self.kind,
                "brackets": [],
                "cost": {
                    "spent_s": 10,
                    "without_stopping_s": None,
                    "iterations": 5,
                    "iterations_without": None,
                },
            }
        brackets = []
        for b in range(2):
            rungs = []
            for at in RUNGS[b:3]:
                there = [
                    t
                    for t in range(min(self.total, 2000))
                    if self.iterations(t) >= at and t % 2 == b
                ]
                went = {t for t in there if self.iterations(t) > at}
                rungs.append(
                    {
                        "at": at,
                        "cutoff": (
                            sorted(self.loss(t, at) for t in there)[len(went)]
                            if there and len(went) < len(there)
                            else None
                        ),
                        "entered": len(there),
                        "went_on": len(went),
                        "waits": 0,
                        "stopped": len(there) - len(went),
                        "values": [[t, self.loss(t, at), t in went] for t in there[:500]],
                    }
                )
            brackets.append({"bracket": b, "rungs": rungs})
        spent = sum(self.iterations(t) for t in range(min(self.total, 2000)))
        return {
            "kind": "asha",
            "brackets": brackets,
            "cost": {
                "spent_s": spent * 0.37,
                "without_stopping_s": 256 * 0.37 * min(self.total, 2000),
                "iterations": spent,
                "iterations_without": 256 * min(self.total, 2000),
            },
        }

    def parallel(self, limit, metric):
        every = max(1, self.total // limit)
        names = list(self.config(0))
        lines = []
        for t in list(range(0, self.total, every))[:limit]:
            value = self.metrics(t).get(metric)
            if value is not None:
                lines.append([t, self.status(t), *(self.config(t)[n] for n in names), value])
        axes = [{"name": p["name"], **p["domain"]} for p in self.about()["parameters"]]
        return {"axes": axes, "lines": lines, "total": self.total, "sampled": every > 1}

    def importance(self, metric):
        shares = {"lr": 0.61, "momentum": 0.22, "layers": 0.11, "optimizer": 0.05, "dropout": 0.01}
        ends = {"lr": (0.0004, 0.003), "momentum": (0.7, 0.9), "optimizer": ("adam", "adam")}
        rows = []
        for name, share in shares.items():
            low, high = ends.get(name, (None, None))
            told = {"more_than_chance": share > 0.02, "from": low, "to": high}
            rows.append({"name": name, "importance": share, **told})
        return {"metric": metric, "method": "model", "note": "", "parameters": rows}

    def pareto(self):
        names = [x["metric"] for x in self.objectives]
        points = [
            [t, *(self.metrics(t)[n] for n in names)]
            for t in range(min(self.total, 1500))
            if len(self.metrics(t)) > 1
        ]
        made, best = [], math.inf
        for p in sorted(points, key=lambda p: p[1]):
            on = p[-1] < best
            best = min(best, p[-1])
            made.append([*p, on, p[0] % 19 != 0])
        return {
            "objectives": self.objectives,
            "front": [p[0] for p in made if p[-2]],
            "points": made,
        }

    def timeline(self, limit):
        attempts, free = [], [0.0] * 12
        classes = {"ERRORED": "user_error", "PAUSED": "paused"}
        for t in range(max(0, self.total - limit), self.total):
            lane = min(range(12), key=lambda i: free[i])
            start, i = free[lane], self.iterations(t)
            end = start + i * 0.1 + 0.5
            free[lane] = end
            status = self.status(t)
            if status == "PENDING":
                continue
            how = classes.get(status, "finished" if i == 256 else "stopped")
            runs = status == "RUNNING"
            attempts.append(
                {
                    "trial": t,
                    "attempt": "1.%d" % t,
                    "node": NODES[lane // 4],
                    "started": start,
                    "ended": None if runs else end,
                    "end_class": None if runs else ("node_lost" if t % 53 == 1 else how),
                    "lineage": 0,
                }
            )
        return {
            "nodes": [{"node": n, "state": "up"} for n in NODES],
            "attempts": attempts,
            "down": [{"node": "node-b", "from": 3.0, "to": 9.0}],
            "total": self.total,
            "sampled": self.total > limit,
        }

    def lineage(self):
        if self.kind != "pbt":
            return {"nodes": [], "exploits": []}
        many = min(self.total, 16)
        nodes = [
            {"trial": t, "lineage": 0, "started": 0.0, "config": self.config(t)}
            for t in range(many)
        ]
        exploits, draw, now = [], random.Random(3), {t: self.config(t) for t in range(many)}
        for step in range(1, 12):
            for _ in range(3):
                trial, donor = draw.randrange(many), draw.randrange(many // 3)
                if trial == donor:
                    continue
                before = now[trial]
                now[trial] = {**now[donor], "lr": now[donor]["lr"] * draw.choice([0.8, 1.2])}
                exploits.append(
                    {
                        "t": step * 9.0 + draw.random(),
                        "trial": trial,
                        "donor": donor,
                        "training_iteration": step * 5,
                        "before": before,
                        "after": now[trial],
                    }
                )
        return {"nodes": nodes, "exploits": exploits}

    def decisions(self, since, trial):
        made = []
        for t in range(min(self.total, 900)):
            if trial not in (None, "", str(t)) or t < since:
                continue
            row = self.row(t)
            if row["iterations"] < 256 and row["status"] == "TERMINATED":
                made.append(
                    {
                        "seq": t,
                        "t": row["ended"],
                        "trial": t,
                        "attempt": "1.%d" % t,
                        "training_iteration": row["iterations"],
                        "action": "stop",
                        "reason": {},
                        "text": row["reason"],
                    }
                )
        return {"decisions": made, "next_seq": 1000}

    def nodes(self):
        return {
            "nodes": [
                {
                    "node": n,
                    "state": "up" if n != "node-c" else "lost",
                    "capacity": {"cpu": 4, "gpu": 1},
                    "used": {"cpu": 3 - i},
                    "running": (
                        [
                            t
                            for t in range(self.total)
                            if t >= self.total - 12 and self.status(t) == "RUNNING" and t % 3 == i
                        ]
                        if self.live
                        else 0
                    ),
                    "since": 3.0 * i,
                    "why": "" if n != "node-c" else "silent for 30 s",
                    "labels": ["zone=%d" % i, "note=<b>x</b>"] if i else [],
                    "taints": ["spot"] if n == "node-c" else [],
                }
                for i, n in enumerate(NODES)
            ]
        }

    def checkpoints(self):
        return {
            "checkpoints": [
                {
                    "checkpoint": t,
                    "trial": t,
                    "training_iteration": 4,
                    "bytes": 10 ** (t % 7),
                    "state": "good" if t % 5 else "gone",
                    "location": "x",
                    "detail": "",
                    "t": t * 1.0,
                }
                for t in range(min(self.total, 100))
            ],
            "next_cursor": None,
        }
