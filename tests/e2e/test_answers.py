# SPDX-License-Identifier: BSD-3-Clause
"""Answers that must agree: the best metrics and their checkpoint, the number of trials, and the
possible next steps of a finished experiment."""
import json
import shlex
import subprocess
import sys
from pathlib import Path

from e2e import Case, main

HERE = Path(__file__).resolve().parent
RISES_AND_FALLS = ".1 .5 .9 .8 .7 .6 .5 .4 .3 .2"


class Answers(Case):
    def curve(self, words=RISES_AND_FALLS, more="", samples=1, space="x = uniform(0, 1)", args=""):
        return self.ini(
            "[experiment]\nmetric = acc\nnum_samples = %d\n"
            "[trainable]\ncommand = %s %s %s\n%s\n[space]\n%s\n%s\n"
            % (samples, sys.executable, HERE / "curve_trial.py", words, args, space, more)
        )

    def run_json(self, *words, code=0):
        return self.run_node(*words, "-o", "json", code=code).json()

    def assert_saved(self, path, accuracy):
        self.assertEqual(Path(path, "accuracy").read_text(), str(accuracy))


class Best(Answers):
    def test_the_best_metrics_go_with_their_own_checkpoint(self):
        ini = self.curve(more="[checkpoint]\nfrequency = 1\nscore_attribute = acc\n")

        best = self.run_json("run", ini)["best"]

        self.assertEqual(best["metrics"], {"acc": 0.9})
        self.assertEqual(best["iteration"], 3)
        self.assertEqual(best["checkpoint_iteration"], 3)
        self.assertEqual(best["checkpoint_metrics"], {"acc": 0.9})
        self.assertEqual(best["status"], "TERMINATED")
        self.assert_saved(best["checkpoint"], 0.9)
        # The same again, from the record.
        for words in (["resume", self.directory / "results" / "x"],
                      ["status", self.directory / "results" / "x"]):
            self.assertEqual(self.run_json(*words)["best"], best)
        story = self.run_json("trials", self.directory / "results" / "x", "--why", "0")
        self.assertEqual(story["best_checkpoint"]["iteration"], 3)
        self.assertEqual(story["best_checkpoint"]["metrics"], {"acc": 0.9})

    def test_lists_name_the_same_checkpoint_as_the_best(self):
        # Checkpoints are of iterations 4 and 8; the best report, of iteration 3, has none.
        ini = self.curve(more="[checkpoint]\nfrequency = 4\n")

        best = self.run_json("run", ini)["best"]

        where = self.directory / "results" / "x"
        self.assertEqual((best["iteration"], best["checkpoint_iteration"]), (3, 4))
        self.assertEqual(self.run_json("trials", where)[0]["checkpoint"], best["checkpoint"])
        shown = self.run_node("trials", where, "--columns", "checkpoint").out
        self.assertIn(best["checkpoint"], shown)

    def test_the_checkpoint_of_the_best_is_kept_beside_the_newest(self):
        ini = self.curve(more="[checkpoint]\nfrequency = 1\nkeep = 1\n")

        best = self.run_json("run", ini)["best"]

        self.assert_saved(best["checkpoint"], 0.9)
        kept = self.rows(
            "SELECT training_iteration AS iteration FROM checkpoints WHERE state = 'good'"
            " ORDER BY seq"
        )
        self.assertEqual([row["iteration"] for row in kept], [3, 10])

    def test_another_checkpoint_says_of_which_report_it_is(self):
        ini = self.curve(more="[checkpoint]\nfrequency = 4\n")

        ran = self.run_node("run", ini)

        self.assertIn("acc = 0.9", ran.out)
        self.assertIn("    of iteration 4, acc = 0.8: the best report has none\n", ran.out)
        best = self.run_json("status", self.directory / "results" / "x")["best"]
        self.assertEqual(best["iteration"], 3)
        self.assertEqual(best["checkpoint_iteration"], 4)
        self.assert_saved(best["checkpoint"], 0.8)

    def test_a_best_trial_that_failed_says_so(self):
        ini = self.curve(words=".1 .5 fail", more="[checkpoint]\nfrequency = 1\n")

        ran = self.run_node("run", ini, code=5)

        self.assertIn("best: trial 00000 (which failed later) at iteration 2", ran.out)
        best = self.run_json("status", self.directory / "results" / "x")["best"]
        self.assertEqual(best["status"], "ERRORED")
        self.assert_saved(best["checkpoint"], 0.5)
        self.run_node("report", self.directory / "results" / "x", "-o", "x.html")
        report = (self.directory / "x.html").read_text()
        self.assertIn("Trial 00000 (which failed later) has the best acc: 0.5", report)
        self.assertIn("The checkpoint kept for it is trials/00000/", report)


