# SPDX-License-Identifier: BSD-3-Clause
"""Learning from earlier experiments, and results that are known beforehand."""
import json
import subprocess

from e2e import Case, main
from test_ask_tell import Talk

SPACE = "kind = choice(a, b)\nx = uniform(-1, 1)\nn = randint(1, 9) if kind == b\n"
LEARNERS = ("auto", "gp", "tpe")


def loss(config):
    return (config["x"] - 0.3) ** 2 + 0.02 * (config.get("n", 3) - 7) ** 2


class Warm(Case):
    def job(self, name, search="", space=SPACE, samples=20, metric="metric = loss\nmode = min\n"):
        return self.ini(
            "[experiment]\nname = %s\nstorage = results\n%snum_samples = %d\n"
            "[space]\n%s\n[search]\nmax_wait = 0\n%s\n" % (name, metric, samples, space, search),
            name + ".ini",
        )

    def converse(self, *words):
        return Talk(self, self.start("ask-tell", *words, stdin=subprocess.PIPE))

    def tell(self, talk, given, score=loss, metric="loss"):
        self.assertEqual(given["op"], "trial", given)
        metrics = {"training_iteration": 1, metric: score(given["config"])}
        talk.say("report", trial=given["trial"], metrics=metrics)
        self.assertEqual(talk.say("complete", trial=given["trial"])["op"], "ok")
        return given["config"]

    def whole(self, ini, **how):
        talk = self.converse(ini)
        told = []
        while (given := talk.say("ask"))["op"] == "trial":
            told.append(self.tell(talk, given, **how))
        self.assertEqual(given["reason"], "finished")
        talk.end()
        return told

    def origins(self, name):
        return [x["origin"] for x in self.rows("SELECT origin FROM trials ORDER BY trial", name)]

    def learnt(self, name):
        spec = json.loads(self.rows("SELECT spec FROM experiment", name)[0]["spec"])
        return spec["found_earlier"]

    def refused(self, ini, *said):
        """Checks that the fault is reported before anything runs."""
        ran = self.run_node("ask-tell", ini, code=3)
        for text in said:
            self.assertIn(text, ran.err)


