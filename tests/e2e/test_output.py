# SPDX-License-Identifier: BSD-3-Clause
"""stdout has the result, stderr the talk; a terminal shows a block; readers do not disturb the
run."""
import contextlib
import csv
import json
import os
import pty
import select
import signal
import sqlite3
import struct
import time
from fcntl import ioctl
from termios import TIOCSWINSZ

from e2e import DEADLINE, FAULTY_NODE, Case, clean_environment, main, stamps

ESCAPE = "\x1b"


class Output(Case):
    def quick(self):
        return self.cpp_experiment("learns", "x = uniform(0, 1)", samples=3)

    def run_quick(self, *words, **how):
        return self.run_node("run", self.quick(), *words, program=FAULTY_NODE, **how)

    def check_talk(self, ran):
        self.assertEqual(ran.err.count("TERMINATED"), 3)
        self.assertNotIn(ESCAPE, ran.out + ran.err)

    def test_json_is_one_object_and_stderr_the_talk(self):
        ran = self.run_quick("-o", "json")

        self.assertEqual(len(ran.out.splitlines()), 1)
        self.assertEqual(ran.json()["status"], "done")
        self.check_talk(ran)

    def test_jsonl_is_one_object_per_trial_and_then_the_summary(self):
        ran = self.run_quick("-o", "jsonl")

        *trials, last = ran.out.splitlines(keepends=True)
        self.assertEqual("".join(trials), self.run_node("trials", "results/x", "-o", "jsonl").out)
        self.assertEqual([json.loads(x)["trial"] for x in trials], ["00000", "00001", "00002"])
        self.assertEqual(json.loads(last)["status"], "done")
        self.check_talk(ran)

    def test_csv_is_the_list_of_trials(self):
        ran = self.run_quick("-o", "csv")

        rows = list(csv.DictReader(ran.out.splitlines()))
        self.assertEqual([row["trial"] for row in rows], ["00000", "00001", "00002"])
        self.assertEqual(ran.out, self.run_node("trials", "results/x", "-o", "csv").out)
        self.check_talk(ran)
        again = self.run_quick("-o", "csv", "--resume")
        self.assertEqual(again.out, ran.out)

    def test_a_dry_run_lists_what_it_would_try_in_each_format(self):
        configs = self.run_quick("--dry-run", "-o", "json").json()["configurations"]
        lines = self.run_quick("--dry-run", "-o", "csv").out.splitlines()

        self.assertEqual(len(configs), 3)
        rows = list(csv.DictReader(lines))
        self.assertEqual([float(row["config.x"]) for row in rows], [x["x"] for x in configs])
        self.assertFalse((self.directory / "results").exists())

    def test_a_table_names_the_best_and_where_it_is(self):
        for words in ([], ["-o", "table"]):
            with self.subTest(words):
                ran = self.run_quick("--experiment.name", "x%d" % len("".join(words)), *words)

                self.assertIn("best", ran.out)
                self.assertIn("results/x", ran.out)
                self.assertNotIn(ESCAPE, ran.out + ran.err)

    def test_quiet_says_nothing_but_the_result(self):
        ran = self.run_quick("--quiet", "-o", "json")

        self.assertEqual(ran.err, "")
        self.assertEqual(ran.json()["counts"]["TERMINATED"], 3)

    def test_quiet_prints_the_result_in_every_form(self):
        for number, form in enumerate(("table", "csv", "jsonl")):
            with self.subTest(form):
                ran = self.run_quick("-q", "-o", form, "--experiment.name", "q%d" % number)

                self.assertEqual(ran.err, "")
                self.assertNotEqual(ran.out, "")

    def test_an_objective_that_is_never_a_number_is_no_success(self):
        ini = self.experiment("tune says abc")

        ran = self.run_node("run", ini, "-o", "json", code=5)

        self.assertIn("no report had a number for loss", ran.err)
        self.assertIsNone(ran.json()["best"])

    def test_the_log_tells_of_each_trial(self):
        self.run_quick("--log.file", "logs/run.log", "--log.level", "debug")

        lines = (self.directory / "results/x/logs/run.log").read_text().splitlines()
        for trial in ("00000", "00001", "00002"):
            kinds = [line.split(" ", 3)[3] for line in lines if line.split(" ")[2] == trial]
            self.assertEqual(kinds[0], "PENDING")
            self.assertIn("RUNNING", kinds)
            self.assertTrue(kinds[-1].startswith("TERMINATED"), kinds)

    def test_a_log_that_cannot_be_opened_ends_the_run_at_its_start(self):
        ini = self.experiment("tune report 1")

        ran = self.run_node("run", ini, "--log.file", "/proc/none/x.log", code=7)

        self.assertIn("[log] file = /proc/none/x.log", ran.err)
        self.assertFalse((self.directory / "results/x/trials/00000").exists())

    def test_a_mistyped_metric_is_warned_of_once(self):
        ini = self.cpp_experiment(
            "learns", "x = uniform(0, 1)", samples=3, more="[stop]\nwhen = lsos <= 0"
        )
        warning = (
            'tune-node: warning: [stop] when: the first report has no metric "lsos"; did you mean'
            ' "loss"?'
        )

        ran = self.run_node("run", ini, program=FAULTY_NODE)
        quiet = self.run_node(
            "run", ini, "--quiet", "--experiment.name", "y", program=FAULTY_NODE
        )

        self.assertEqual(ran.err.count("warning"), 1)
        self.assertIn(warning, ran.err)
        self.assertEqual(quiet.err, "")

    def test_another_scheduler_may_replace_that_of_the_file(self):
        ini = self.cpp_experiment("learns", more="[scheduler]\ntype = asha\ngrace_period = 2")

        ran = self.run_node("run", ini, "--scheduler.type", "fifo", program=FAULTY_NODE)
        wrong = self.run_node(
            "run", ini, "--scheduler.type", "fifo", "--scheduler.grace_period", "2",
            "--experiment.name", "y", program=FAULTY_NODE, code=3,
        )

        self.assertEqual(ran.err.count("warning"), 1)
        self.assertIn("type = fifo has no grace_period (%s:" % ini, ran.err)
        self.assertIn("command line --scheduler.grace_period", wrong.err)

    def test_quiet_still_tells_errors(self):
        ini = self.cpp_experiment("throws")

        ran = self.run_node("run", ini, "--quiet", program=FAULTY_NODE, code=5)

        self.assertIn("the learning rate exploded", ran.err)

    def test_lines_tell_a_best_at_once_in_order_and_the_last_at_the_end(self):
        gates = [self.directory / ("gate %d" % i) for i in range(3)]
        words = "; ".join(
            'until [ -e "%s" ]; do sleep 0.05; done; echo loss=0.%d' % (gate, 9 - i)
            for i, gate in enumerate(gates))
        (self.directory / "trial.sh").write_text(words + "\n")
        ini = self.ini("[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n[trainable]\n"
                       "command = sh ./trial.sh {x}\nmetric.loss = loss=([0-9.]+)\n"
                       "[space]\nx = uniform(0, 1)\n")
        log = self.directory / "log"
        with open(log, "w", encoding="utf-8") as err:
            run = self.start("run", ini, stderr=err)
        # While its trial runs.
        gates[0].touch()
        self.wait_until(lambda: "best loss 0.9: trial 00000" in log.read_text(), run, "a best")
        gates[1].touch()
        gates[2].touch()
        self.finish(run)

        lines = log.read_text().splitlines()
        bests = [line.split("best loss ")[1].split(":")[0] for line in lines if "best loss" in line]
        self.assertEqual((bests[0], bests[-1]), ("0.9", "0.7"), lines)
        self.assertLess(stamps(lines)[0], 50, lines)
        self.assertEqual(stamps(lines), sorted(stamps(lines)), lines)

    def test_closed_descriptors_harm_nothing(self):
        for number, code in ((0, 0), (1, 7), (2, 0)):
            with self.subTest(number):
                name = "x%d" % number
                way = '<&-' if number == 0 else '%d>&-' % number
                ran = self.run_node(
                    "-c", 'exec "$0" "$@" ' + way, FAULTY_NODE, "run", self.quick(), "-o", "json",
                    "--experiment.name", name, program="/bin/sh", code=code,
                )

                self.assertEqual(len(ran.out.splitlines()), 0 if number == 1 else 1)
                self.assertEqual(len(self.rows("SELECT 1 FROM results", name)), 9)
                for file in (self.directory / "results" / name).rglob("*"):
                    if file.is_file():
                        self.assertNotIn(b"elapsed_s", file.read_bytes())

    def test_wrong_configurations_leave_stdout_empty(self):
        ini = self.quick()
        for words, code in ((["--experiment.mode", "up"], 3), (["--nonsense"], 2)):
            with self.subTest(words):
                ran = self.run_node("run", ini, "-o", "json", *words, code=code)

                self.assertEqual(ran.out, "")
                self.assertIn(words[-1].lstrip("-"), ran.err)
                self.assertLessEqual(len(ran.err.splitlines()), 8)

    def test_what_trials_print_never_reaches_the_terminal_raw(self):
        ini = self.experiment("")
        script = self.ini("printf '\\033[2Jwiped\\n' >&2; exit 3\n", "trial.sh")
        text = ini.read_text().splitlines()
        ini.write_text(
            "\n".join(
                "command = sh %s" % script if line.startswith("command") else line for line in text
            )
        )

        ran = self.run_node("run", ini, code=5)

        self.assertIn("wiped", ran.err)
        self.assertNotIn(ESCAPE, ran.err + ran.out)


