# SPDX-License-Identifier: BSD-3-Clause
"""Every line that the program prints as a next step works in a shell as it stands."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

from e2e import DEADLINE, TUNE_NODE, Case, CertifiedCase, clean_environment, main


def steps_in(text):
    """The commands below `next:`, by purpose."""
    lines = text.partition("\nnext:\n")[2].splitlines()
    return {x.split("  # ")[1]: x.split("  # ")[0].strip() for x in lines if "  # " in x}


def advice_in(text):
    """The command that follows the word `by` in a message."""
    found = re.search(r"by (tune-node .*?)(?:, or begin|; |$)", text, re.M)
    return found.group(1) if found else None


class Shell:
    """Runs lines like a user who pastes them."""

    def pasted(self, line, code=0, **how):
        environment = clean_environment(
            PATH="%s:%s" % (Path(TUNE_NODE).parent, os.environ["PATH"])
        )
        how.setdefault("cwd", self.directory)
        ran = subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, timeout=DEADLINE,
            stdin=subprocess.DEVNULL, env=environment, **how
        )
        self.assertEqual(ran.returncode, code, "%s\n%s%s" % (line, ran.stdout, ran.stderr))
        return ran


class Here(Shell, Case):
    def waiting(self, samples=2):
        """A configuration whose trials wait for a file. Returns it and the file."""
        flag = self.directory / "may go on"
        script = self.directory / "wait.sh"
        script.write_text(
            '#!/bin/sh\n: > "%s"\nuntil [ -e "%s" ]; do sleep 0.05; done\necho loss=$1\n'
            % (self.directory / "began", flag)
        )
        script.chmod(0o755)
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n"
            "command = ./wait.sh {x}\nmetric.loss = loss=(\\S+)\n[space]\nx = uniform(0, 1)\n"
            % samples, "my job.ini"
        )
        return ini, flag

    def test_a_moved_directory_is_resumed_where_it_is(self):
        ini, flag = self.waiting()
        run = self.start(
            "run", ini, "--experiment.name", "x", "--experiment.max_concurrent_trials", 1)
        # A trial that has not entered its directory yet would fail.
        self.wait_until((self.directory / "began").exists, run, "the trial's program")
        (self.directory / "results/x").rename(self.directory / "results/y")
        flag.touch()

        ended = self.finish(run, 7)

        steps = steps_in(ended.out)
        self.assertIn("x: broken off after ", ended.out)
        self.assertIn("results/x, where it is no more", ended.out)
        self.assertNotIn("results/x  #", ended.out)
        on = [line for about, line in steps.items() if about.startswith("go on, if it was moved")]
        self.assertEqual(on, ["tune-node resume DIR"])
        self.pasted(on[0].replace("DIR", "results/y"))

    def left_off(self, ini, *words):
        run = self.start("run", ini, *words)
        where = self.directory / "all my results" / "other name"
        self.wait_until(lambda: (where / "trials" / "00000").is_dir(), run, "a trial")
        run.send_signal(signal.SIGINT)
        return where, self.finish(run, 130)

    def test_the_steps_after_an_interruption_go_on_with_this_experiment(self):
        ini, flag = self.waiting()
        words = ("--experiment.name", "other name", "--experiment.storage", "all my results",
                 "--experiment.num_samples", "3", "--space.x", "uniform(2, 3)")

        where, ran = self.left_off(ini, *words)
        steps = steps_in(ran.out)
        flag.touch()

        self.assertEqual(steps["go on"], "tune-node resume '%s'" % where)
        went_on = self.pasted(steps["go on"] + " -o json", cwd="/")
        self.assertIn('"TERMINATED":3', went_on.stdout)
        self.assertEqual(list(self.directory.glob("**/experiment.db")), [where / "experiment.db"])
        self.assertIn("00002", self.pasted(steps["all trials"]).stdout)
        if shutil.which("sqlite3"):
            self.assertIn("TERMINATED", self.pasted(steps["or by SQL"]).stdout)
        again = self.pasted(steps["once more, beside it"] + " -o json").stdout
        self.assertIn("my job", again)
        self.assertIn('"TERMINATED":3', again)
        self.assertRegex(again, r'"x":2\.')

    def test_the_step_after_a_limit_raises_it(self):
        ini, flag = self.waiting()
        ran = self.run_node("run", ini, "--experiment.time_limit", "1", code=5)
        flag.touch()

        step = steps_in(ran.out)["go on; 0 = no limit"]

        self.assertTrue(step.endswith(" --experiment.time_limit 0"), step)
        self.assertIn('"TERMINATED":2', self.pasted(step + " -o json").stdout)

    def test_a_failure_names_the_stream_that_it_quotes(self):
        words = "echo out of 1; echo err of 2 >&2; exit {x}"
        ini = self.ini("[experiment]\nmetric = loss\n[trainable]\ncommand = sh -c '%s'\n"
                       "metric.loss = loss=(\\S+)\n[space]\nx = grid(0, 1)\n" % words)
        ran = self.run_node("run", ini, "--experiment.max_concurrent_trials", "1", code=5)

        lines = re.findall("all of it: (tune-node logs .*)", ran.err)

        self.assertEqual([self.pasted(x).stdout for x in lines], ["out of 1\n", "err of 2\n"])

    def test_the_advice_of_a_taken_directory_works(self):
        ini, flag = self.waiting(1)
        words = ("--experiment.name", "other name", "--experiment.storage", "all my results")
        where, _ = self.left_off(ini, *words)
        flag.touch()

        refused = self.run_node("run", ini, *words, code=8)
        told = self.run_node("stop", where, code=6)

        self.assertEqual(advice_in(refused.err), "tune-node resume '%s'" % where)
        found = re.search(r"tune-node resume '[^']*'", told.err).group(0)
        self.assertIn("done after", self.pasted(found).stdout)
        self.pasted("%s" % advice_in(refused.err))

    def test_the_advice_where_the_experiment_runs_works(self):
        ini, flag = self.waiting(1)
        run = self.start("run", ini, "--experiment.name", "x y")
        self.wait_until(lambda: self.rows_if_any("SELECT * FROM attempts", "x y"), run)

        refused = self.run_node("run", ini, "--experiment.name", "x y", code=8)

        self.assertIn("holds an experiment that runs (pid %d " % run.pid, refused.err)
        self.assertIn("1 running", self.pasted(advice_in(refused.err)).stdout)
        flag.touch()
        self.finish(run)
        self.assertIn(
            "already: go on with it",
            self.run_node("run", ini, "--experiment.name", "x y", code=8).err,
        )

    def test_the_line_that_lets_a_paused_trial_go_on_works(self):
        ini, flag = self.waiting()
        where = self.directory / "all my results" / "other name"
        words = ("--experiment.name", where.name, "--experiment.storage", where.parent,
                 "--experiment.num_samples", 2, "--experiment.max_concurrent_trials", 1)
        run = self.start("run", ini, *words)
        self.wait_until(lambda: (where / "trials" / "00000").is_dir(), run, "a trial")
        self.run_node("pause", where, 1)
        flag.touch()

        def waits():
            told = self.run_node("status", where, "-o", "json", code=None).out
            return ((json.loads(told or "{}").get("head") or {}).get("waits_for")) or ""

        self.wait_until(lambda: "paused by a client (trial 00001)" in waits(), run, "the wait")
        self.assertIn("\n  nothing runs: ", self.run_node("status", where).out)
        lifts = "tune-node unpause '%s' 00001" % where
        why = self.run_node("trials", where, "--why", 1).out
        self.assertIn("  waits: paused by a client, until %s\n" % lifts, why)
        run.send_signal(signal.SIGINT)
        stopped = self.finish(run, 130).out

        for text in (stopped, self.run_node("status", where).out):
            self.assertIn("paused by a client: once resumed, trial 00001 waits until %s\n" % lifts, text)
        err = self.directory / "err"
        with open(err, "w", encoding="utf-8") as to:
            run = self.start("resume", where, "-q", stderr=to)
        self.wait_until(lambda: "warning" in err.read_text(), run, "the warning")
        self.assertIn("trial 00001 was paused by a client, and waits until %s\n" % lifts,
                      err.read_text())
        self.wait_until(waits, run, "the head's answer")
        self.pasted(lifts)
        self.assertNotIn("paused", self.finish(run).out)

    def test_the_line_that_lifts_a_pause_works_where_it_outlived_a_stop(self):
        ini, flag = self.waiting()
        where = self.directory / "all my results" / "other name"
        words = ("--experiment.name", where.name, "--experiment.storage", where.parent)
        run = self.start("run", ini, *words)
        self.wait_until(lambda: (where / "trials" / "00000").is_dir(), run, "a trial")
        self.run_node("pause", where)
        lifts = "tune-node unpause '%s'" % where
        self.assertIn("paused by a client: it starts no trial until %s\n" % lifts,
                      self.run_node("status", where).out)
        self.run_node("stop", where)
        stopped = self.finish(run, None).out
        flag.touch()

        for text in (stopped, self.run_node("status", where).out):
            self.assertIn("paused by a client: once resumed, it starts no trial until %s\n" % lifts,
                          text)
        err = self.directory / "err"
        with open(err, "w", encoding="utf-8") as to:
            run = self.start("resume", where, "-q", "--add", '{"x":0.5}', stderr=to)
        self.wait_until(lambda: "warning" in err.read_text(), run, "the warning")
        self.assertIn("the experiment was paused by a client, and starts no trial until " + lifts
                      + "\n", err.read_text())
        self.wait_until(
            lambda: json.loads(self.run_node("status", where, "-o", "json", code=None).out
                               or "{}").get("status") == "paused", run, "the head's answer")
        self.pasted(lifts)
        ended = self.finish(run)
        self.assertNotIn("paused it", ended.out)
        self.assertNotIn("paused it", self.run_node("status", where).out)

    def test_the_advice_of_a_directory_in_use_works(self):
        ini, flag = self.waiting(1)
        words = ("--experiment.name", "other name", "--experiment.storage", "all my results")
        run = self.start("run", ini, *words)
        where = self.directory / "all my results" / "other name"
        self.wait_until(lambda: (where / "trials" / "00000").is_dir(), run, "a trial")

        refused = self.run_node("resume", where, code=8)
        stop = re.search(r"by (tune-node stop .*)", refused.err).group(1)
        self.pasted(stop)
        flag.touch()

        self.assertIn("stopped on request", self.finish(run, None).out)

    # -- Programs of other names.

    def test_the_steps_name_the_program_as_it_was_called(self):
        (self.directory / "my tools").mkdir()
        called = "my tools/my_tune"
        (self.directory / called).symlink_to(TUNE_NODE)
        ini, flag = self.waiting(1)
        flag.touch()
        run = "'./%s' run '%s'" % (called, ini)

        steps = steps_in(self.pasted(run).stdout)
        again = self.pasted(run, 8).stderr
        done = self.pasted("'./%s' stop \"$PWD/results/my job\"" % called, 6).stderr
        wrong = self.pasted("'./%s' run" % called, 2).stderr

        for text in (*steps.values(), again, done, wrong):
            self.assertNotIn("tune-node", text)
        for text in (again, done, wrong):
            self.assertTrue(text.startswith("my_tune: "), text)
        self.assertIn("00000", self.pasted(steps["all trials"]).stdout)
        self.pasted(steps["once more, beside it"])
        resume = re.search("by ('./my tools/my_tune' resume .*?), or", again).group(1)
        said = self.pasted(resume).stderr
        more = re.search("'./my tools/my_tune' resume .* --experiment.num_samples N", said).group(0)
        self.assertIn(more, done)
        self.pasted(more.replace(" N", " 2"))
        see = re.search("see: (.*)", wrong).group(1)
        self.assertIn("my_tune run digits.ini", self.pasted(see).stdout)
        self.assertNotIn("tune-node", self.pasted("'./%s' completion bash" % called).stdout)

    # -- The files of the trials are where the INI file went.

    def moved(self, program="sh "):
        """An experiment that was interrupted, and whose INI file and script have been moved
        since."""
        place = self.directory / "here"
        place.mkdir()
        script = place / "trial.sh"
        script.write_text(
            '#!/bin/sh\necho loss=$1\nuntil [ -e "$2" ]; do sleep 0.05; done\n'
            '[ -s "$2" ] || rm -f "$2"\n')
        script.chmod(0o755)
        flag = self.directory / "may go on"
        (place / "my job.ini").write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 3\n[trainable]\n"
            "command = %s./trial.sh {x} '%s'\nmetric.loss = loss=(\\S+)\n[space]\n"
            "x = uniform(0, 1)\n[experiment]\nmax_concurrent_trials = 1\n" % (program, flag)
        )
        run = self.start("run", place / "my job.ini")
        where = self.directory / "results" / "my job"
        self.wait_until(lambda: (where / "trials" / "00000").is_dir(), run, "a trial")
        flag.touch()
        self.wait_until(lambda: not flag.exists(), run, "the end of a trial")
        self.wait_until(lambda: {"TERMINATED", "RUNNING"} <= set(self.statuses()), run, "the next")
        run.send_signal(signal.SIGINT)
        self.finish(run, 130)
        flag.write_text("all of them\n")
        place.rename(self.directory / "there")
        return where, self.directory / "there" / "my job.ini"

    def statuses(self, name="my job"):
        rows = self.rows("SELECT status FROM trials ORDER BY trial", name)
        return [row["status"] for row in rows]

    def step_in(self, text, ini):
        """The printed line that resumes, with this INI file."""
        return re.search("tune-node run FILE .*? --resume", text).group(0).replace(
            "FILE", "'%s'" % ini)

    def test_nothing_goes_on_without_its_files(self):
        self.goes_on_with_its_files_alone("sh ")

    def test_nothing_goes_on_without_its_program(self):
        self.goes_on_with_its_files_alone("")

    def goes_on_with_its_files_alone(self, program):
        where, ini = self.moved(program)
        before = self.statuses()
        for words in (("resume", where), ("resume", where, "--add", '{"x":0.5}'),
                      ("resume", where, "--experiment.num_samples", 9)):
            with self.subTest(words[2:]):
                ran = self.run_node(*words, code=3)

                self.assertIn("%s/here/trial.sh, which its trials need, is not there any more"
                              % self.directory, ran.err)
                self.assertEqual(self.statuses(), before)
        told = self.step_in(ran.err, ini)

        ran = self.pasted(told + " -o json", cwd="/")

        self.assertIn('"TERMINATED":3', ran.stdout)
        self.pasted("tune-node resume '%s' --experiment.num_samples 4" % where)
        self.assertEqual(self.statuses(), ["TERMINATED"] * 4)

    def test_renamed_too_it_goes_on_under_its_new_name(self):
        where, ini = self.moved()
        renamed = where.rename(where.with_name("another name"))
        told = self.step_in(self.run_node("resume", renamed, code=3).err, ini)

        ran = self.pasted(told + " -o json", cwd="/")

        self.assertIn('"TERMINATED":3', ran.stdout)
        self.assertEqual(json.loads(ran.stdout)["directory"], str(renamed))
        wrong = self.run_node("resume", renamed, "--experiment.name", "third", code=8)
        self.assertIn('experiment.name was "another name", is "third"', wrong.err)

    def test_put_back_its_files_are_gone_on_with(self):
        where, ini = self.moved()
        shutil.copytree(ini.parent, self.directory / "here")
        (self.directory / "here" / "trial.sh").unlink()

        refused = self.run_node("run", self.directory / "here" / "my job.ini", "--resume", code=3)
        self.assertIn('here/trial.sh" does not exist', refused.err)
        shutil.copy(ini.parent / "trial.sh", self.directory / "here")

        self.run_node("resume", where)
        self.assertEqual(self.statuses(), ["TERMINATED"] * 3)

    def test_a_finished_experiment_needs_no_files_for_its_summary(self):
        where, ini = self.moved()
        self.run_node("run", ini, "--resume")
        ini.parent.rename(self.directory / "elsewhere")

        ran = self.run_node("resume", where)

        self.assertIn("my job: done", ran.out)
        step = re.search("tune-node run FILE .* --experiment.num_samples N", ran.err).group(0)
        step = step.replace("FILE", "'%s'" % (self.directory / "elsewhere" / ini.name))
        self.pasted(step.replace(" N", " 5"))
        self.assertEqual(self.statuses(), ["TERMINATED"] * 5)

    def test_the_advice_for_an_experiment_whose_files_moved_works(self):
        where, ini = self.moved()
        ended, left = self.statuses().index("TERMINATED"), self.statuses().index("PENDING")
        told = {x: self.run_node(x[0], where, *x[1:], code=6).err
                for x in (("stop",), ("pause",), ("retry", left))}
        for text in told.values():
            self.assertEqual(self.step_in(text, ini), self.step_in(told["stop",], ini))
        again = self.run_node("retry", where, ended, code=6).err
        rerun = re.search("tune-node rerun .*? COMMAND", again).group(0)
        flag = shlex.quote(str(self.directory / "may go on"))
        command = "%s {x} %s" % (ini.parent / "trial.sh", flag)

        self.assertIn("COMMAND", self.run_node("rerun", where, code=3).err)
        ran = self.pasted(rerun.replace("COMMAND", shlex.quote(command)) + " -o json", cwd="/")

        self.assertEqual([x["difference"] for x in json.loads(ran.stdout)["metrics"]
                          if x["metric"] == "loss"], [0])
        self.pasted(self.step_in(told["stop",], ini))
        self.assertEqual(self.statuses(), ["TERMINATED"] * 3)

    def test_what_was_set_in_the_environment_is_part_of_the_step(self):
        ini, flag = self.waiting(1)
        flag.touch()
        ran = self.run_node(
            "run", ini, env=clean_environment(TUNE_SPACE_X="uniform(5, 6)", TUNE_EXPERIMENT_SEED="3")
        )

        again = self.pasted(steps_in(ran.out)["once more, beside it"] + " -o json").stdout

        self.assertRegex(again, r'"x":5\.')


class AtAHead(Shell, CertifiedCase):
    def head(self, *words):
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            head = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", 2),
                *("--storage", self.directory / "results", "--work", self.directory / "work"),
                *words, stderr=err
            )
        self.wait_until(lambda: "experiments may come" in log.read_text(), head, "an open port")
        self.log = log
        return head

    def test_the_lines_of_a_head_and_of_its_client_work(self):
        head = self.head("--cluster", "my lab")
        said = self.log.read_text()
        submit = re.search(r"tune-node run FILE --head .*", said).group(0)
        join = re.search(r"tune-node worker --join .*", said).group(0)
        flag = self.directory / "may go on"
        tail = 'until [ -e "%s" ]; do sleep 0.05; done' % flag
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 2\n[trainable]\n%s"
            "[space]\nx = uniform(0, 1)\n" % self.three_reports(self.directory, "words", tail)
        )
        worker = self.start(
            "-c", "exec " + join + " --name far --once --cpus 1 --work " + str(self.directory / "w"),
            program="bash",
            env=clean_environment(PATH="%s:%s" % (Path(TUNE_NODE).parent, os.environ["PATH"])),
        )
        self.wait_until(lambda: "far joined" in self.log.read_text(), worker, "the worker")
        submit = submit.replace("FILE", str(ini))
        client = self.start(
            "-c", "exec " + submit + " --experiment.name 'a b' --experiment.seed 4", program="bash",
            env=clean_environment(PATH="%s:%s" % (Path(TUNE_NODE).parent, os.environ["PATH"])),
        )
        self.wait_until(lambda: len(self.rows_if_any("SELECT * FROM results", "a b")) >= 3,
                        client, "reports")
        client.send_signal(signal.SIGINT)
        steps = steps_in(self.finish(client, 130).out)
        flag.touch()

        went_on = self.pasted(steps["go on"] + " -o json").stdout
        beside = self.pasted(steps["once more, beside it"] + " -o json").stdout

        self.assertIn('"experiment":"a b"', went_on)
        self.assertIn('"TERMINATED":2', went_on)
        self.assertIn('"experiment":"x"', beside)
        detached = self.pasted(steps["once more, beside it"] + " --detach")
        self.assertIn("x-2 runs at", detached.stdout)
        follow = re.search(r"by (tune-node attach .*)", detached.stderr).group(1)
        # The experiment may have ended by now; but the line is understood, and the head is reached.
        ran = subprocess.run(
            ["bash", "-c", follow + " -o json"], capture_output=True, text=True, timeout=DEADLINE,
            stdin=subprocess.DEVNULL, cwd=self.directory,
            env=clean_environment(PATH="%s:%s" % (Path(TUNE_NODE).parent, os.environ["PATH"])),
        )
        self.assertIn(ran.returncode, (0, 3), ran.stderr)
        if ran.returncode == 3:
            self.assertIn("no experiment named x-2 runs at the head", ran.stderr)
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.finish(worker, None)

    def submitted(self):
        """A head, an experiment "a b" that runs there until a file exists, the words by which it
        was submitted, and that file."""
        head = self.head("--cluster", "my lab")
        where = re.search(r"--head (\S+)", self.log.read_text()).group(1)
        flag = self.directory / "may go on"
        tail = 'until [ -e "%s" ]; do sleep 0.05; done' % flag
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n[trainable]\n%s"
            "[space]\nx = uniform(0, 1)\n" % self.three_reports(self.directory, "words", tail)
        )
        submit = ("run", ini, "--head", where, "--certs", self.certs, "--experiment.name", "a b",
                  "--cluster.name", "my lab")
        first = self.start(*submit)
        self.wait_until(lambda: len(self.rows_if_any("SELECT * FROM results", "a b")) >= 3,
                        first, "reports")
        return head, first, submit, flag

    def test_the_line_that_lifts_a_pause_at_a_head_works(self):
        head, first, submit, flag = self.submitted()
        self.run_node("pause", self.directory / "results" / "a b")
        first.send_signal(signal.SIGINT)
        self.assertRegex(self.finish(first, 130).out,
                         r"it starts no trial until tune-node unpause 'a b' --head \S+:\d+ --certs .*\n")
        flag.touch()

        err = self.directory / "err"
        with open(err, "w", encoding="utf-8") as to:
            again = self.start(*submit, "--resume", "-q", stderr=to)
        self.wait_until(lambda: "warning" in err.read_text(), again, "the warning")
        told = re.search(r"until (tune-node unpause .*)\n", err.read_text()).group(1)
        self.assertRegex(told, r"^tune-node unpause 'a b' --head \S+:\d+ --certs ")
        self.pasted(told)

        self.assertIn("done after", self.finish(again).out)
        head.send_signal(signal.SIGTERM)
        self.finish(head)

    def test_the_line_that_follows_what_runs_already_works(self):
        head, first, submit, flag = self.submitted()
        refused = self.run_node(*submit, code=8).err
        follow = re.search(r"; (tune-node attach .*) attaches to it", refused).group(1)
        second = self.start(
            "-c", "exec " + follow, program="bash",
            env=clean_environment(PATH="%s:%s" % (Path(TUNE_NODE).parent, os.environ["PATH"])),
        )
        flag.touch()

        self.assertIn("done after", self.finish(first).out)
        # The experiment may have ended before the second client came; but the head was reached.
        ran = self.finish(second, None)
        self.assertIn(ran.code, (0, 3), ran)
        head.send_signal(signal.SIGTERM)
        self.finish(head)

    def lost(self):
        """An experiment whose head has left: its INI file, its directory, and a file that lets it
        end."""
        head = self.head()
        where = re.search(r"--head (\S+)", self.log.read_text()).group(1)
        flag = self.directory / "may go on"
        place = self.directory / "client"
        place.mkdir()
        ini = place / "x.ini"
        ini.write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 3\n[trainable]\n%s"
            "[space]\nx = uniform(0, 1)\n"
            % self.three_reports(place, "words", 'until [ -e "%s" ]; do sleep 0.05; done' % flag)
        )
        client = self.start("run", ini, "--head", where, "--certs", self.certs)
        self.wait_until(lambda: len(self.rows_if_any("SELECT * FROM results")) >= 6, client,
                        "reports")
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.finish(client, 75)
        return ini, self.directory / "results" / "x", flag

    def statuses(self):
        return [row["status"] for row in self.rows("SELECT status FROM trials ORDER BY trial")]

    def step_in(self, text, ini, where):
        """The printed line that resumes, with this INI file and at this head."""
        found = re.search(
            "tune-node run FILE --head HOST:PORT .*? --resume(=[a-z_]+)?( --add '.*?')?", text)
        line = found.group(0).replace("FILE", str(ini)).replace("HOST:PORT", where)
        return line + " --certs " + shlex.quote(str(self.certs))

    def test_nothing_ruins_an_experiment_of_a_head_that_went(self):
        ini, directory, flag = self.lost()
        flag.touch()
        before = self.statuses()

        for code, *words in ((3, "resume"), (3, "resume", "--add", '{"x":0.5}'),
                             (3, "resume", "--experiment.num_samples", 9),
                             (6, "stop"), (6, "add", "x=0.5"), (6, "retry", "0")):
            with self.subTest(words):
                ran = self.run_node(words[0], directory, *words[1:], code=code)
                self.step_in(ran.err, ini, "")
                self.assertNotIn("tune-node resume", ran.err)
                self.assertEqual(self.statuses(), before)
        refused = self.run_node("rerun", directory, "0", code=3)

        self.assertIn("it was laid in the work directory of a head, %s/work" % self.directory,
                      refused.err)
        self.assertFalse((directory.parent / "x-rerun-00000").exists())

    def test_the_advice_for_an_experiment_of_a_head_that_went_works(self):
        ini, directory, flag = self.lost()
        told = self.run_node("add", directory, "x=0.625", code=6).err
        self.assertIn(" --add ", told)
        head = self.head()
        where = re.search(r"--head (\S+)", self.log.read_text()).group(1)
        env = clean_environment(PATH="%s:%s" % (Path(TUNE_NODE).parent, os.environ["PATH"]))

        client = self.start("-c", "exec " + self.step_in(told, ini, where), program="bash", env=env)
        self.wait_until(lambda: self.statuses().count("RUNNING") == 2, client, "its trials")
        flag.touch()
        self.finish(client)

        self.assertEqual(self.statuses(), ["TERMINATED"] * 4)
        self.assertEqual(len(self.rows("SELECT * FROM trials WHERE config = '{\"x\":0.625}'")), 1)
        head.send_signal(signal.SIGTERM)
        self.finish(head)

    def test_a_head_refuses_what_lacks_files_that_it_began_with(self):
        ini, _, flag = self.lost()
        flag.touch()
        head = self.head()
        where = re.search(r"--head (\S+)", self.log.read_text()).group(1)
        words = ("run", ini, "--head", where, "--certs", self.certs, "--resume")
        before = self.statuses()
        (ini.parent / "data" / "words.txt").rename(ini.parent / "data" / "aside")

        refused = self.run_node(*words, code=3)
        self.assertIn("not beside the INI file any more: data/words.txt", refused.err)
        self.assertEqual(self.statuses(), before)
        (ini.parent / "data" / "aside").rename(ini.parent / "data" / "words.txt")
        self.run_node(*words)

        self.assertEqual(self.statuses(), ["TERMINATED"] * 3)
        head.send_signal(signal.SIGTERM)
        self.finish(head)


if __name__ == "__main__":
    main()
