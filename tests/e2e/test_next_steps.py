# SPDX-License-Identifier: BSD-3-Clause
"""Every line that the program prints as a next step works as it stands, in a shell."""
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from e2e import DEADLINE, TUNE_NODE, Case, CertifiedCase, clean_environment, main


def steps_in(text):
    """The commands below `next:`, each by its purpose."""
    lines = text.partition("\nnext:\n")[2].splitlines()
    return {x.split("  # ")[1]: x.split("  # ")[0].strip() for x in lines if "  # " in x}


def advice_in(text):
    """The command that follows the word `by` in a message."""
    found = re.search(r"by (tune-node .*?)(?:, or begin|; |$)", text, re.M)
    return found.group(1) if found else None


class Shell:
    """Runs lines as a user who pastes them."""

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
        """A configuration whose trials wait for a file, and the file."""
        flag = self.directory / "may go on"
        script = self.directory / "wait.sh"
        script.write_text(
            '#!/bin/sh\nuntil [ -e "%s" ]; do sleep 0.05; done\necho loss=$1\n' % flag
        )
        script.chmod(0o755)
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n"
            "command = ./wait.sh {x}\nmetric.loss = loss=(\\S+)\n[space]\nx = uniform(0, 1)\n"
            % samples, "my job.ini"
        )
        return ini, flag

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
        # It may have ended by now; but the line is understood, and the head is reached.
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


if __name__ == "__main__":
    main()