class Completion(Answers):
    def test_a_complete_trial_is_saved_where_a_checkpoint_is_due(self):
        for name, more in (
            ("stop", "[stop]\ntraining_iteration = 4\n"),
            ("asha", "[scheduler]\ntype = asha\nmax_t = 4\ngrace_period = 4\n"),
        ):
            with self.subTest(name):
                ini = self.curve(words=".1 .2 .3 .4 .5 .6", more="[checkpoint]\nfrequency = 2\n" + more)

                best = self.run_json("run", ini, "--experiment.name", name)["best"]

                self.assertEqual((best["iteration"], best["checkpoint_iteration"]), (4, 4))
                self.assert_saved(best["checkpoint"], 0.4)

    def test_reaching_max_t_is_completion(self):
        ini = self.curve(
            words=RISES_AND_FALLS, args="export = model",
            more="[scheduler]\ntype = asha\nmax_t = 5\ngrace_period = 1\n"
                 "[checkpoint]\nat_end = true\n",
        )

        ran = self.run_node("run", ini, "-o", "json")

        self.assertEqual(self.rows("SELECT reason FROM trials")[0]["reason"], "reached max_t")
        kept = self.rows(
            "SELECT training_iteration AS iteration FROM checkpoints WHERE state = 'good'"
        )
        self.assertEqual([row["iteration"] for row in kept], [5])
        self.assertEqual(len(self.rows("SELECT * FROM exports")), 1)
        self.assertEqual(ran.json()["exports"],
                         {"made": 0, "failed": 1,
                          "why": "model: ValueError: no model today"})

    def test_the_summary_says_that_all_exports_failed(self):
        ini = self.curve(args="export = model, onnx")

        ran = self.run_node("run", ini)

        self.assertIn("  exports: all 2 failed: model: ValueError: no model today\n", ran.out)
        shown = self.run_node("status", self.directory / "results" / "x")
        self.assertIn("  exports: all 2 failed", shown.out)