class Terminal(Case):
    """A run whose stderr is a terminal of 80 columns."""

    def run_in_terminal(self, ini, *words, **environment):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        child = self.start(
            "run", ini, *words, program=FAULTY_NODE, stderr=theirs,
            env=clean_environment(**environment),
        )
        os.close(theirs)
        return child, ours

    def read_all(self, child, ours, until=None):
        """Reads from the terminal until its other end closes, or until `until` is seen."""
        seen, end = b"", time.monotonic() + DEADLINE
        while until is None or until not in seen:
            if time.monotonic() > end:
                self.fail("the terminal shows only %r" % seen[-2000:])
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                part = os.read(ours, 65536)
            except OSError:
                part = b""
            if not part:
                break
            seen += part
        return seen

    def test_a_terminal_gets_a_block_that_is_redrawn_and_left_clean(self):
        # Only this test ends the run, so the block is surely drawn.
        ini = self.cpp_experiment("learns", "x = uniform(0, 1)\nsteps = 100000000", samples=2)
        child, ours = self.run_in_terminal(ini, "--cluster.cpus", "1", "-o", "json")
        seen = self.read_all(child, ours, b"elapsed")
        seen += self.read_all(child, ours, b"RUNNING")

        child.send_signal(signal.SIGINT)
        seen += self.read_all(child, ours)
        ran = self.finish(child, 130)

        text = seen.decode()
        self.assertIn("0/2 done", text)
        self.assertIn(ESCAPE + "[", text)
        self.assertEqual(ran.json()["status"], "interrupted")
        # Every mode that was switched off is on again, and no colour leaks.
        for switch in ("?25", "?7", "?1049", "?2004"):
            off, on = ("l", "h") if switch in ("?25", "?7") else ("h", "l")
            if ESCAPE + "[" + switch + off in text:
                self.assertGreater(
                    text.rfind(ESCAPE + "[" + switch + on), text.rfind(ESCAPE + "[" + switch + off)
                )
        self.assertTrue(text.endswith("\n") or text.endswith("\r") or text.endswith("J"), text[-80:])

    def test_no_color_means_no_colour(self):
        ini = self.cpp_experiment("moody", "kind = grid(learns, throws)")
        child, ours = self.run_in_terminal(ini, "-o", "json", NO_COLOR="1")
        seen = self.read_all(child, ours).decode()
        self.finish(child)

        self.assertIn("the learning rate exploded", seen)
        self.assertNotRegex(seen, "\x1b\\[[0-9;]*m")

    def test_without_it_there_is_colour(self):
        ini = self.cpp_experiment("moody", "kind = grid(learns, throws)")
        child, ours = self.run_in_terminal(ini, "-o", "json")
        seen = self.read_all(child, ours).decode()
        self.finish(child)

        self.assertRegex(seen, "\x1b\\[[0-9;]*m")

    def test_a_dumb_terminal_gets_plain_lines(self):
        ini = self.cpp_experiment("learns")
        child, ours = self.run_in_terminal(ini, "-o", "json", TERM="dumb")
        seen = self.read_all(child, ours).decode()
        self.finish(child)

        self.assertIn("TERMINATED", seen)
        self.assertNotIn(ESCAPE, seen)


