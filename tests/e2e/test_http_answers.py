# SPDX-License-Identifier: BSD-3-Clause
"""What the API says of rungs, of suggestions, of big numbers, and in which order it lists trials: the
same as the commands say."""
import json
import subprocess

from e2e import main
from http_client import Served

# In the order of the command's option, and what each makes of losses.
SCOPES = {
    "best": min,
    "last": lambda xs: xs[-1],
    "avg": lambda xs: sum(xs) / len(xs),
    "last-5-avg": lambda xs: sum(xs[-5:]) / len(xs[-5:]),
    "last-10-avg": lambda xs: sum(xs[-10:]) / len(xs[-10:]),
    "min": min,
    "max": max,
}


class Answers(Served):
    def tune(self, text, loss, most=1000):
        """Makes an experiment: `loss(config, iteration)` is what its trials report, one trial at a
        time."""
        ini = self.ini("[experiment]\nmetric = loss\nmode = min\n" + text)
        child = self.start("ask-tell", ini, stdin=subprocess.PIPE)

        def say(**fields):
            child.stdin.write(json.dumps(fields) + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
            self.assertTrue(line, "no answer")
            return json.loads(line)

        for _ in range(most):
            given = say(op="ask")
            if given["op"] == "none":
                self.assertEqual(given["reason"], "finished")
                break
            at = given["from"]["iteration"] if given["resume"] else 0
            decision = "continue"
            while decision == "continue":
                at += 1
                metrics = {"training_iteration": at, "loss": loss(given["config"], at)}
                told = say(op="report", trial=given["trial"], metrics=metrics, checkpoint=str(at))
                decision = told["decision"]
        self.finish(child)

    def rungs(self):
        """By bracket and rung: what the API says of it."""
        self.start_serving()
        found = self.api("/x/rungs")["brackets"]
        return {(b["bracket"], r["at"]): r for b in found for r in b["rungs"]}

    def check_rungs(self, rungs):
        self.assertTrue(rungs)
        for (bracket, at), rung in rungs.items():
            with self.subTest(bracket=bracket, at=at):
                self.assertEqual(rung["waits"], 0, rung)
                self.assertNotIn(None, [x[2] for x in rung["values"]])
                went = sum(1 for x in rung["values"] if x[2])
                self.assertEqual(rung["went_on"], went)
                self.assertEqual(rung["stopped"], len(rung["values"]) - went)

    def test_who_was_promoted_does_not_wait(self):
        # From each rung the next report is the next rung, and from the top one the end.
        self.tune(
            "num_samples = 9\n[space]\nx = uniform(0, 1)\n[scheduler]\ntype = asha\n"
            "form = promotion\nmax_t = 3\ngrace_period = 1\nreduction_factor = 2\n",
            lambda config, at: config["x"] / at,
        )
        rungs = self.rungs()
        self.assertEqual(sorted(rungs), [(0, 1), (0, 2)])
        self.check_rungs(rungs)
        ends = self.rows(
            "SELECT count(*) AS n FROM decisions WHERE json_extract(reason, '$.max_t') IS NOT NULL"
        )[0]["n"]
        self.assertGreater(ends, 0)
        self.assertEqual(rungs[0, 2]["went_on"], ends)
        beyond = self.rows("SELECT count(*) AS n FROM trials WHERE iterations >= 2")[0]["n"]
        self.assertEqual(rungs[0, 1]["went_on"], beyond)

    def test_nobody_waits_at_the_last_rung_of_hyperband(self):
        self.tune(
            "num_samples = 17\n[space]\nx = uniform(0, 1)\n[scheduler]\ntype = hyperband\n"
            "max_t = 9\nreduction_factor = 3\n",
            lambda config, at: config["x"] / at,
        )
        rungs = self.rungs()
        self.check_rungs(rungs)
        self.assertTrue([at for _, at in rungs if at == 9], rungs)

    def test_a_suggestion_is_told_as_the_command_tells_it(self):
        self.tune(
            "num_samples = 12\nseed = 3\n[space]\nx = uniform(0, 1)\n[search]\ntype = gp\n"
            "[stop]\ntraining_iteration = 1\n",
            lambda config, at: (config["x"] - 0.3) ** 2,
        )
        self.start_serving()
        why = json.loads(self.run_node("trials", "results/x", "--why", "11", "-o", "json").out)
        path = "/api/v1/experiments/x/trials/11/suggestion"
        told = self.get(path)
        self.assertEqual(told.status, 200, told)
        self.assertEqual(
            told.json(), {"trial": 11, "trial_id": "00011", "suggestion": why["suggestion"]}
        )
        self.assertIsNotNone(why["suggestion"]["predicted"])
        again = self.get(path, If_None_Match=told.headers["etag"])
        self.assertEqual(again.status, 304)
        self.assertEqual(self.get("/api/v1/experiments/x/trials/12/suggestion").status, 404)
        page = self.api("/x/trials/11")
        del why["suggestion"]
        self.assertEqual(page["why"], why)

    def test_whole_numbers_keep_their_digits(self):
        most = 2**53
        self.tune(
            "num_samples = 2\n[space]\nx = grid(1, 3)\n[stop]\ntraining_iteration = 1\n",
            lambda config, at: most + config["x"],
        )
        self.start_serving()
        for path in ("/x", ""):
            found = self.api(path)
            best = (found if path else found["experiments"][0])["best"]
            self.assertEqual(best["value"], str(most + 1))

    def test_trials_are_sorted_in_the_scope_of_the_command(self):
        noise = {0: [5, 1, 9], 1: [4, 4, 4], 2: [9, 2, 3], 3: [1, 8, 8, 8, 8, 8, 2]}
        noise[4] = [3] * 4 + [7] * 7 + [2]
        self.tune(
            "num_samples = 1\n[space]\nx = grid(0, 1, 2, 3, 4)\n[stop]\ntraining_iteration = 12\n",
            lambda config, at: (noise[config["x"]] * 12)[at - 1] + 0.01 * config["x"],
        )
        self.start_serving()
        for scope, join in SCOPES.items():
            losses = {
                t: join([(noise[t] * 12)[i] + 0.01 * t for i in range(12)]) for t in noise
            }
            with self.subTest(scope=scope):
                words = ["--sort", "loss:asc", "--scope", scope, "-o", "json"]
                rows = json.loads(self.run_node("trials", "results/x", *words).out)
                wanted = [int(x["trial"]) for x in rows]
                self.assertEqual(wanted, sorted(losses, key=losses.get))
                found = self.api("/x/trials", sort="metric:loss", scope=scope)["trials"]
                self.assertEqual([x["trial"] for x in found], wanted)
                down = self.api("/x/trials", sort="-metric:loss", scope=scope)["trials"]
                self.assertEqual([x["trial"] for x in down], wanted[::-1])
                bound = sorted(losses.values())[2] + 1e-9
                few = self.api("/x/trials", filter="metric:loss <= %r" % bound, scope=scope)
                self.assertEqual(few["total"], 3)
        usual = self.api("/x/trials", sort="metric:loss")["trials"]
        best = self.api("/x/trials", sort="best:loss")["trials"]
        self.assertEqual(usual, best)
        last = self.api("/x/trials", sort="last:loss")["trials"]
        self.assertEqual(last, self.api("/x/trials", sort="metric:loss", scope="last")["trials"])
        self.assertEqual(self.api("/x/trials", 400, scope="mean")["status"], 400)

    def test_choices_of_several_kinds_are_names(self):
        losses = {"none": 0.9, 3: 0.3, 6: 0.6, None: 0.1, True: 0.2}
        self.tune(
            "num_samples = 1\n[space]\ndepth = grid(none, 3, 6, null, true)\n"
            "n = grid(1, 2)\n[stop]\ntraining_iteration = 1\n",
            lambda config, at: losses[config["depth"]],
        )
        self.start_serving()
        told = self.api("/x/parallel")
        axis, number = told["axes"]
        self.assertEqual((axis["low"], axis["high"]), (None, None))
        self.assertEqual(axis["values"], ["none", 3, 6, "null", True])
        self.assertEqual((number["low"], number["high"], number["values"]), (1, 2, None))
        found = {x[2]: x[-1] for x in told["lines"]}
        self.assertEqual(found, {"none": 0.9, 3: 0.3, 6: 0.6, "null": 0.1, "true": 0.2})
        names = ["--sort", "depth", "-o", "json"]
        rows = [int(x["trial"]) for x in json.loads(self.run_node("trials", "results/x", *names).out)]
        sorted_here = [x["trial"] for x in self.api("/x/trials", sort="param:depth")["trials"]]
        self.assertEqual(sorted_here, rows)
        self.run_node("plot", "results/x", "slice", "--parameter", "depth", "-o", "s.svg")
        svg = (self.directory / "s.svg").read_text()
        self.assertEqual(svg.count("<circle"), 10)

    def test_names_that_no_trial_has_are_refused(self):
        self.tune(
            "num_samples = 1\n[space]\nx = grid(0, 1)\n[stop]\ntraining_iteration = 2\n",
            lambda config, at: config["x"] + at,
        )
        self.start_serving()
        for scope in ("best", "last", "avg"):
            for query in (
                {"sort": "metric:los"},
                {"sort": "-metric:los"},
                {"sort": "metric:loss", "filter": "metric:los < 3"},
            ):
                with self.subTest(scope=scope, **query):
                    fault = self.api("/x/trials", 400, scope=scope, **query)
                    said = "sort: " if "filter" not in query else "filter: "
                    said += "no trial has reported the metric 'los'; did you mean 'loss'?"
                    self.assertEqual(fault["detail"], said)
        fault = self.api("/x/trials", 400, filter="param:y = 1")
        self.assertEqual(fault["detail"], "filter: no trial has the parameter 'y'")
        for known in ("param:x", "best:loss", "last:loss", "metric:loss"):
            self.assertEqual(self.api("/x/trials", sort=known)["total"], 2)

    def test_names_are_not_refused_before_a_trial_could_have_them(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[space]\nx = grid(0, 1)\n"
        )
        child = self.start("ask-tell", ini, stdin=subprocess.PIPE)
        child.stdin.write('{"op":"ask"}\n')
        child.stdin.flush()
        self.assertIn("trial", child.stdout.readline())
        self.start_serving()
        for known in ("metric:gain", "last:gain", "param:x"):
            self.assertGreater(self.api("/x/trials", sort=known)["total"], 0)
        self.api("/x/trials", 400, sort="param:y")
        self.finish(child)

    def test_points_beside_grids_are_planned_alike_everywhere(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 3\n"
            '[search]\npoints = [{"a": 0}]\n[space]\na = grid(0, 1)\nx = uniform(0, 1)\n'
        )
        child = self.start("ask-tell", ini, stdin=subprocess.PIPE)
        child.stdin.write('{"op":"ask"}\n')
        child.stdin.flush()
        self.assertIn("trial", child.stdout.readline())
        self.finish(child, code=None)
        self.start_serving()
        # The point names its own value of `a`.
        self.assertEqual(self.api("/x")["planned"], 5)
        told = self.run_node("status", "results/x", "-o", "json", code=None).json()
        self.assertEqual(told["planned"], 5)

    def test_a_joined_order_follows_a_live_experiment(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[space]\nx = grid(0, 1)\n"
        )
        child = self.start("ask-tell", ini, stdin=subprocess.PIPE)

        def say(**fields):
            child.stdin.write(json.dumps(fields) + "\n")
            child.stdin.flush()
            return json.loads(child.stdout.readline())

        def report(trial, loss):
            say(op="report", trial=trial, metrics={"loss": loss})

        say(op="ask")
        say(op="ask")
        report("00000", 1)
        report("00001", 2)
        self.start_serving()

        def order():
            found = self.api("/x/trials", sort="metric:loss", scope="max")["trials"]
            return [x["trial"] for x in found]

        self.assertEqual(order(), [0, 1])
        report("00000", 3)
        self.assertEqual(order(), [1, 0])
        say(op="complete", trial="00000", metrics={"loss": 0})
        report("00001", 4)
        self.assertEqual(order(), [0, 1])
        say(op="complete", trial="00001")
        self.finish(child)

    def test_orders_at_rest_name_what_does_it_as_the_commands_do(self):
        ini = self.ini("[experiment]\nmetric = loss:min\nnum_samples = 2\n[space]\nx = grid(1, 2)\n"
                       "[trainable]\ncommand = sh -c 'echo loss={x}; exit $(( {x} == 2 ))'\n"
                       "metric.loss = loss={number}\n")
        self.run_node("run", ini)
        self.start_serving()

        def told(path, body=None):
            answer = self.ask("POST", "/api/v1/experiments/x" + path, json.dumps(body or {}))
            self.assertEqual(answer.status, 409, answer)
            return answer.json()["detail"]

        self.assertIn("num_samples N takes further samples", told("/stop"))
        self.assertIn("--mode errored_only", told("/trials/1/retry"))
        self.assertIn("has not failed", told("/trials/0/retry"))
        self.assertIn("--add '{\"x\":1}'", told("/trials", {"config": {"x": 1}}))
        answer = self.ask("POST", "/api/v1/experiments/x/trials/77/stop", "{}")
        self.assertEqual(answer.status, 404, answer)

    def test_time_passes_also_where_no_trial_says_a_word(self):
        ini = self.ini("[experiment]\nmetric = loss:min\nnum_samples = 1\n[space]\nx = 1\n"
                       "[trainable]\ncommand = sh -c 'echo loss=1; until [ -e {ini_dir}/go ]; do "
                       "sleep 0.05; done'\nmetric.loss = loss={number}\n")
        child = self.start("run", ini)
        self.start_serving()

        def listed():
            rows = self.run_node("list", "experiments", "-o", "json").json()
            return rows[0]["elapsed_s"] if rows else 0

        self.wait_until(lambda: self.get("/api/v1/experiments/x").status == 200, what="its record")
        for name, elapsed in (("api", lambda: self.api("/x")["elapsed_s"]), ("list", listed)):
            self.wait_until(lambda: elapsed() > 1, what="time by " + name)
        (self.directory / "go").touch()
        self.finish(child)

    def test_a_trial_that_never_ran_has_no_node(self):
        self.tune(
            "num_samples = 1\n[space]\nx = grid(0, 1)\n[stop]\ntraining_iteration = 1\n",
            lambda config, at: 1,
            most=1,
        )
        self.start_serving()
        nodes = {x["trial"]: x["node"] for x in self.api("/x/trials")["trials"]}
        self.assertEqual(nodes[0], "executor")
        self.assertTrue(all(x is None for t, x in nodes.items() if t != 0), nodes)


if __name__ == "__main__":
    main()
