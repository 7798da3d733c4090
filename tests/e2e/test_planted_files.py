# SPDX-License-Identifier: BSD-3-Clause
"""Trials that put named pipes, links, devices and sockets in the place of files: no run,
neighbouring trial, head or worker blocks on one, and nothing is written elsewhere through one."""
import os
import signal
import sys
import time
from pathlib import Path

import test_head
from e2e import CertifiedCase, main

TRIAL = Path(__file__).with_name("spiteful_trial.py")
FILES = ("stdout", "stderr", "params.json", "result.jsonl", "progress.csv", "error.txt")
# Time in which a program must end when told to. It takes a second.
SOON = 30


class Planted(CertifiedCase):
    head = test_head.Head.head
    worker = test_head.Head.worker
    submit = test_head.Head.submit
    job = test_head.Head.job
    stop = test_head.Head.stop

    def setUp(self):
        super().setUp()
        self.storage = self.directory / "results"
        self.flag = self.directory / "go-on"

    def spiteful(self, name, plants, kind, wait=False, more=""):
        """An experiment of one trial, in a directory of its own."""
        place = self.directory / ("client-" + name)
        place.mkdir()
        path = place / (name + ".ini")
        path.write_text(
            "[experiment]\nmetric = loss\nmode = min\n[trainable]\ncommand = %s %s '%s' %s %s\n"
            "[space]\nx = 1\n[failure]\nbackoff = 0\nmax_failures = 1\n%s\n"
            % (sys.executable, TRIAL, plants, kind, self.flag if wait else "", more)
        )
        return path

    def local(self, ini, *words):
        return self.start("run", ini, "-o", "json", *words)

    def ends_soon(self, child, number, code):
        """Sends a signal, and checks that the program ends soon."""
        began = time.monotonic()
        child.send_signal(number)
        told = self.finish(child, code)
        self.assertLess(time.monotonic() - began, SOON, told)
        return told

    def wait_for_second_attempt(self, name, child):
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT * FROM results", name)) >= 3,
            child, "a report of the second attempt",
        )

    def assert_regular(self, experiment, names=FILES):
        for name in names:
            file = self.trial_file(0, name, experiment)
            self.assertTrue(file.is_file() and not file.is_symlink(), name)
            self.assertEqual(file.stat().st_nlink, 1, name)

    # -- A run of its own.

    def test_a_run_goes_on_whatever_lies_in_the_place_of_a_file(self):
        kinds = ("fifo", "link-to-fifo", "link-to-zero", "link-to-file", "hard-link", "socket")
        for number, plants in enumerate(FILES):
            for kind in kinds if plants in ("stdout", "result.jsonl") else kinds[:2]:
                name = "x%d-%s" % (number, kind)
                with self.subTest(plants, kind=kind):
                    ran = self.finish(self.local(self.spiteful(name, plants, kind)))

                    self.assertEqual(ran.json()["counts"]["TERMINATED"], 1)
                    self.assert_regular(name)
                    lines = self.trial_file(0, "result.jsonl", name).read_text().splitlines()
                    self.assertEqual(len(lines), 3)
                    self.assertIn("words", self.trial_file(0, "stdout", name).read_text())
                    outside = self.storage / name / "trials" / ".00000 outside"
                    if outside.is_file():
                        self.assertEqual(outside.read_text(), "precious\n")

    def test_what_was_replaced_is_told_with_its_name(self):
        self.finish(self.local(self.spiteful("x", "stdout", "fifo")))
        told = self.finish(self.local(self.spiteful("y", "result.jsonl", "fifo")))

        # From the second attempt, or from the first if its output came to its file later.
        details = " ".join(x["detail"] for x in self.rows("SELECT * FROM attempts"))
        self.assertIn("stdout was a named pipe and is replaced by a new file", details)
        self.assertIn("result.jsonl was a named pipe and is replaced", told.err)

    def test_a_directory_in_the_place_of_parameters_fails_its_trial_only(self):
        ran = self.finish(self.local(self.spiteful("x", "params.json", "directory")), 5)

        self.assertEqual(ran.json()["counts"]["ERRORED"], 1)
        last = self.rows("SELECT * FROM attempts ORDER BY started")[-1]
        self.assertEqual(last["end_class"], "user_error")
        self.assertIn("params.json is a directory, not a file: remove it", last["detail"])

    def test_a_link_in_the_place_of_its_directory_fails_its_trial_only(self):
        ran = self.finish(self.local(self.spiteful("x", "../00000", "link-to-moved")), 5)

        self.assertEqual(ran.json()["counts"]["ERRORED"], 1)
        last = self.rows("SELECT * FROM attempts ORDER BY started")[-1]
        self.assertIn("00000 is a link, not a directory: remove it", last["detail"])

    def test_ctrl_c_ends_a_run_whatever_lies_there(self):
        for number, plants in enumerate(FILES):
            with self.subTest(plants):
                name = "x%d" % number
                run = self.local(self.spiteful(name, plants, "fifo", wait=True))
                self.wait_for_second_attempt(name, run)

                self.ends_soon(run, signal.SIGINT, 130)
                self.assert_no_trial_processes()

    def test_it_goes_on_after_an_interruption_whatever_lies_there(self):
        run = self.local(self.spiteful("x", "stdout", "fifo", wait=True))
        self.wait_for_second_attempt("x", run)
        self.ends_soon(run, signal.SIGINT, 130)
        places = [self.trial_file(0, name) for name in FILES]
        places.append(self.storage / "x" / "trials" / ".trial_files")
        for place in places:
            place.unlink(missing_ok=True)
            os.mkfifo(place)
        self.flag.touch()

        for look in (["trials"], ["status"], ["fsck"]):
            self.run_node(*look, self.storage / "x")
        logs = self.run_node("logs", self.storage / "x", 0, code=None)
        again = self.finish(self.local(self.directory / "client-x" / "x.ini", "--resume"))

        self.assertNotEqual(logs.code, 0)
        self.assertIn("stdout is a named pipe, not a file", logs.err)
        self.assertEqual(again.json()["counts"]["TERMINATED"], 1)
        self.assert_regular("x")

    # -- A directory that others may write into.

    def planted(self, name, link):
        """A directory of an experiment that has not begun, with a link to a precious file."""
        self.victim = self.directory / "victim"
        self.victim.write_text("precious\n")
        where = self.storage / name
        where.mkdir(parents=True)
        (where / link).symlink_to(self.victim)
        return self.spiteful(name, "none", "fifo")

    def test_nothing_is_written_through_links_of_others(self):
        ran = self.finish(self.local(self.planted("x", ".probe")))
        log = self.finish(self.local(self.planted("y", "run.log"), "--log.file", "run.log"), 7)
        lock = self.finish(self.local(self.planted("z", "lock")), 8)

        self.assertEqual(ran.json()["counts"]["TERMINATED"], 1)
        self.assertIn("run.log is a link, not a file of its own: remove it", log.err)
        self.assertIn("lock is a link: somebody else put it there; remove it", lock.err)
        self.assertEqual(self.victim.read_text(), "precious\n")

    def test_a_directory_where_everybody_may_replace_files_is_refused(self):
        ini = self.spiteful("x", "none", "fifo")
        where = self.storage / "x"
        where.mkdir(parents=True)
        where.chmod(0o777)
        refused = self.finish(self.local(ini), 8)
        where.chmod(0o1777)
        warned = self.finish(self.local(ini))

        self.assertIn("may be written by everybody (mode 0777)", refused.err)
        self.assertIn("chmod o-w %s" % where, refused.err)
        self.assertEqual(refused.out, "")
        self.assertEqual(warned.err.count("may be written by everybody (mode 1777)"), 1)
        self.assertEqual(warned.json()["counts"]["TERMINATED"], 1)

    def test_what_is_made_may_never_be_written_by_everybody(self):
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        self.finish(self.local(self.spiteful("x", "none", "fifo")))

        for place in (self.storage, self.storage / "x", self.storage / "x" / "trials"):
            self.assertEqual(place.stat().st_mode & 0o002, 0, place)

    # -- A standing head.

    def test_a_head_serves_its_other_clients_whatever_lies_there(self):
        head, where = self.head(cpus=8)
        spiteful = []
        for number, plants in enumerate(FILES):
            name = "s%d" % number
            ini = self.spiteful(name, plants, "fifo", wait=True)
            spiteful.append((name, self.submit(ini, where, "-o", "json")))
        other = self.submit(self.job("other", 4), where, "-o", "json")
        for name, child in spiteful:
            self.wait_for_second_attempt(name, child)

        self.assertEqual(self.finish(other).json()["counts"]["TERMINATED"], 4)
        third = self.finish(self.submit(self.job("third", 2), where, "-o", "json"))
        self.assertEqual(third.json()["counts"]["TERMINATED"], 2)
        self.ends_soon(head, signal.SIGTERM, 0)
        for _, child in spiteful:
            self.finish(child, 75)
        self.assert_no_trial_processes()

    def test_a_worker_and_its_head_carry_what_others_print(self):
        head, where = self.head("--no-local")
        worker = self.worker(where, "w", cpus=2)
        ini = self.spiteful("x", "std*", "fifo", wait=True)
        spiteful = self.submit(ini, where, "-o", "json")
        self.wait_for_second_attempt("x", spiteful)

        tail = "echo the end"
        told = self.finish(self.submit(self.job("other", 3, tail), where, "-o", "json"))

        self.assertEqual(told.json()["counts"]["TERMINATED"], 3)
        for trial in range(3):
            text = self.trial_file(trial, "stdout", "other").read_text()
            self.assertTrue(text.endswith("the end\n"), text)
        self.flag.touch()
        self.assertEqual(self.finish(spiteful).json()["counts"]["TERMINATED"], 1)
        self.stop(head)
        self.finish(worker)

    def test_a_head_writes_what_workers_print_into_no_pipe(self):
        head, where = self.head("--no-local")
        worker = self.worker(where, "w", cpus=2)
        ini = self.spiteful("x", "none", "fifo", wait=True)
        x = self.submit(ini, where, "-o", "json")
        self.wait_for_second_attempt("x", x)
        for name in ("stdout", "stderr"):
            self.trial_file(0, name).unlink(missing_ok=True)
            os.mkfifo(self.trial_file(0, name))
        self.flag.touch()

        self.assertEqual(self.finish(x).json()["counts"]["TERMINATED"], 1)
        other = self.finish(self.submit(self.job("other", 2), where, "-o", "json"))

        self.assertEqual(other.json()["counts"]["TERMINATED"], 2)
        self.stop(head)
        self.finish(worker)


if __name__ == "__main__":
    main()