class Samples(Answers):
    def where(self):
        return self.directory / "results" / "x"

    def statuses(self):
        rows = self.rows("SELECT status, reason FROM trials ORDER BY trial")
        return [(row["status"], row["reason"]) for row in rows]

    def test_fewer_samples_withdraw_what_has_not_begun(self):
        ini = self.curve(words=".1", samples=12, more="[search]\ntype = random\n")
        # The first report exceeds the limit; all configurations have been drawn by then.
        self.run_node("run", ini, "--experiment.training_limit", "0.000001",
                      "--experiment.max_concurrent_trials", "1")
        begun = len(self.rows("SELECT DISTINCT trial FROM attempts"))
        self.assertLess(begun, 5)

        resumed = self.run_node("resume", self.where(), "--experiment.num_samples", "5",
                                "--experiment.training_limit", "0", "-o", "json")

        reasons = [reason for _, reason in self.statuses()]
        self.assertEqual(sum("withdrawn before it began" in x for x in reasons), 7)
        ran = self.rows("SELECT DISTINCT trial FROM results")
        self.assertEqual(len(ran), 5)
        self.assertIn("that had not begun are withdrawn", resumed.err)
        # Withdrawn trials are counted separately everywhere.
        counts = resumed.json()["counts"]
        self.assertEqual((counts["TERMINATED"], counts["WITHDRAWN"]), (5, 7))
        status = self.run_node("status", self.where())
        self.assertIn("5 trials: 5 terminated; 7 more were withdrawn before they began", status.out)
        self.assertIn("\n  5 terminated:\n", status.out)
        self.assertNotIn("withdrawn before it began", status.out)
        counts = self.run_node("status", self.where(), "-o", "json").json()["counts"]
        self.assertEqual((counts["TERMINATED"], counts["WITHDRAWN"]), (5, 7))
        listed = self.run_node("list", "experiments", "results", "-o", "json").json()[0]
        self.assertEqual((listed["trials"], listed["terminated"], listed["withdrawn"]), (5, 5, 7))
        # More samples again: the withdrawn trials come first, and no new ones.
        self.run_node("resume", self.where(), "--experiment.num_samples", "7")
        self.assertEqual(len(self.rows("SELECT DISTINCT trial FROM results")), 7)
        self.assertEqual(len(self.statuses()), 12)
        self.run_node("fsck", self.where(), "--verify")

    def test_an_experiment_that_is_done_takes_further_samples(self):
        self.run_node("run", self.curve(words=".1", samples=2))

        told = self.run_json("resume", self.where(), "--experiment.num_samples", "4")

        self.assertEqual(told["counts"]["TERMINATED"], 4)

    def test_an_experiment_that_is_done_takes_further_points_as_it_says(self):
        self.run_node("run", self.curve(words=".1", samples=1))

        refused = self.run_node("add", self.where(), "x=0.25", code=6)

        command = refused.err.split("; ")[-1].split(" adds this")[0]
        self.assertTrue(command.startswith("tune-node resume "), refused)
        ran = self.run_node(*shlex.split(command)[1:], "-o", "json")
        self.assertEqual(ran.json()["counts"]["TERMINATED"], 2)
        last = self.rows("SELECT config, origin FROM trials ORDER BY trial")[-1]
        self.assertEqual(json.loads(last["config"]), {"x": 0.25})
        self.assertEqual(last["origin"], "client")

    def test_what_is_done_cannot_be_stopped_and_says_so(self):
        self.run_node("run", self.curve(words=".1", samples=1))

        refused = self.run_node("stop", self.where(), code=6)

        self.assertIn("this experiment is done: nothing of it is left to stop", refused.err)

    def test_a_point_outside_the_space_is_refused(self):
        self.run_node("run", self.curve(words=".1", samples=1))

        refused = self.run_node("resume", self.where(), "--add", '{"x": 7}', code=3)

        self.assertIn("--add: ", refused.err)
        self.assertEqual(len(self.statuses()), 1)


