# SPDX-License-Identifier: BSD-3-Clause
"""ask-tell: an external executor converses with the real program."""
import contextlib
import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
import unittest

from e2e import ROOT, TUNE_NODE, Case, Finished, clean_environment, main

FOUR = "x = grid(0, 1, 2, 3)"


class Talk:
    """A conversation with a running `tune-node ask-tell`."""

    def __init__(self, case, child):
        self.case, self.child = case, child

    def raw(self, line):
        """Sends a line as it is, and returns the answer, whatever it is."""
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            self.case.fail("no answer to %s: %s" % (line[:100], self.case.finish(self.child, None)))
        return json.loads(answer)

    def say(self, op, **fields):
        return self.raw(json.dumps({"op": op, **fields}))

    def report(self, trial, iteration, loss, **more):
        metrics = {"training_iteration": iteration, "loss": loss}
        return self.say("report", trial=trial, metrics=metrics, **more)

    def kill(self):
        """Kills the process, as if by surprise."""
        self.child.kill()
        self.child.communicate()

    def end(self, code=0):
        """Ends the input."""
        return self.case.finish(self.child, code)


class AskTell(Case):
    def bowl(self, space=FOUR, more=""):
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[space]\n%s\n%s\n" % (space, more)
        )

    def converse(self, *words, **how):
        return Talk(self, self.start("ask-tell", *words, stdin=subprocess.PIPE, **how))

    def check(self):
        """Checks the record, and that its rules would make the same decisions again."""
        self.run_node("fsck", "results/x", "--verify")

    def tune(self, talk):
        """A small executor: makes two reports for each trial that it is given, from where the
        trial stood."""
        seen = {}
        while True:
            given = talk.say("ask")
            if given["op"] == "none":
                self.assertEqual(given["reason"], "finished")
                return seen
            at = given["from"]["iteration"] if given["resume"] else 0
            seen[given["trial"]] = at
            for iteration in range(at + 1, 3):
                loss = given["config"]["x"] + 1 / iteration
                said = talk.report(
                    given["trial"], iteration, loss, checkpoint="mine-%d" % iteration
                )
                self.assertEqual(said["decision"], "continue")
            self.assertEqual(talk.say("complete", trial=given["trial"])["op"], "ok")

    def test_what_stands_in_trainable_counts_for_nothing(self):
        ini = self.bowl(more="[trainable]\ncommand = ./train {x}\nmetric.loss = loss: {number}\n"
                        "[scheduler]\ntype = pbt\n",
                        space="x = uniform(0, 1)")

        checked = self.run_node("config", "check", "--ask-tell", ini)
        told = self.converse(ini)

        self.assertEqual(told.say("ask")["op"], "trial")
        self.assertNotIn("warning", checked.err + told.end().err)

    def test_tunes_with_nothing_else_on_stdout(self):
        talk = self.converse(self.bowl())

        self.assertEqual(sorted(self.tune(talk)), ["00000", "00001", "00002", "00003"])
        best = talk.say("best")
        self.assertEqual((best["trial"], best["config"]), ("00000", {"x": 0}))
        ended = talk.end()

        self.assertEqual(ended.out, "")
        rows = self.rows("SELECT trial, status FROM trials ORDER BY trial")
        self.assertEqual([x["status"] for x in rows], ["TERMINATED"] * 4)
        results = self.rows("SELECT trial, training_iteration FROM results")
        self.assertEqual(len(results), 8)
        self.assertEqual(self.rows("SELECT status FROM experiment")[0]["status"], "done")
        self.check()
        self.assertIn('"loss"', self.trial_file(0, "result.jsonl").read_text())
        self.assertIn("00003", self.run_node("trials", "results/x").out)
        # A checkpoint kept by the executor is not a file, and has one name everywhere.
        listed = self.run_node("trials", "results/x", "-o", "json").json()
        self.assertEqual(listed[0]["checkpoint"], "executor:mine-2")
        best = self.run_node("status", "results/x", "-o", "json").json()["best"]
        self.assertEqual(best["checkpoint"], "executor:mine-2")

    def test_goes_on_after_kill_9_where_it_was(self):
        ini = self.bowl()
        talk = self.converse(ini)
        talk.say("ask")
        talk.say("ask")
        talk.report("00000", 1, 1.0, checkpoint="mine-1")
        talk.say("complete", trial="00001", metrics={"loss": 3})
        talk.kill()

        talk = self.converse(ini, "--resume")
        # The answer may have been lost, so the report is repeated.
        self.assertEqual(talk.report("00000", 1, 1.0)["decision"], "continue")
        self.assertEqual(talk.report("00000", 2, 0.5)["decision"], "continue")
        talk.kill()

        talk = self.converse(ini, "--resume")
        seen = self.tune(talk)
        talk.end()

        self.assertEqual(seen, {"00000": 1, "00002": 0, "00003": 0})
        doubled = self.rows(
            "SELECT trial FROM results GROUP BY trial, attempt, training_iteration"
            " HAVING count(*) > 1"
        )
        self.assertEqual(doubled, [])
        ends = self.rows("SELECT status FROM trials")
        self.assertEqual([x["status"] for x in ends], ["TERMINATED"] * 4)
        self.check()

    def test_every_answer_before_kill_9_was_true(self):
        ini = self.bowl("x = uniform(0, 1)", "[experiment]\nnum_samples = 12\n")
        told = []
        for turn in range(12):
            talk = self.converse(ini, *(["--resume"] if turn else []))
            given = talk.say("ask")
            if turn % 2:
                self.assertEqual(talk.report(given["trial"], turn, turn)["op"], "decision")
                told.append((given["trial"], turn))
            self.assertEqual(talk.say("complete", trial=given["trial"])["op"], "ok")
            talk.kill()

        results = self.rows("SELECT trial, training_iteration FROM results")
        self.assertEqual(
            [("%05d" % int(x["trial"]), x["training_iteration"]) for x in results], told
        )
        ends = self.rows("SELECT status FROM trials WHERE status = 'TERMINATED'")
        self.assertEqual(len(ends), 12)
        self.check()

    def test_bears_a_million_characters_of_nonsense(self):
        talk = self.converse(self.bowl())
        bad = ["x" * 1_000_000, "[" * 1_000_000, "y" * 5_000_000, '"' * 999, "", "null", "[1]"]
        for line in bad + ['{"op":"ask"', '{"op":"ask"} {"op":"ask"}', "\x00", "{}"]:
            with self.subTest(line[:20]):
                answer = talk.raw(line)
                self.assertEqual(answer["op"], "fault")
                self.assertLess(len(answer["error"]), 2000)

        self.assertEqual(talk.say("ask")["trial"], "00000")
        talk.end()

    def test_understands_what_python_writes_for_numbers_that_are_none(self):
        talk = self.converse(self.bowl())
        talk.say("ask")

        self.assertEqual(talk.report("00000", 1, float("nan"))["decision"], "continue")
        self.assertEqual(talk.report("00000", 2, float("-inf"))["decision"], "continue")

        self.assertEqual(talk.say("best")["metrics"], {"loss": "-inf"})
        talk.end()

    def test_a_file_is_checked_as_it_is_taken(self):
        ini = self.ini("[experiment]\nmetric = loss\n[space]\nx = uniform(0, 1)\n")
        wrong = self.ini("[experiment]\nmetric = loss\n[space]\nx = uniform(0)\n", "wrong.ini")
        for_run = self.ini("[experiment]\nmetric = loss\n[trainable]\ncommand = no-such-program\n"
                           "[space]\nx = uniform(0, 1)\n", "run.ini")

        told = self.run_node("config", "check", ini, code=3).err

        self.assertIn("only ask-tell does without it (config check --ask-tell)", told)
        self.assertIn("fine", self.run_node("config", "check", "--ask-tell", ini).out)
        self.assertEqual(self.run_node("config", "check", "--ask-tell", for_run).err, "")
        self.assertIn("x.ini", self.run_node("config", "explain", "--ask-tell", ini).out)
        self.run_node("config", "check", "--ask-tell", wrong, code=3)

    def test_asha_stops_trials_early(self):
        talk = self.converse(
            self.bowl(more="[scheduler]\ntype = asha\ngrace_period = 1\nmax_t = 9\n")
        )
        for _ in range(4):
            talk.say("ask")
        said = [talk.report("%05d" % x, 1, x) for x in range(4)]

        self.assertEqual(said[0]["decision"], "continue")
        self.assertEqual(said[3]["decision"], "stop")
        self.assertIn("cutoff", said[3]["reason"])
        reasons = self.rows("SELECT reason FROM decisions WHERE action = 'stop' AND trial = 3")
        self.assertIn(said[3]["reason"], reasons[0]["reason"])
        talk.end()
        self.check()

    # -- Ends.

    def test_end_of_input_leaves_all_resumable(self):
        ini = self.bowl()
        talk = self.converse(ini)
        talk.say("ask")
        talk.end()

        talk = self.converse(ini, "--resume")
        self.assertEqual(talk.say("ask")["attempt"], 2)
        talk.end()

    def test_signals_end_in_order(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(number):
                ini = self.ini(self.bowl().read_text(), "s%d.ini" % number)
                talk = self.converse(ini)
                talk.say("ask")
                talk.child.send_signal(number)
                self.assertEqual(talk.child.wait(60), code)

                talk = self.converse(ini, "--resume")
                self.assertEqual(talk.say("status")["counts"]["RUNNING"], 1)
                talk.end()

    def test_a_signal_ends_it_where_nobody_reads(self):
        for number, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                talk = self.converse(self.ini(self.bowl().read_text(), "u%d.ini" % number))
                stdin = talk.child.stdin.fileno()
                os.set_blocking(stdin, False)
                # Until the program stops reading: its answers fill one pipe, the requests the
                # other.
                while select.select([], [stdin], [], 1)[1]:
                    os.write(stdin, b'{"op":"status"}\n')
                talk.child.send_signal(number)

                self.assertEqual(talk.child.wait(60), code)

    def test_a_closed_stdout_ends_it(self):
        talk = self.converse(self.bowl())
        talk.say("ask")
        talk.child.stdout.close()
        talk.child.stdin.write('{"op":"status"}\n')
        talk.child.stdin.flush()

        self.assertEqual(talk.child.wait(60), 7)
        self.assertIn("could not be written to stdout", talk.child.stderr.read())

    def test_a_full_stdout_ends_it(self):
        with open("/dev/full", "w") as full:
            child = self.start(
                "ask-tell", self.bowl(), stdin=subprocess.PIPE, stdout=full
            )
            _, err = child.communicate('{"op":"ask"}\n', timeout=60)

        self.assertEqual(child.returncode, 7)
        self.assertIn("could not be written to stdout", err)

    def test_a_full_disk_gives_no_answer(self):
        disk = self.directory / "disk"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], capture_output=True
        ).returncode:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], check=True)
        talk = self.converse(self.bowl(), "--experiment.storage", disk)
        talk.say("ask")
        answers = 0
        with self.assertRaises((BrokenPipeError, EOFError)):
            for i in range(1, 100_000):
                metrics = {"training_iteration": i, "loss": 1, "text": "x" * 10_000}
                line = json.dumps({"op": "report", "trial": "00000", "metrics": metrics})
                talk.child.stdin.write(line + "\n")
                talk.child.stdin.flush()
                if not talk.child.stdout.readline():
                    raise EOFError
                answers = i

        self.assertEqual(talk.child.wait(60), 7)
        subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
        talk = self.converse(self.bowl(), "--experiment.storage", disk, "--resume")
        # Every answered request is recorded, or known when it is repeated.
        events = len(self.rows_at(disk / "x"))
        self.assertIn(events, (answers, answers + 1))
        self.assertEqual(talk.report("00000", answers, 1)["decision"], "continue")
        talk.end()

    @staticmethod
    def rows_at(directory):
        with contextlib.closing(
            sqlite3.connect("file:%s/experiment.db?mode=ro" % directory, uri=True)
        ) as db:
            return list(db.execute("SELECT training_iteration FROM results"))

    # -- Refusals.

    def test_a_bad_file_is_exit_3(self):
        ran = self.run_node("ask-tell", self.ini("[experiment]\nmetric = loss\nseeds = 1\n"), code=3)
        self.assertIn("seed", ran.err)
        self.assertEqual(ran.out, "")
        self.run_node("ask-tell", "nowhere.ini", code=3)
        self.run_node("ask-tell", code=2)

    def test_a_directory_with_an_experiment_is_exit_8(self):
        ini = self.bowl()
        self.converse(ini).end()

        ran = self.run_node("ask-tell", ini, code=8)

        self.assertIn("--resume", ran.err)

    def test_two_at_once_are_exit_8(self):
        ini = self.bowl()
        talk = self.converse(ini)
        talk.say("ask")

        refused = self.run_node("ask-tell", ini, "--resume", code=8)

        self.assertRegex(refused.err, "works on it: wait for its end$")
        talk.end()

    def test_what_ended_it_early_still_holds(self):
        ini = self.bowl("x = uniform(0, 1)", "[stop]\nall_when = loss < 5\n")
        talk = self.converse(ini)
        first = talk.say("ask")["trial"]
        self.assertEqual(talk.report(first, 1, 2)["decision"], "stop")
        talk.end()
        ended = self.rows("SELECT status, why FROM experiment")[0]
        self.assertEqual(ended["status"], "done")
        self.assertIn("ends the experiment: loss 2", ended["why"])

        talk = self.converse(ini, "--resume")
        self.assertEqual(talk.say("ask"), {"op": "none", "reason": "finished"})
        self.assertEqual(talk.say("best")["trial"], first)
        self.assertEqual(talk.say("add", config={"x": 0.5})["op"], "fault")
        talk.end()
        self.assertEqual(self.rows("SELECT status, why FROM experiment")[0], ended)
        self.check()

        talk = self.converse(ini, "--resume", "--experiment.num_samples", 9)
        self.assertEqual(talk.say("ask")["op"], "trial")
        talk.end()

    def test_the_step_after_a_limit_is_one_that_works(self):
        talk = self.converse(self.bowl("x = uniform(0, 1)", "[experiment]\ntime_limit = 1ms\n"))
        talk.say("ask")
        talk.say("status")
        talk.end()
        self.assertIn("  tune-node ask-tell FILE --resume --experiment.name x --experiment.storage %s"
                      " --experiment.time_limit 0  # " % (self.directory / "results"),
                      self.run_node("wait", "results/x", code=5).out)

    def test_a_pause_without_a_name_is_no_checkpoint(self):
        talk = self.converse(self.bowl("x = uniform(1, 2)", "[experiment]\nnum_samples = 2\n"
                                       "[scheduler]\ntype = pbt\nsynch = true\n"
                                       "time_attr = training_iteration\n"
                                       "perturbation_interval = 1\n"))
        first = talk.say("ask")["trial"]
        talk.say("ask")
        self.assertEqual(talk.report(first, 1, 2)["decision"], "pause")
        self.assertIsNone(talk.say("best")["checkpoint"])
        talk.end()

    def test_a_pause_without_a_name_is_nothing_to_clone(self):
        talk = self.converse(self.bowl("x = uniform(1, 2)", "[experiment]\nnum_samples = 4\n"
                                       "[scheduler]\ntype = pbt\nsynch = true\n"
                                       "time_attr = training_iteration\n"
                                       "perturbation_interval = 1\n"))
        trials = [talk.say("ask")["trial"] for _ in range(4)]
        for loss, trial in enumerate(trials):
            self.assertEqual(talk.report(trial, 1, loss)["decision"], "pause")
        for _ in trials:
            given = talk.say("ask")
            self.assertEqual(given["from"]["trial"], given["trial"])
        talk.end()
        self.check()

    def test_an_idle_search_names_the_words_of_the_conversation(self):
        err = self.directory / "err"
        with open(err, "w", encoding="utf-8") as to:
            talk = self.converse(self.bowl("x = 1", "[search]\ntype = none\n"), stderr=to)
            talk.say("ask")
            talk.end()
        self.assertIn('nothing runs: {"op":"add"} brings trials\n', err.read_text())

    def test_an_experiment_of_run_is_another(self):
        ini = self.experiment("tune report 1")
        self.run_node("run", ini)
        ran = self.run_node("ask-tell", ini, "--resume", code=8)
        self.assertIn("trainable", ran.err)

        other = self.ini(ini.read_text(), "y.ini")
        self.converse(other).end()
        ran = self.run_node("run", other, "--resume", code=8)
        self.assertIn("trainable", ran.err)


class Example(Case):
    EXECUTOR = ROOT / "examples" / "python" / "ask_tell.py"

    def tune(self, *words):
        ran = subprocess.run(
            [sys.executable, str(self.EXECUTOR), TUNE_NODE, *words],
            cwd=self.directory, env=clean_environment(), capture_output=True, text=True, timeout=120,
        )
        return Finished(ran.returncode, ran.stdout, ran.stderr)

    def test_finds_the_bottom_of_the_bowl(self):
        ran = self.tune()

        self.assertEqual(ran.code, 0, ran)
        best = json.loads(ran.out)
        self.assertLess(best["metrics"]["loss"], 0.01)
        rows = self.rows("SELECT status FROM trials", "ask_tell")
        self.assertEqual({x["status"] for x in rows}, {"TERMINATED"})
        stops = self.rows("SELECT * FROM decisions WHERE action = 'stop'", "ask_tell")
        self.assertGreater(len(stops), 0)

    def test_refuses_what_is_there_and_goes_on_when_told(self):
        self.tune()
        self.assertNotEqual(self.tune().code, 0)
        self.assertEqual(self.tune("--resume").code, 0)


if __name__ == "__main__":
    main()
