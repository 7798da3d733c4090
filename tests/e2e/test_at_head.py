# SPDX-License-Identifier: BSD-3-Clause
"""Commands about experiments that a head carries out for its clients."""
import contextlib
import csv
import io
import json
import os
import pathlib
import re
import shlex
import signal

from e2e import CertifiedCase, clean_environment, main, parent_of

# Trials report three times, save on request, and end once a file exists.
TRIAL = """#!/bin/sh
echo "prints $1"
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
for i in 1 2 3; do
  echo "{\\"metrics\\":{\\"loss\\":$1}}" >&"$TUNE_TRIAL_REPORT_FD"
  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
  case $answer in
    *'"save"'*)
      to=$(echo "$answer" | sed 's/.*"dir":"\\([^"]*\\)".*/\\1/')
      echo "weights of $1" > "$to/model"
      head -c 700000 /dev/zero > "$to/big"
      echo "{\\"saved\\":\\"$to\\"}" >&"$TUNE_TRIAL_REPORT_FD" ;;
  esac
done
until [ -e "%s" ]; do sleep 0.05; done
"""


def processes_below(parent, command):
    """PIDs of the processes of this parent that carry out this command."""
    result = []
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (place / "cmdline").read_bytes().split(b"\0")
            if command.encode() in words and parent_of(int(place.name)) == parent:
                result.append(int(place.name))
    return result


