# SPDX-License-Identifier: BSD-3-Clause
"""Trials that mount something below their directories: no user data are removed with it, and a
file system that never answers blocks nobody. The mounts are visible to this test only; it needs
root, and says so and exits 77 if it may not mount."""
import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import own_mounts
import test_head
from e2e import CertifiedCase

TRIAL = Path(__file__).with_name("mounting_trial.py")
# Time in which a program that is told to end must end.
SOON = 60


class Mounts(CertifiedCase):
    worker = test_head.Head.worker
    submit = test_head.Head.submit
    wait_for_reports = test_head.Head.wait_for_reports
    stop = test_head.Head.stop

    def setUp(self):
        super().setUp()
        self.storage = self.directory / "results"
        self.victim = self.directory / "precious"
        (self.victim / "deep").mkdir(parents=True)
        (self.victim / "data").write_text("x")
        (self.victim / "deep" / "more").write_text("x")
        self.addCleanup(self.unmount)

    def head(self, *words, **how):
        """Starts a head whose clients do not look for another one: some tests end it by force."""
        return test_head.Head.head(self, "--head-grace", "0", *words, **how)

    def unmount(self):
        with open("/proc/self/mounts", encoding="utf-8") as mounts:
            found = [line.split()[1] for line in mounts if str(self.directory) in line]
        for place in reversed(found):
            subprocess.run(["umount", "-l", place], check=False)

    def mounting(self, kind, victim=None, more="", trainable="", samples=2):
        place = self.directory / ("client-" + kind)
        place.mkdir()
        path = place / "x.ini"
        path.write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n"
            "[trainable]\ncommand = %s %s %s %s\n%s\n[space]\nx = uniform(0, 1)\n"
            "[cluster]\ncpus = 2\n[failure]\nbackoff = 0\n%s\n"
            % (samples, sys.executable, TRIAL, kind, victim or "", trainable, more)
        )
        return path

    def assert_whole(self):
        self.assertEqual((self.victim / "data").read_text(), "x")
        self.assertEqual((self.victim / "deep" / "more").read_text(), "x")

    # -- Data that is somebody's.

    def test_a_worker_leaves_what_a_trial_mounted_and_says_so(self):
        head, where = self.head("--no-local")
        log = self.directory / "w.log"
        work = self.directory / "work-w"
        with open(log, "w", encoding="utf-8") as err:
            worker = self.start(
                *("worker", "--join", where, "--name", "w", "--cpus", 2, "--certs", self.certs),
                *("--work", work, "--once"), stderr=err
            )

        self.finish(self.submit(self.mounting("own", self.victim), where))
        self.stop(head)
        self.finish(worker)

        self.assert_whole()
        self.assertIn("something is mounted there, and stays: unmount it", log.read_text())

    def test_nothing_that_is_mounted_goes_with_an_experiment(self):
        ini = self.mounting("own", self.victim)
        self.finish(self.start("run", ini))

        told = self.finish(self.start("run", ini, "--overwrite", "--yes"), 8)

        self.assertIn("something is mounted there, and stays: unmount it", told.err)
        self.assert_whole()
        self.unmount()
        self.finish(self.start("run", self.mounting("again"), "--overwrite", "--yes"))
        self.assert_whole()

    def test_a_checkpoint_with_a_mount_is_refused_and_its_data_stays(self):
        ini = self.mounting("save", self.victim, "[checkpoint]\nfrequency = 2\nkeep = 1\n")

        self.finish(self.start("run", ini))

        self.assert_whole()
        saved = self.run_node("fsck", self.storage / "x")
        self.assertIn("something is mounted", saved.out)
        self.unmount()
        self.run_node("resume", self.storage / "x")
        self.assertNotIn("leftover", self.run_node("fsck", self.storage / "x").out)
        self.assert_whole()

    def test_an_export_with_a_mount_that_failed_leaves_the_data(self):
        ini = self.mounting("export", self.victim, trainable="export = model\n")

        self.start("run", ini).wait()

        self.assert_whole()

    # -- File systems that do not answer.

    def ends_well(self, kind, more=""):
        began = time.monotonic()
        ran = self.start("run", self.mounting(kind, more=more, samples=4))
        told = self.finish(ran, None)
        self.assertLess(time.monotonic() - began, SOON, told)
        rows = self.rows("SELECT trial, status FROM trials WHERE trial > 0")
        self.assertEqual([row["status"] for row in rows], ["TERMINATED"] * 3)
        return told

    def test_a_file_system_that_never_answers_in_a_trials_place_costs_its_files_alone(self):
        told = self.ends_well("own")

        self.assertRegex(told.err, "trial 00000: its files are not written: .* is a mount point")

    def test_one_that_is_handed_over_costs_that_checkpoint_alone(self):
        self.ends_well("hand")

    def test_one_in_a_checkpoint_costs_that_save_alone(self):
        self.ends_well("save", "[checkpoint]\nfrequency = 2\n")

    def test_one_that_appears_after_the_word_of_a_save_costs_that_save_alone(self):
        seed = random.randrange(1 << 32)
        chance = random.Random(seed)
        for place in ("draft", "deep", "file"):
            with self.subTest(place, seed=seed):
                self.saves_of_others_go_on(place, chance.randint(0, 30))
                self.unmount()

    def saves_of_others_go_on(self, place, moment):
        name = "saved-" + place
        flag = self.directory / (name + "-mounted")
        kept = "[checkpoint]\nfrequency = 2\n[resources]\ncpu = 1\n"
        ini = self.mounting(name, "%d %s" % (moment, flag), kept, samples=5)
        ran = self.start("run", ini, "--experiment.name", name)
        self.wait_until(flag.exists, ran, "a mount")

        ended = "SELECT * FROM trials WHERE trial > 0 AND status = 'TERMINATED'"
        self.wait_until(lambda: len(self.rows(ended, name)) == 4, ran, "the end of all others")

        saved = self.rows("SELECT DISTINCT trial FROM checkpoints WHERE trial > 0", name)
        self.assertEqual(len(saved), 4)
        failed = "SELECT reason FROM decisions WHERE trial = 0 AND action = 'save_failed'"
        self.wait_until(lambda: self.rows(failed, name), ran, "the end of its own save")
        reason = self.rows(failed, name)[0]["reason"]
        # A mount that comes before the first look at the draft is reported by the mount point's own
        # name.
        self.assertRegex(reason, "something is mounted at|is a mount point")
        self.assertIn("checkpoint_000001.tmp", reason)
        ran.send_signal(signal.SIGINT)
        self.finish(ran, None)
        self.assert_no_trial_processes()

    def test_one_in_an_export_costs_that_export_alone(self):
        ini = self.mounting("export", trainable="export = model\n")

        self.start("run", ini).wait(SOON)

        rows = self.rows("SELECT trial, status FROM trials WHERE trial > 0")
        self.assertEqual([row["status"] for row in rows], ["TERMINATED"])

    def mount_dead(self, place):
        """Mounts a file system that never answers, for as long as the test lasts."""
        held = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        self.addCleanup(os.close, held)
        words = "fd=%d,rootmode=40000,user_id=0,group_id=0" % held
        done = ctypes.CDLL(None).mount(b"dead", os.fsencode(place), b"fuse", 0, words.encode())
        self.assertEqual(done, 0)

    def mount_what_is_wanted(self, asked, child):
        wanted = asked / "wanted"
        self.wait_until(wanted.exists, child, "a place to mount at")
        self.mount_dead(wanted.read_text())
        wanted.unlink()
        (asked / "done").touch()

    def test_one_that_outlasts_its_trial_stops_no_later_attempt_and_no_later_run(self):
        asked = self.directory / "asked"
        asked.mkdir()
        ini = self.mounting("lasting", asked, more="max_failures = 1\n", samples=3)
        ran = self.start("run", ini)
        self.mount_what_is_wanted(asked, ran)

        told = self.finish(ran, None)

        self.assertIn("is a mount point", told.err)
        rows = self.rows("SELECT trial, status FROM trials WHERE trial > 0")
        self.assertEqual([row["status"] for row in rows], ["TERMINATED"] * 2)
        self.run_node("fsck", self.storage / "x")
        self.run_node("resume", self.storage / "x", "--experiment.num_samples", 4)
        told = self.run_node("run", ini, "--overwrite", "--yes", code=8)
        self.assertIn("something is mounted there", told.err)

    def test_one_where_a_trial_is_to_go_on_from_costs_that_trial_alone(self):
        for where in ("here", "worker"):
            with self.subTest(where):
                self.goes_on_without_its_checkpoint(where)
                self.unmount()

    def goes_on_without_its_checkpoint(self, where):
        asked = self.directory / ("asked-" + where)
        asked.mkdir()
        ini = self.mounting(
            "restored", asked, more="max_failures = 1\n[checkpoint]\nfrequency = 2\n", samples=3
        )
        ini = ini.rename(ini.with_name(where + ".ini"))
        ini.parent.rename(ini.parent.with_name(where))
        ini = self.directory / where / ini.name
        if where == "here":
            ran, ends = self.start("run", ini), []
        else:
            head, there = self.head("--no-local")
            ends = [self.worker(there, "w", "--own-storage", cpus=2)]
            ran = self.submit(ini, there)
        saved = "SELECT * FROM checkpoints WHERE trial = 0"
        self.wait_until(lambda: self.rows_if_any(saved, where), ran, "a checkpoint")
        (asked / "saved").touch()
        self.mount_what_is_wanted(asked, ran)

        told = self.finish(ran, None)

        self.assertIn("the checkpoint cannot be restored: ", told.err)
        self.assertIn("is a mount point", told.err)
        rows = self.rows("SELECT status FROM trials ORDER BY trial", where)
        self.assertEqual([x["status"] for x in rows], ["ERRORED", "TERMINATED", "TERMINATED"])
        if ends:
            self.stop(head)
            self.finish(ends[0])

    def stands_well(self, kind, *words):
        """A client's trial mounts something and goes on; another client's experiment finishes
        meanwhile, and all end when told to."""
        head, where = self.head(*words, cpus=4)
        workers = [self.worker(where, "w", "--own-storage", cpus=4)] if words else []
        flag = self.directory / "mounted"
        ini = self.mounting(kind, "- %s" % flag, "[checkpoint]\nfrequency = 2\n", samples=1)
        told = self.submit(ini, where)
        self.wait_until(flag.exists, told, "a mount")

        began = time.monotonic()
        other = self.mounting("none", more="[checkpoint]\nfrequency = 2\n", samples=8)
        self.finish(self.submit(other, where, "--experiment.name", "other"))
        self.assertLess(time.monotonic() - began, SOON)
        for row in self.rows("SELECT trial FROM trials", "other"):
            lines = self.trial_file(row["trial"], "result.jsonl", "other").read_text()
            self.assertEqual(len(lines.splitlines()), 4)
        saved = self.rows("SELECT DISTINCT trial FROM checkpoints", "other")
        self.assertEqual(len(saved), 8)

        began = time.monotonic()
        self.stop(head)
        self.assertLess(time.monotonic() - began, SOON)
        for worker in workers:
            self.finish(worker)
        told.communicate()

    def test_one_in_a_trials_place_stops_neither_the_head_nor_its_other_clients(self):
        self.stands_well("own")

    def test_one_that_is_handed_over_stops_neither_the_head_nor_its_other_clients(self):
        self.stands_well("hand")

    def test_one_on_a_worker_stops_neither_its_artifacts_nor_other_clients(self):
        self.stands_well("below", "--no-local")

    def test_one_in_a_trials_place_on_a_worker_stops_nobody(self):
        self.stands_well("own", "--no-local")

    def test_ctrl_c_ends_a_run_that_waits_for_a_checkpoint_from_one(self):
        ran = self.start("run", self.mounting("hand", samples=1))
        self.wait_until(lambda: self.rows_if_any("SELECT * FROM results"), ran, "a report")

        began = time.monotonic()
        ran.send_signal(signal.SIGINT)
        self.finish(ran, None)

        self.assertLess(time.monotonic() - began, SOON)
        self.assert_no_trial_processes()

    def others_run(self, where):
        for name in ("other", "third"):
            other = self.mounting(name, more="[checkpoint]\nfrequency = 2\n", samples=4)
            self.finish(self.submit(other, where, "--experiment.name", name))

    def leaves_off(self, head, told):
        head.send_signal(signal.SIGTERM)
        self.wait_until(lambda: "leaving off in order" in self.log.read_text(), head, "its word")
        # A signal of the same kind would count as an echo within a second.
        head.send_signal(signal.SIGINT)
        self.assertIn(head.wait(SOON), (130, 143))
        told.communicate()

    def test_one_upon_all_trials_of_an_experiment_stops_no_other_client(self):
        head, where = self.head(cpus=4)
        endless = self.mounting("none", samples=100000, trainable="[resources]\ncpu = 1\n")
        told = self.submit(endless, where, "--experiment.max_concurrent_trials", 2)
        self.wait_for_reports("x", 8, told)
        self.mount_dead(self.storage / "x" / "trials")
        launched = "SELECT * FROM attempts WHERE coalesce(pid, 0) = 0 AND ended IS NULL"
        self.wait_until(lambda: len(self.rows(launched)) == 2, head, "trials that cannot begin")

        self.others_run(where)

        self.leaves_off(head, told)

    def test_one_upon_a_program_stops_no_other_client(self):
        head, where = self.head(cpus=4)
        place = self.directory / "client-programs"
        (place / "bin").mkdir(parents=True)
        program = place / "bin" / "train"
        program.write_text("#!/bin/sh\necho loss=1\n")
        program.chmod(0o755)
        (place / "x.ini").write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 100000\n"
            "max_concurrent_trials = 2\n[trainable]\ncommand = %s {x}\n"
            "metric.loss = loss={number}\n[space]\nx = uniform(0, 1)\n" % program)
        told = self.submit(place / "x.ini", where)
        self.wait_for_reports("x", 8, told)
        self.mount_dead(program.parent)
        launched = "SELECT * FROM attempts WHERE coalesce(pid, 0) = 0 AND ended IS NULL"
        self.wait_until(lambda: len(self.rows(launched)) == 2, head, "trials that cannot begin")

        self.others_run(where)

        self.leaves_off(head, told)

    def test_one_upon_trials_that_save_stops_no_other_client(self):
        head, where = self.head(cpus=4)
        # More trials than the head has threads for its actors.
        saving = "[resources]\ncpu = 0.25\n[checkpoint]\nfrequency = 1\n"
        endless = self.mounting("endless", trainable=saving, samples=8)
        told = self.submit(endless, where)
        self.wait_for_reports("x", 24, told)
        self.mount_dead(self.storage / "x" / "trials")
        before = self.rows("SELECT count(*) AS many FROM results")[0]["many"]
        self.wait_for_reports("x", before + 8, told)

        self.others_run(where)

        self.leaves_off(head, told)

    def test_one_upon_trials_that_save_on_a_worker_stops_no_other_client_there(self):
        head, where = self.head("--no-local")
        log = self.directory / "w.log"
        # It writes into the directories of its head, since both are on the same machine.
        with open(log, "w", encoding="utf-8") as err:
            worker = self.start(
                *("worker", "--join", where, "--name", "w", "--cpus", 4, "--certs", self.certs),
                *("--work", self.directory / "work-w"), stderr=err
            )
        saving = "[resources]\ncpu = 0.25\n[checkpoint]\nfrequency = 1\n"
        endless = self.mounting("endless", trainable=saving, samples=4)
        told = self.submit(endless, where)
        self.wait_for_reports("x", 12, told)
        saved = "SELECT * FROM checkpoints"
        self.wait_until(lambda: self.rows_if_any(saved), told, "a checkpoint")
        self.mount_dead(self.storage / "x" / "trials")
        before = self.rows("SELECT count(*) AS many FROM results")[0]["many"]
        # Each trial waits for its checkpoint sooner or later.
        self.wait_for_reports("x", before + 1, told)

        self.others_run(where)
        for name in ("other", "third"):
            self.assertTrue(self.rows(saved, name))

        # The kernel may release two processes that wait at one mount only one after the other.
        head.send_signal(signal.SIGTERM)
        # A signal of the same kind would count as an echo.
        for how, word in ((signal.SIGTERM, "once more to hand them back"),
                          (signal.SIGINT, "once more to leave at once"), (signal.SIGHUP, "")):
            worker.send_signal(how)
            self.wait_until(lambda word=word: word in log.read_text(), what="a word of the worker")
        head.send_signal(signal.SIGINT)
        self.assertIn(worker.wait(SOON), (129, 130, 143))
        self.assertIn(head.wait(SOON), (130, 143))
        told.communicate()

    def test_one_upon_trials_whose_workers_have_a_storage_of_their_own_stops_no_other_client(self):
        head, where = self.head("--no-local")
        worker = self.worker(where, "w", "--own-storage", cpus=4)
        saving = "[resources]\ncpu = 0.25\n[checkpoint]\nfrequency = 1\n"
        told = self.submit(self.mounting("talking", trainable=saving, samples=4), where)
        saved = "SELECT * FROM checkpoints"
        self.wait_until(lambda: self.rows_if_any(saved), told, "a checkpoint")
        self.mount_dead(self.storage / "x" / "trials")
        # Output and checkpoints from now on go to a file system that never answers.
        before = self.rows("SELECT count(*) AS many FROM results")[0]["many"]
        self.wait_for_reports("x", before + 1, told)

        self.others_run(where)
        for name in ("other", "third"):
            self.assertTrue(self.rows(saved, name))
            for row in self.rows("SELECT trial FROM trials WHERE trial > 0", name):
                text = self.trial_file(row["trial"], "stdout", name).read_text()
                self.assertEqual(text, "four reports\n")

        self.leaves_off(head, told)
        self.finish(worker, None)

    def test_one_that_trials_print_upon_first_stops_no_other_client(self):
        head, where = self.head(cpus=4)
        asked = self.directory / "asked"
        asked.mkdir()
        late = self.mounting("late", asked, trainable="[resources]\ncpu = 1\n", samples=2)
        told = self.submit(late, where)
        self.wait_for_reports("x", 2, told)
        self.mount_dead(self.storage / "x" / "trials")
        (asked / "done").touch()
        printed = lambda: len(list(asked.glob("printed-*"))) == 2
        self.wait_until(printed, head, "words of both trials")

        self.others_run(where)
        self.leaves_off(head, told)

    # -- Directories that are the user's own.

    def refused(self, work, named):
        commands = (
            ("worker", "--join", "127.0.0.1:1", "--certs", self.certs, "--work", work),
            ("head", "--listen", "127.0.0.1:0", "--certs", self.certs,
             "--storage", self.storage, "--work", work),
        )
        for words in commands:
            with self.subTest("%s: %s" % (words[0], named)):
                told = self.run_node(*words, code=7)

                self.assertIn("%s cannot be the work directory: %s is" % (work, named), told.err)

    def test_a_work_directory_that_is_the_users_own_is_refused_and_stays_as_it_is(self):
        home = self.directory / "home"
        for name in ("thesis.txt", "content/incoming/abc123", "jobs/2024-thesis/chapter1",
                     "jobs/.over-night/x", "jobs/loads/files.complete"):
            owned = home / name
            owned.parent.mkdir(parents=True)
            owned.write_text("x")
            home.chmod(0o755)

            top = home / Path(name).parts[0]
            self.refused(home, owned.parent if "thesis/" in name else top)

            self.assertEqual(owned.read_text(), "x")
            self.assertEqual([x for x in home.rglob("*") if x.is_file()], [owned])
            self.assertEqual(home.stat().st_mode & 0o777, 0o755)
            shutil.rmtree(home)

    def test_a_work_directory_with_something_else_in_the_place_of_jobs_is_refused(self):
        work = self.directory / "work"
        self.run_node("worker", "--join", "127.0.0.1:1", "--certs", self.certs, "--work", work,
                      "--join-timeout", "1ms", code=6)
        for make in (Path.touch, os.mkfifo, lambda x: x.symlink_to(self.victim),
                     lambda x: x.symlink_to("/nowhere")):
            jobs = work / "jobs"
            make(jobs)

            self.refused(work, jobs)

            jobs.unlink()
        self.assert_whole()


def why_not():
    """The reason why the tests cannot run here; None if they can."""
    return None if os.access("/dev/fuse", os.R_OK | os.W_OK) else "there is no /dev/fuse"


if __name__ == "__main__":
    own_mounts.main(why_not())