class AtRest(Answers):
    def converse(self, requests, more=""):
        """Holds a conversation of these requests, which then ends."""
        ini = self.ini("[experiment]\nmetric = loss\nmode = min\nnum_samples = 2\n%s[space]\nx = 1\n"
                       % more)
        words = self.ini(requests, "words")
        with words.open() as requests:
            self.run_node("ask-tell", ini, stdin=requests)
        return self.directory / "results" / "x"

    def refused(self, *words, code=6):
        return self.run_node(*words, code=code).err

    def refused_talk(self, *words, code=6):
        """What is said of a conversation, without the name and the storage in the line that goes on
        with it, which are there."""
        told = self.refused(*words, code=code)
        where = " --experiment.name x --experiment.storage %s" % (self.directory / "results")
        if "ask-tell FILE --resume" in told:
            self.assertIn("ask-tell FILE --resume" + where, told)
        return told.replace(where, "")

    def test_commands_name_the_conversation_that_goes_on_with_it(self):
        where = self.converse('{"op":"ask"}\n')
        again = "no executor asks for its trials now (ask-tell); tune-node ask-tell FILE --resume"

        for words, line in (
                (("stop",), "goes on with it\n"),
                (("pause",), "goes on with it\n"),
                (("stop", "0"), '{"op":"stop","trial":"00000"} stops trial 00000'),
                (("add", "x=1"), '{"op":"add","config":{"x":1}} adds this configuration'),
                (("retry", "0"), '{"op":"ask"} gives trial 00000 out again'),
        ):
            told = self.refused_talk(words[0], where, *words[1:])
            self.assertIn(again, told)
            self.assertIn(line, told)
            self.assertNotIn("tune-node resume", told)
        self.assertIn("(ask-tell): tune-node ask-tell FILE --resume goes on with it",
                      self.refused_talk("resume", where, code=8))

    def test_commands_name_no_command_that_cannot_run_what_is_done(self):
        where = self.converse("".join(
            '{"op":"ask"}\n{"op":"complete","trial":"%05d","metrics":{"loss":1}}\n' % i
            for i in range(2)) + '{"op":"ask"}\n')

        self.assertIn("nothing of it is left to stop; tune-node ask-tell FILE --resume "
                      "--experiment.num_samples N takes", self.refused_talk("stop", where))
        self.assertIn("trial 00001 has ended: nothing of it is left to stop\n",
                      self.refused_talk("stop", where, "1"))
        told = self.refused_talk("retry", where, "1")
        self.assertIn('{"op":"add","config":{"x":1}} runs the configuration of trial 00001 again',
                      told)
        self.assertNotIn("rerun", told)
        # It is over, and takes nothing, until it is to have further samples.
        more = "tune-node ask-tell FILE --resume --experiment.num_samples N goes on with further"
        self.assertIn(more, told)
        self.assertIn(more, self.refused_talk("add", where, "x=1"))
        self.assertIn("this experiment is done; " + more,
                      self.refused_talk("resume", where, code=8))
        with self.ini('{"op":"add","config":{"x":1}}\n', "more").open() as requests:
            talk = self.run_node("ask-tell", self.directory / "x.ini", "--resume",
                                 "--experiment.num_samples", "3", stdin=requests)
        self.assertIn('"attempt":0,"config":{"x":1}', talk.out)

    def test_commands_lift_the_limit_of_time_that_ended_a_conversation(self):
        where = self.converse('{"op":"ask"}\n{"op":"report","trial":"00000","metrics":{"loss":1}}\n',
                              "time_limit = 1ms\n")
        lifted = ("its limit of time has ended it; tune-node ask-tell FILE --resume "
                  "--experiment.time_limit 0 goes on with it")

        for words in (("add", where, "x=1"), ("retry", where, "0"), ("stop", where)):
            self.assertIn(lifted, self.refused_talk(*words))

    def test_run_names_the_conversation_that_is_in_its_way(self):
        self.converse('{"op":"ask"}\n')
        ini = self.ini("[experiment]\nmetric = loss\n[trainable]\ncommand = echo {x}\n"
                       "metric.loss = {number}\n[space]\nx = 1\n", "y.ini")

        told = self.refused("run", ini, "--experiment.name", "x", code=8)

        self.assertIn("tune-node ask-tell FILE --resume --experiment.name x --experiment.storage ",
                      told)
        self.assertNotIn("tune-node resume", told)

    def test_what_ended_a_search_is_named_where_more_samples_are_advised(self):
        ini = self.ini("[experiment]\nmetric = loss\nmode = min\nnum_samples = 10\n[trainable]\n"
                       "command = echo {x}\nmetric.loss = {number}\n[space]\nx = choice(1, 2, 3)\n"
                       "[search]\ntype = gp\n")
        self.run_node("run", ini)

        for words, code in ((("resume", "results/x"), 0), (("stop", "results/x"), 6)):
            self.assertIn("takes further samples, unless what ended it still holds (all"
                          " configurations of the space were tried)",
                          self.run_node(*words, code=code).err)

    def test_commands_say_whose_requests_count_while_a_conversation_goes_on(self):
        ini = self.ini("[experiment]\nmetric = loss\nmode = min\n[space]\nx = 1\n")
        child = self.start("ask-tell", ini, stdin=subprocess.PIPE)
        child.stdin.write('{"op":"ask"}\n')
        child.stdin.flush()
        child.stdout.readline()
        where = self.directory / "results" / "x"

        self.assertIn('an executor leads it (ask-tell), whose own requests alone count: '
                      '{"op":"add","config":{"x":1}} adds this configuration',
                      self.refused("add", where, "x=1"))
        self.assertIn("head: an executor's conversation", self.run_node("status", where).out)

        self.finish(child)

    def test_an_ended_conversation_is_at_rest(self):
        where = self.converse('{"op":"ask"}\n')

        shown = self.run_node("status", where)

        self.assertIn("x: at rest after", shown.out)
        self.assertIn("tune-node ask-tell FILE --resume --experiment.name x --experiment.storage %s"
                      " goes on" % where.parent, shown.out)
        self.assertNotIn("head is gone", shown.out)
        self.assertEqual(self.run_json("status", where)["status"], "at_rest")
        listed = self.run_json("list", "experiments", where.parent)
        self.assertEqual([x["status"] for x in listed], ["at_rest"])
        compared = self.run_json("compare", where, where)
        self.assertEqual([x["status"] for x in compared["experiments"]], ["at_rest", "at_rest"])


if __name__ == "__main__":
    main()