class AtHead(CertifiedCase):
    def setUp(self):
        super().setUp()
        self.storage = self.directory / "results"
        self.flag = self.directory / "may go on"
        self.begin_head()

    def begin_head(self, **how):
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            self.head = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", 2),
                *("--storage", self.storage, "--work", self.directory / "work"), stderr=err, **how
            )
        self.wait_until(lambda: "experiments may come" in log.read_text(), self.head, "a port")
        self.where = re.search(r"--head (\S+)", log.read_text()).group(1)

    def start(self, *words, **how):
        # Apart from the files that programs of other tests pass on meanwhile.
        temporary = self.directory / "tmp"
        temporary.mkdir(exist_ok=True)
        how.setdefault("env", clean_environment(TMPDIR=str(temporary)))
        return super().start(*words, **how)

    def assert_nothing_is_on_its_way(self):
        self.assertEqual(list((self.directory / "tmp").glob("tune-node-passing-*")), [])

    def end_head(self):
        self.head.send_signal(signal.SIGTERM)
        self.finish(self.head)

    def tearDown(self):
        self.end_head()
        self.assert_no_trial_processes()

    def at_head(self, command, *words, certs=None, **how):
        return self.run_node(
            command, *words, "--head", self.where, "--certs", certs or self.certs, **how
        )

    def submit(self, name="x", samples=4, rest=""):
        place = self.directory / ("files of " + name)
        place.mkdir()
        trial = place / "trial.sh"
        trial.write_text(TRIAL % self.flag)
        trial.chmod(0o755)
        (place / (name + ".ini")).write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n"
            "[trainable]\ncommand = ./trial.sh {x}\n[space]\nx = uniform(0, 1)\n"
            "[failure]\nbackoff = 0\n%s" % (samples, rest)
        )
        self.at_head("run", place / (name + ".ini"), "--detach")
        reports = "SELECT * FROM results"
        self.wait_until(lambda: len(self.rows_if_any(reports, name)) >= 6, what="reports")

    def issue(self, name):
        """Issues certificates for another member of the cluster."""
        self.run_node("certs", "issue", name, "--out", self.directory / name, "--certs", self.certs)
        return self.directory / name

    def test_what_ran_at_a_head_is_overwritten_where_it_lies(self):
        self.flag.touch()
        self.submit("x", samples=2)
        self.at_head("wait", "x")
        ini = self.directory / "files of x" / "x.ini"
        self.assertIn("removed where it runs", self.at_head("run", ini, "--overwrite", code=2).err)
        self.assertTrue((self.storage / "x" / ".tune_head").exists())
        self.run_node("run", ini, "--experiment.storage", self.storage, "--overwrite", "--yes",
                      "--experiment.num_samples", 1)
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 1)

    def test_answers_are_those_of_the_machine_of_the_head(self):
        self.submit()
        for command in (
            ("trials", "x"), ("trials", "x", "-o", "csv"), ("trials", "x", "--columns", "all"),
            ("trials", "x", "--why", 0), ("trials", "x", "--status", "running", "-o", "json"),
            ("logs", "x", 0), ("importance", "x"), ("fsck", "x"), ("compare", "x", "x"),
            ("list", "experiments", "-o", "csv"),
        ):
            with self.subTest(command):
                here = [self.storage / w if w == "x" else w for w in command]
                if command[0] == "list":
                    here.insert(2, self.storage)
                there = self.at_head(*command, code=None)
                mine = self.run_node(*here, code=None)
                # Time passes from one answer to the next, and widens a column.
                ages = re.compile(r"\d+(\.\d+)?(ms|s|m\d\ds)\b|(?m:^ *elapsed_s .*$)| +")
                if command[0] == "list":
                    continue
                self.assertEqual(ages.sub(" ", there.out), ages.sub(" ", mine.out))
                self.assertEqual(there.code, mine.code)
        status = self.at_head("status", "x", "-o", "json").json()
        self.assertEqual((status["status"], status["counts"]["RUNNING"]), ("running", 2))
        self.assertEqual(status["head"]["cpu"]["total"], 2)
        listed = list(csv.DictReader(io.StringIO(
            self.at_head("list", "experiments", "-o", "csv").out)))
        self.assertEqual([row["experiment"] for row in listed], ["x"])

    def test_it_is_steered_from_afar(self):
        self.submit()
        self.assertIn("trial 00001", self.at_head("stop", "x", 1).out)
        self.at_head("pause", "x")
        self.at_head("add", "x", "x=0.5", "--key", "mine")
        self.at_head("add", "x", "x=0.5", "--key", "mine")
        self.at_head("unpause", "x")
        self.flag.touch()
        told = self.at_head("wait", "x", "-o", "json").json()
        self.assertEqual((told["status"], told["counts"]["TERMINATED"]), ("done", 5))
        stopped = self.rows("SELECT reason FROM trials WHERE trial = 1")[0]["reason"]
        self.assertIn("client", stopped)

    def test_exports_are_written_here_as_they_would_be_there(self):
        self.submit(samples=2)
        running = self.at_head("export", "x", "--format", "jsonl", "--to", "running.jsonl")
        self.assertIn("running.jsonl", running.out)
        with open(self.directory / "running.jsonl", encoding="utf-8") as lines:
            kinds = [json.loads(x)["event"] for x in lines]
        self.assertGreaterEqual(kinds.count("reported"), 6)
        self.assertNotIn("finished", kinds)
        self.flag.touch()
        self.at_head("wait", "x")

        for form, name in (("optuna", "x.optuna.db"), ("csv", "x.results.csv"),
                           ("jsonl", "x.events.jsonl"), ("tensorboard", "x.tensorboard")):
            with self.subTest(form):
                there = self.at_head("export", "x", "--format", form)
                here = self.run_node("export", self.storage / "x", "--format", form, "--to",
                                     "here-" + name)
                self.assertEqual(there.out.strip(), str(self.directory / name))
                self.assertEqual(there.err, here.err)
                one, other = self.directory / name, self.directory / ("here-" + name)
                if form == "tensorboard":
                    self.assertEqual([x.name for x in sorted(one.iterdir())],
                                     [x.name for x in sorted(other.iterdir())])
                elif form != "optuna":
                    whole = other.read_text().replace(str(self.storage / "x"), "x")
                    self.assertEqual(one.read_text(), whole)
        self.assert_nothing_is_on_its_way()

    def test_exports_that_cannot_be_say_so_and_leave_nothing(self):
        self.submit(samples=2)
        (self.directory / "mine.csv").write_text("mine")
        stranger = self.issue("other")

        taken = self.at_head("export", "x", "--format", "csv", "--to", "mine.csv", code=8)
        unknown = self.at_head("export", "y", "--format", "csv", code=None)
        no_form = self.at_head("export", "x", code=2)
        foreign = self.at_head("export", "x", "--format", "csv", certs=stranger, code=None)

        self.assertIn("is there already", taken.err)
        self.assertEqual((self.directory / "mine.csv").read_text(), "mine")
        self.assertNotEqual(unknown.code, 0)
        self.assertIn("y", unknown.err)
        self.assertIn("--format", no_form.err)
        self.assertNotEqual(foreign.code, 0)
        self.assertFalse((self.directory / "x.results.csv").exists())
        self.assert_nothing_is_on_its_way()
        self.flag.touch()

    def test_a_wait_ends_as_the_experiment_does(self):
        self.submit(samples=2)
        waits = self.start("wait", "x", "--head", self.where, "--certs", self.certs)
        self.at_head("stop", "x")
        self.flag.touch()
        told = self.finish(waits)
        self.assertIn("x: stopped on request", told.out)
        again = self.run_node("wait", self.storage / "x")
        self.assertIn("x: stopped on request", again.out)

    def test_a_command_whose_process_at_the_head_is_killed_says_so(self):
        self.submit(samples=2)
        for number, name in ((signal.SIGKILL, "KILL"), (signal.SIGTERM, "TERM")):
            waits = self.start("wait", "x", "--head", self.where, "--certs", self.certs)

            self.wait_until(lambda: processes_below(self.head.pid, "wait"), waits, "its process")
            os.kill(processes_below(self.head.pid, "wait")[0], number)

            told = self.finish(waits, 6)
            self.assertRegex(told.err, "^tune-node: %s: .* was ended by signal %d .SIG%s.: .*\n$"
                             % (self.where, number, name))
        self.flag.touch()

    def test_the_advice_for_a_retry_of_a_trial_that_ended_works_from_afar(self):
        self.flag.touch()
        self.submit(samples=2)
        self.at_head("wait", "x")

        told = self.at_head("retry", "x", 0, code=6).err

        self.assertNotIn("--add", told)
        fetch = re.search("tune-node (fetch .*) copies", told).group(1)
        rerun = re.search("tune-node (rerun .*) COMMAND then", told).group(1)
        self.run_node(*shlex.split(fetch))
        trial = self.directory / "files of x" / "trial.sh"
        ran = self.run_node(*shlex.split(rerun), "%s {x}" % shlex.quote(str(trial)), "-o", "json")
        self.assertEqual([x["difference"] for x in ran.json()["metrics"] if x["metric"] == "loss"],
                         [0])

    def test_an_experiment_that_is_done_takes_a_configuration_from_afar(self):
        self.flag.touch()
        self.submit(samples=2)
        self.at_head("wait", "x")
        ini = str(self.directory / "files of x" / "x.ini")

        told = self.at_head("add", "x", "x=0.25", code=6).err
        line = re.search("tune-node (run FILE .*) adds this configuration and runs it", told)
        words = [ini if word == "FILE" else word for word in shlex.split(line.group(1))]
        self.run_node(*words)

        configs = [row["config"] for row in self.rows("SELECT config FROM trials ORDER BY trial")]
        self.assertEqual(len(configs), 3)
        self.assertEqual(json.loads(configs[2]), {"x": 0.25})
        log = (self.directory / "head.log").read_text()
        self.assertRegex(log, r"experiment x of \S+ runs: 3 trials\n")
        for add, what in (('{"y":1}', "y"), ("[1]", "1 is no configuration"), ("{", "--add: ")):
            self.assertIn(what, self.at_head("run", ini, "--resume", "--add", add, code=3).err)
        self.assertIn("--resume", self.at_head("run", ini, "--add", '{"x":1}', code=2).err)
        self.assertEqual(len(self.rows("SELECT * FROM trials")), 3)

    def test_a_wait_hears_that_the_head_goes(self):
        self.submit(samples=2)
        waits = self.start(
            "wait", "x", "--head", self.where, "--certs", self.certs, "-o", "json"
        )
        running = lambda: [x for x in self.processes_below(self.head.pid) if b"wait" in x]
        self.wait_until(running, what="the wait")
        self.end_head()
        told = self.finish(waits, code=75)
        self.assertEqual(json.loads(told.out)["status"], "interrupted")
        self.begin_head()
        self.at_head("wait", "x", code=75)

    def test_nobody_who_waits_keeps_others_from_a_stop(self):
        self.submit(samples=2)
        waits = [
            self.start("wait", "x", "--head", self.where, "--certs", self.certs)
            for _ in range(33)
        ]
        running = lambda: [x for x in self.processes_below(self.head.pid) if b"wait" in x]
        self.wait_until(lambda: len(running()) == 33, what="all that wait")
        self.at_head("stop", "x")
        self.flag.touch()
        for each in waits:
            self.assertIn("x: stopped on request", self.finish(each).out)

    def test_lines_that_are_printed_reach_the_head_again(self):
        self.submit(samples=2, rest="[checkpoint]\nfrequency = 3\n")
        self.flag.touch()
        told = self.at_head("wait", "x").out
        lines = [
            line.split("#")[0].strip() for line in told.split("next:\n")[1].splitlines()
        ]
        self.assertEqual(len(lines), 2, told)
        for line in lines:
            program, *words = shlex.split(line)
            self.run_node(*words)
        self.assertIn("--head", lines[0])

    def test_checkpoints_and_more_are_fetched(self):
        self.submit(samples=2, rest="[checkpoint]\nfrequency = 3\n")
        busy = self.at_head("fetch", "x", "--what", "experiment", code=8).err
        self.assertIn("wait for its end", busy)
        self.flag.touch()
        best = self.at_head("wait", "x", "-o", "json").json()["best"]
        there = self.at_head("fetch", "x").out.strip()
        self.assertRegex(there, r"^x-%s-checkpoint_\d+$" % best["trial"])
        model = (self.directory / there / "model").read_text()
        self.assertEqual(model, "weights of %s\n" % best["config"]["x"])
        self.assertEqual((self.directory / there / "big").stat().st_size, 700000)
        self.assertIn("is there already", self.at_head("fetch", "x", code=8).err)
        self.at_head("fetch", "x", 1, "--what", "trial", "--to", "one")
        self.assertIn("prints", (self.directory / "one" / "stdout").read_text())
        got = self.at_head("fetch", "x", "--what", "experiment", "-o", "json", "--to", "all").json()
        self.assertEqual(got, {"name": "all", "what": "experiment", "trial": None})
        self.run_node("fsck", self.directory / "all", "--verify")
        local = self.run_node("fetch", self.storage / "x", "--to", "mine").out.strip()
        self.assertEqual(model, (self.directory / local / "model").read_text())
        self.assertEqual(list(self.directory.glob("*.part")), [])

    def test_nobody_else_sees_or_steers_it_and_a_new_head_remembers(self):
        self.submit(samples=2)
        other = self.issue("other")
        for command in (("status", "x"), ("stop", "x"), ("logs", "x", 0), ("fetch", "x")):
            told = self.at_head(*command, certs=other, code=8).err
            self.assertIn("x was submitted with another certificate", told)
        self.assertIn("x ", self.at_head("list", "experiments", certs=other).out)
        self.flag.touch()
        self.at_head("wait", "x")
        self.end_head()
        self.begin_head()
        self.assertIn("x: done", self.at_head("status", "x").out)
        self.at_head("status", "x", certs=other, code=8)
        ini = self.directory / "files of x" / "x.ini"
        told = self.run_node(
            "run", ini, "--resume", "--head", self.where, "--certs", other, code=8
        ).err
        self.assertIn("x was submitted with another certificate", told)

    def test_what_is_wrong_is_said_as_here(self):
        self.submit(samples=2)
        self.assertIn("no experiment named y", self.at_head("status", "y", code=3).err)
        self.assertIn("there is no such trial", self.at_head("stop", "x", 7, code=3).err)
        self.assertIn("cannot be the name", self.at_head("status", "../x", code=3).err)
        self.run_node("run", self.experiment("tune report 1"), "--experiment.name", "byhand")
        self.assertIn("not submitted to a head", self.at_head("status", "byhand", code=8).err)
        self.flag.touch()
        self.at_head("wait", "x")
        told = self.at_head("add", "x", "x=0.25", code=6).err
        self.assertIn("nobody runs this experiment now", told)
        self.assertIn("run FILE --head " + self.where, told)
        # What is named can be entered.
        way = re.search(r"tune-node run FILE (--head .*? --resume)", told).group(1)
        ini = self.directory / "files of x" / "x.ini"
        self.run_node("run", ini, *shlex.split(way), "--cluster", "default")

    def test_commands_end_as_they_do_where_the_head_inherits_odd_signals(self):
        self.end_head()
        self.begin_head(preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.submit(samples=2)
        self.at_head("logs", "x", 77, code=3)
        self.flag.touch()
        self.at_head("wait", "x")

    def test_a_client_that_goes_takes_its_command_along(self):
        self.submit(samples=2)
        follows = self.start("logs", "x", 0, "--follow", "--head", self.where, "--certs", self.certs)
        self.assertEqual(follows.stdout.read(7), "prints ")
        runner = lambda: [
            x for x in self.processes_below(self.head.pid) if b"--follow" in x
        ]
        self.assertEqual(len(runner()), 1)
        follows.kill()
        follows.wait()
        self.wait_until(lambda: not runner(), what="the end of its command")
        self.flag.touch()
        self.at_head("wait", "x")

    def processes_below(self, parent):
        """Command lines of a process's children."""
        result = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
                if int(fields[1]) == parent:
                    result.append((stat.parent / "cmdline").read_bytes())
            except OSError:
                continue
        return result


if __name__ == "__main__":
    main()
