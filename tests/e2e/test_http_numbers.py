# SPDX-License-Identifier: BSD-3-Clause
"""What the page shows of finished experiments, reckoned here once more from the rows of
experiment.db: counts, the best, histories, curves, rungs, costs, attempts, takeovers."""
import json

from e2e import main
from http_client import Served
from test_http_shapes import CURVES, POPULATION


def steps_of(values, is_better):
    """Where the best of pairs (x, value) changes."""
    result = []
    for x, y in values:
        if not result or is_better(y, result[-1][1]):
            result.append([x, y])
    return result


class Numbers(Served):
    def results(self, name, metric):
        """(trial, iteration, time, value) of each report, in the order of the record."""
        return [
            (x["trial"], x["training_iteration"], x["t"], json.loads(x["metrics"])[metric])
            for x in self.rows("SELECT * FROM results ORDER BY seq", name)
        ]

    def check_overview(self, name, reports, best):
        """@param best (trial, iteration, value)."""
        told = self.api("/" + name)
        status = [x["status"] for x in self.rows("SELECT status FROM trials", name)]
        for word in ("PENDING", "RUNNING", "PAUSED", "TERMINATED", "ERRORED"):
            self.assertEqual(told["trials"][word.lower()], status.count(word), word)
        self.assertEqual(told["trials"]["total"], len(status))
        found = told["best"]
        self.assertEqual((found["trial"], found["iteration"], found["value"]), best)
        whole = self.rows("SELECT * FROM experiment", name)[0]
        self.assertEqual(told["elapsed_s"], whole["finished"])
        self.assertEqual(told["last_seq"], whole["last_seq"])
        listed = self.api("")["experiments"]
        self.assertIn("best_checkpoint", found)
        short = {x: found[x] for x in found if x != "best_checkpoint"}
        self.assertEqual(next(x for x in listed if x["name"] == name)["best"], short)
        by_iteration = self.api("/%s/trials" % name, sort="iterations", limit=1000)["trials"]
        self.assertEqual(
            [x["iterations"] for x in by_iteration],
            sorted(x["iterations"] for x in self.rows("SELECT iterations FROM trials", name)),
        )

    def check_timeline(self, name):
        told = self.api("/%s/timeline" % name)
        rows = self.rows("SELECT * FROM attempts", name)
        shown = {(x["trial"], x["attempt"]): x for x in told["attempts"]}
        self.assertEqual(len(shown), len(rows))
        for row in rows:
            bar = shown[row["trial"], row["attempt"]]
            for key in ("node", "started", "ended", "end_class", "lineage"):
                self.assertEqual(bar[key], row[key], (row, bar))

    def check_history(self, name, reports, is_better, pick):
        told = self.api("/%s/history" % name, points=10000)
        bests = {}
        for trial, _, _, value in reports:
            bests[trial] = pick(bests.get(trial, value), value)
        self.assertEqual({x[0]: x[2] for x in told["values"]}, bests)
        over_trials = steps_of(sorted(bests.items()), is_better)
        self.assertEqual(told["best_over_trials"][: len(over_trials)], over_trials)
        over_time = steps_of([(t, value) for _, _, t, value in reports], is_better)
        self.assertEqual(told["best_over_time"][: len(over_time)], over_time)

    def check_curves(self, name, reports, given_up):
        curves = self.api("/%s/curves" % name, trials=1000, points=2000)["curves"]
        for curve in curves:
            points = {}
            for trial, iteration, _, value in reports:
                if trial == curve["trial"]:
                    # What was told again counts as it was told last.
                    points = {i: y for i, y in points.items() if i < iteration}
                    points[iteration] = value
            self.assertEqual(curve["points"], [list(x) for x in points.items()])
            last = max(points) if curve["trial"] in given_up else None
            self.assertEqual(curve["stopped_at"], last, curve["trial"])
        self.assertEqual({x["trial"] for x in curves}, {x[0] for x in reports})

    def check_rungs(self, name, reports, most):
        told = self.api("/%s/rungs" % name)
        self.assertEqual(len(told["brackets"]), 1)
        stops = {}
        for row in self.rows("SELECT * FROM decisions WHERE action = 'stop'", name):
            reason = json.loads(row["reason"])
            if "rung" in reason and "max_t" not in reason:
                stops[row["trial"]] = reason["rung"]
        for rung in told["brackets"][0]["rungs"]:
            came = {trial: y for trial, i, _, y in reports if i == rung["at"]}
            stopped = [trial for trial, at in stops.items() if at == rung["at"]]
            self.assertEqual(rung["entered"], len(came), rung["at"])
            self.assertEqual(rung["stopped"], len(stopped), rung["at"])
            self.assertEqual(rung["went_on"], len(came) - len(stopped), rung["at"])
            for trial, value, went_on in rung["values"]:
                self.assertEqual((value, went_on), (came[trial], trial not in stopped))
        reached = {x["trial"]: x["iterations"] for x in self.rows("SELECT * FROM trials", name)}
        self.assertEqual(told["cost"]["iterations"], sum(reached.values()))
        saved = sum(most - reached[trial] for trial in stops)
        self.assertEqual(told["cost"]["iterations_without"], sum(reached.values()) + saved)
        return set(stops)

    def test_of_successive_halving(self):
        self.run_node("run", self.ini(CURVES), "--quiet", "--experiment.num_samples", "60")
        reports = self.results("curves", "validation_loss")
        self.start_serving()
        best = min(reports, key=lambda x: x[3])
        self.check_overview("curves", reports, (best[0], best[1], best[3]))
        self.check_timeline("curves")
        self.check_history("curves", reports, lambda x, y: x < y, min)
        given_up = self.check_rungs("curves", reports, 9)
        self.assertTrue(given_up)
        self.check_curves("curves", reports, given_up)
        said = json.loads(self.run_node("importance", "results/curves", "-o", "json").out)
        shown = self.api("/curves/importance")["parameters"]
        self.assertEqual([(x["name"], x["importance"]) for x in shown],
                         [(x["parameter"], x["importance"]) for x in said])
        self.assertAlmostEqual(sum(x["importance"] for x in shown), 1)

    def test_of_trials_that_a_condition_ends(self):
        self.run_node("run", self.ini(CURVES), "--quiet", "--experiment.num_samples", "3",
                      "--scheduler.type", "fifo", "--stop.training_iteration", "2")
        self.start_serving()

        told = self.api("/curves/decisions")["decisions"]

        # Such a decision is in the record with the report itself.
        times = {x["seq"]: x["t"] for x in self.rows("SELECT seq, t FROM results", "curves")}
        self.assertEqual(len(told), 3)
        self.assertEqual([x["t"] for x in told], [times[x["seq"]] for x in told])

    def test_decisions_of_one_event_are_not_parted(self):
        self.run_node("run", self.ini(CURVES), "--quiet", "--experiment.num_samples", "30",
                      "--scheduler.type", "hyperband")
        rows = self.rows("SELECT seq, trial, action FROM decisions", "curves")
        counts = {}
        for x in rows:
            counts[x["seq"]] = counts.get(x["seq"], 0) + 1
        self.assertGreater(max(counts.values()), 3)
        self.start_serving()
        for limit in (1, 2, 3, 5, 1000):
            found, since, more = [], 0, True
            while more:
                told = self.api("/curves/decisions", limit=limit, since_seq=since)
                self.assertTrue(told["decisions"] or not told["more"])
                some = [x["seq"] for x in told["decisions"]]
                self.assertTrue(len(some) <= limit or len(set(some)) == 1, (limit, some))
                found += told["decisions"]
                since, more = told["next_seq"], told["more"]
            self.assertEqual(
                [(x["seq"], x["trial"], x["action"]) for x in found],
                [(x["seq"], x["trial"], x["action"]) for x in rows],
                limit,
            )

    def test_of_a_population(self):
        self.run_node("run", self.ini(POPULATION), "--quiet", "--experiment.num_samples", "6")
        reports = self.results("population", "accuracy")
        self.start_serving()
        rows = {x["trial"]: x for x in self.rows("SELECT * FROM trials", "population")}
        bests = {t: json.loads(x["best_metrics"])["accuracy"] for t, x in rows.items()}
        trial = max(bests, key=lambda t: (bests[t], -t))
        self.check_overview(
            "population", reports, (trial, rows[trial]["best_iteration"], bests[trial])
        )
        self.check_timeline("population")
        self.check_curves("population", reports, set())
        lineages, exploits, last = [], [], {}
        for x in self.rows("SELECT * FROM attempts ORDER BY started", "population"):
            config = json.loads(x["config"])
            if last.get(x["trial"], (None,))[0] != x["lineage"]:
                lineages.append((x["trial"], x["lineage"], x["started"]))
                if x["donor"] is not None:
                    before = last[x["trial"]][1]
                    exploits.append((x["started"], x["trial"], x["donor"], before, config))
            last[x["trial"]] = (x["lineage"], config)
        told = self.api("/population/lineage")
        related = {x[1] for x in exploits} | {x[2] for x in exploits}
        self.assertEqual(
            sorted((x["trial"], x["lineage"], x["started"]) for x in told["nodes"]),
            sorted(x for x in lineages if x[0] in related),
        )
        keys = ("t", "trial", "donor", "before", "after")
        self.assertEqual([tuple(x[key] for key in keys) for x in told["exploits"]], exploits)


if __name__ == "__main__":
    main()