class LearningFrom(Warm):
    def setUp(self):
        super().setUp()
        self.whole(self.job("first", "type = auto"))

    def test_goes_on_after_kill_9_without_the_first_experiment_as_it_would_have(self):
        for searcher in LEARNERS:
            with self.subTest(searcher):
                search = "type = %s\nlearn_from = results/first\n" % searcher
                wanted = self.whole(self.job("whole-" + searcher, search))
                name = "broken-" + searcher
                ini = self.job(name, search)
                first = self.directory / "results" / "first"
                told = []
                while len(told) < len(wanted):
                    talk = self.converse(ini, *(["--resume"] if told else []))
                    for _ in range(min(6, len(wanted) - len(told))):
                        told.append(self.tell(talk, talk.say("ask")))
                    talk.kill()
                    if first.exists():
                        first.rename(self.directory / "away")
                (self.directory / "away").rename(first)

                self.assertEqual(told, wanted)
                self.run_node("fsck", "results/" + name, "--verify")
                origins = self.origins(name)
                best = self.rows(
                    "SELECT trial FROM trials ORDER BY json_extract(metrics, '$.loss') LIMIT 1", "first"
                )[0]["trial"]
                self.assertEqual(origins[0], "earlier 1: results/first, trial %05d" % int(best))
                self.assertEqual(sum(x.startswith("earlier 1: ") for x in origins), 2)

    def test_does_not_notice_that_the_first_experiment_grows(self):
        ini = self.job("second", "type = gp\nlearn_from = results/first/experiment.db")
        talk = self.converse(ini)
        for _ in range(10):
            self.tell(talk, talk.say("ask"))
        talk.kill()
        before = self.learnt("second")
        grown = self.converse(
            self.directory / "first.ini", "--resume", "--experiment.num_samples", "24"
        )
        while (given := grown.say("ask"))["op"] == "trial":
            self.tell(grown, given)
        grown.end()
        talk = self.converse(ini, "--resume")
        for _ in range(10):
            self.tell(talk, talk.say("ask"))
        talk.end()

        self.assertEqual(self.learnt("second"), before)
        self.assertEqual(len(before[0]["trials"]), 20)
        self.run_node("fsck", "results/second", "--verify")

    def test_learns_by_its_own_metric_and_direction(self):
        def accuracy(config):
            return 100 - loss(config)

        self.whole(
            self.job(
                "second", "type = gp\nlearn_from = results/first",
                metric="metric = loss\nmode = max\n",
            ),
        )
        lowest = min(x["value"] for x in self.learnt("second")[0]["trials"])
        # The largest loss is now the best.
        self.assertGreaterEqual(lowest, 0)
        self.refused(
            self.job(
                "third", "type = gp\nlearn_from = results/first", metric="metric = accuracy\n"
            ),
            "[search] learn_from = results/first: ",
            "no trial there that ended has reported a number for accuracy",
        )
        self.whole(
            self.job("fourth", "type = random", metric="metric = accuracy\n", samples=6),
            score=accuracy, metric="accuracy",
        )
        told = self.whole(
            self.job("fifth", "type = tpe\nlearn_from = results/fourth", metric="metric = accuracy\n"),
            score=accuracy, metric="accuracy",
        )
        best = self.rows(
            "SELECT config FROM trials ORDER BY json_extract(metrics, '$.accuracy') DESC LIMIT 1",
            "fourth",
        )
        self.assertEqual(told[0], json.loads(best[0]["config"]))

    def test_says_what_lies_outside_and_takes_the_rest(self):
        ini = self.job(
            "second", "type = gp\nlearn_from = results/first",
            space="kind = choice(a, b)\nx = uniform(-1, 0.5)\nm = uniform(0, 1)\n",
        )
        inside = [
            x["trial"] for x in self.rows(
                "SELECT trial, json_extract(config, '$.x') x FROM trials", "first"
            ) if x["x"] <= 0.5
        ]
        talk = self.converse(ini)
        self.tell(talk, talk.say("ask"))
        ended = talk.end()

        self.assertIn(
            "%d configurations of results/first are left out: they lie outside of [space]"
            % (20 - len(inside)), ended.err,
        )
        trials = self.learnt("second")[0]["trials"]
        self.assertEqual(len(trials), len(inside))
        self.assertTrue(all(set(x["config"]) == {"kind", "x"} for x in trials))

    def test_learns_from_several_and_counts_them(self):
        self.whole(self.job("other", "type = random", samples=8))
        self.whole(self.job("second", "type = auto\nlearn_from = results/first results/other"))
        origins = self.origins("second")
        self.assertTrue(origins[0].startswith("earlier 1: results/first, trial "), origins)
        self.assertTrue(origins[1].startswith("earlier 2: results/other, trial "), origins)

    def test_refuses_what_it_cannot_learn_from(self):
        def job(search, **how):
            return self.job("second", search, **how)

        self.refused(
            job("type = gp\nlearn_from = nowhere"), "[search] learn_from = nowhere: "
        )
        text = self.directory / "notes"
        text.mkdir()
        (text / "experiment.db").write_text("this is no database")
        self.refused(
            job("type = gp\nlearn_from = notes/experiment.db"), "learn_from = notes/experiment.db: "
        )
        (text / "experiment.db").unlink()
        self.refused(
            job("type = gp\nlearn_from = results/first", space="z = uniform(0, 1)\n"),
            "learn_from = results/first: none of the parameters that vary in [space] is known there",
        )
        self.refused(
            job("type = gp\nlearn_from = results/first", space="x = uniform(7, 8)\n"),
            "learn_from = results/first: all of its trials lie outside of [space]",
        )
        self.refused(
            job("type = cma_es\nlearn_from = results/first"),
            "learn_from: cma_es learns nothing from earlier experiments; these do: auto, gp, tpe",
        )
        self.refused(
            job("type = gp\nlearn_from = results/first", metric="metric = loss:min, cost:min\n"),
            "where there is 1 objective, not 2",
        )
        self.refused(
            job("type = gp\nlearn_from = " + "a " * 17), "at most 16 experiments, not 17"
        )
        self.assertFalse((self.directory / "results" / "second").exists())