class Readers(Case):
    VIEWS = (
        "experiment", "trials", "attempts", "results", "decisions", "checkpoints", "nodes", "events",
    )

    def test_readers_query_all_views_while_the_run_goes_on(self):
        ini = self.cpp_experiment("learns", "x = uniform(0, 1)\nsteps = 20", samples=60)
        child = self.start("run", ini, "-o", "json", program=FAULTY_NODE)
        path = self.directory / "results" / "x" / "experiment.db"
        self.wait_until(lambda: self.rows_if_any("SELECT 1 FROM results"), child)
        seen, rounds = [], 0
        with contextlib.closing(
            sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=30)
        ) as db:
            while child.poll() is None:
                for view in self.VIEWS:
                    db.execute("SELECT * FROM %s" % view).fetchall()
                seen.append(db.execute("SELECT count(*) FROM results").fetchone()[0])
                rounds += 1
        ran = self.finish(child)

        self.assertGreater(rounds, 1)
        self.assertEqual(seen, sorted(seen))
        self.assertEqual(ran.json()["counts"]["TERMINATED"], 60)
        self.assertEqual(self.rows("SELECT count(*) AS n FROM results")[0]["n"], 1200)

    def test_an_open_transaction_holds_nothing_up(self):
        ini = self.cpp_experiment("learns", "x = uniform(0, 1)\nsteps = 100000000")
        child = self.start("run", ini, "-o", "json", program=FAULTY_NODE)
        self.wait_until(lambda: self.rows_if_any("SELECT 1 FROM results"), child)
        path = self.directory / "results" / "x" / "experiment.db"
        with contextlib.closing(
            sqlite3.connect("file:%s?mode=ro" % path, uri=True, isolation_level=None)
        ) as db:
            db.execute("BEGIN")
            count = "SELECT count(*) FROM results"
            before = db.execute(count).fetchone()[0]
            self.wait_until(
                lambda: self.rows("SELECT count(*) AS n FROM results")[0]["n"] > before + 100, child
            )
            self.assertEqual(db.execute(count).fetchone()[0], before)
            child.send_signal(signal.SIGINT)
            self.finish(child, 130)

    def test_the_trials_command_reads_beside_the_run(self):
        ini = self.cpp_experiment("learns", "x = uniform(0, 1)\nsteps = 100000000")
        child = self.start("run", ini, "-o", "json", program=FAULTY_NODE)
        self.wait_until(lambda: self.rows_if_any("SELECT 1 FROM results"), child)

        told = self.run_node("trials", "results/x", "-o", "json").json()

        self.assertEqual([row["status"] for row in told], ["RUNNING"])
        child.send_signal(signal.SIGINT)
        self.assertEqual(json.loads(self.finish(child, 130).out)["status"], "interrupted")


if __name__ == "__main__":
    main()