class Stopped(Warm):
    def test_stopped_trials_count_what_they_would_have_come_to(self):
        """Courses fall by ten at each report, and some are stopped before the last one."""
        ini = self.ini(
            "[experiment]\nname = first\nstorage = results\nmetric = loss\nmode = min\n"
            "num_samples = 24\n[space]\nx = uniform(0, 1)\n[search]\ntype = random\n"
            "[scheduler]\ntype = asha\nmax_t = 4\nreduction_factor = 2\n",
            "first.ini",
        )
        talk = self.converse(ini)
        lengths = {}
        while (given := talk.say("ask"))["op"] == "trial":
            x = given["config"]["x"]
            for iteration in (1, 2, 3, 4):
                said = talk.report(given["trial"], iteration, 100 + 10 * x - 10 * iteration)
                lengths[given["trial"]] = iteration
                if said["decision"] != "continue":
                    break
            else:
                talk.say("complete", trial=given["trial"])
        talk.end()
        stopped = [t for t, n in lengths.items() if n < 4]
        self.assertTrue(stopped and len(stopped) < 24, lengths)
        talk = self.converse(self.ini(
            "[experiment]\nname = second\nstorage = results\nmetric = loss\nmode = min\n"
            "num_samples = 3\n[space]\nx = uniform(0, 1)\n"
            "[search]\ntype = gp\nlearn_from = results/first\n",
            "second.ini",
        ))
        self.tell(talk, talk.say("ask"))
        talk.end()

        trials = self.learnt("second")[0]["trials"]
        self.assertEqual(len(trials), 24)
        for each in trials:
            final = -(60 + 10 * each["config"]["x"])
            self.assertAlmostEqual(each["value"], final, delta=8)


class Known(Warm):
    def test_known_results_are_learnt_from_and_not_run(self):
        known = [
            {"config": {"x": x}, "metrics": {"loss": abs(x - 4)}} for x in range(8) if x not in (3, 6)
        ]
        ini = self.job(
            "x", "type = gp\nstartup = 1\nknown = " + json.dumps(known), space="x = randint(0, 8)",
            samples=0,
        )
        told = self.whole(ini, score=lambda config: abs(config["x"] - 4))
        # Nothing else is left to try, and the neighbour of the best comes first.
        self.assertEqual([x["x"] for x in told], [3, 6])
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 2)
        self.run_node("fsck", "results/x", "--verify")

    def test_goes_on_after_kill_9_as_it_would_have(self):
        known = [
            {"config": {"kind": "a", "x": x / 5}, "metrics": {"loss": loss({"x": x / 5})}}
            for x in range(-5, 6)
        ]
        search = "type = auto\nknown = " + json.dumps(known)
        wanted = self.whole(self.job("whole", search, samples=10))
        ini = self.job("broken", search, samples=10)
        told = []
        while len(told) < len(wanted):
            talk = self.converse(ini, *(["--resume"] if told else []))
            for _ in range(min(3, len(wanted) - len(told))):
                told.append(self.tell(talk, talk.say("ask")))
            talk.kill()
        self.assertEqual(told, wanted)
        self.run_node("fsck", "results/broken", "--verify")

    def test_refuses_results_that_say_nothing(self):
        def refused(entry, *said, kind="gp"):
            self.refused(self.job("x", "type = %s\nknown = [%s]" % (kind, entry)), *said)

        whole = '"config": {"kind": "a", "x": 0.5}'
        refused("{%s}" % whole, "must be a JSON list of objects with")
        refused('{%s, "metrics": {"loss": 1}, "cost": 2}' % whole, "must be a JSON list of objects")
        refused('{%s, "metrics": {"cost": 1}}' % whole, "known: number 1: its metrics have no finite")
        refused('{"config": {"x": 0.5}, "metrics": {"loss": 1}}', 'number 1: "kind": is missing')
        refused('{"config": {"kind": "a", "x": 5}, "metrics": {"loss": 1}}', 'known: number 1: "x"')
        refused(
            '{%s, "metrics": {"loss": 1, "training_iteration": 0}}' % whole, "training_iteration must be"
        )
        refused(
            '{%s, "metrics": {"loss": 1}}' % whole, "known: random learns from no results", kind="random"
        )


if __name__ == "__main__":
    main()
