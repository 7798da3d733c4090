# SPDX-License-Identifier: BSD-3-Clause
"""A program that cannot get more memory or more threads: it ends by itself and says why, and its
record is not harmed."""
import os
import random
import resource
import signal
import threading
import subprocess
import unittest

from disk import LONG, SEED, DiskCase, Record
from e2e import FAULTY_NODE, main

MIB = 1 << 20

# A thread takes as much memory as the caller allows for its stack: here the usual amount.
STACK = 8 * MIB

# A user without other processes: the limit counts all processes of a user, and does not apply to
# root.
USER = 1_000_000 + os.getpid()


class Limits(DiskCase):
    def setUp(self):
        super().setUp()
        most = resource.getrlimit(resource.RLIMIT_STACK)[1]
        if most != resource.RLIM_INFINITY and most < STACK:
            self.skipTest("stacks may not be as large as they mostly are (ulimit -H -s)")

    def run_limited(self, *words, program=FAULTY_NODE, **limits):
        """Runs a program with these limits, named as in `resource`. Returns how it ended; it must
        end."""

        def give_little():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
            for name, value in limits.items():
                resource.setrlimit(getattr(resource, name), (value, value))
            if "RLIMIT_NPROC" in limits:
                os.setgroups([])
                os.setgid(USER)
                os.setuid(USER)

        self.note(runs=1)
        child = self.start(*words, program=program, preexec_fn=give_little)
        # Where no trial gets a thread, the run waits for one, for as long as it takes.
        patience = threading.Timer(20, child.send_signal, [signal.SIGINT])
        patience.start()
        try:
            return self.finish(child, None)
        finally:
            patience.cancel()

    def assert_told(self, ran):
        """Checks that the last words are a line with the reason and the next step."""
        last = ran.err.splitlines()[-1:]
        self.assertRegex("".join(last), "^(tune-node( head| worker)?: .|Fatal glibc error: )", ran)

    def try_limit(self, **limits):
        """Checks that a run with these limits leaves its record intact and resumable. Returns how
        it ended."""
        where = self.fresh()
        ran = self.run_limited(*self.words(), **limits)
        before = Record(where)
        self.assert_acknowledged(where, before)
        if before.events:
            self.fsck(where)
        # A trial for which there was no thread may have failed for good, and a run whose node has
        # none for any trial is interrupted. The C library aborts if it cannot get the few bytes of
        # a thread's own variables; its loader, if it cannot load a library, ends with 127.
        self.assertIn(ran.code, (0, 1, 5, 7, 75, 127, 130, -6), ran)
        if ran.code == 127:
            self.assertIn("error while loading shared libraries", ran.err)
            self.assertFalse(before.events)
        if ran.code in (1, 7, -6):
            self.assert_told(ran)
        if ran.code in (1, 7, 75, 130, -6):
            self.resume(where, before, counts=None)
        return ran.code

    def campaign(self, name, limit, drawn):
        """Tries all these values of one limit, and reports how many runs ended in which way."""
        ends = {}
        for value in drawn:
            with self.subTest(limit=value, seed=SEED):
                code = self.try_limit(**{limit: value})
                ends[code] = ends.get(code, 0) + 1
        self.tell(name, ends=ends)


class MemoryLimit(Limits):
    def test_the_record_outlives_a_few_limits(self):
        # Too little for one thread, for all threads, or for their work; in the middle of the
        # trials.
        for limit in (40, 100, 230, 260, 300):
            with self.subTest(limit=limit):
                self.try_limit(RLIMIT_AS=limit * MIB)

    def test_what_has_no_room_for_its_threads_makes_nothing(self):
        where = self.fresh()

        ran = self.run_limited(*self.words(), RLIMIT_AS=100 * MIB)

        self.assertEqual(ran.code, 1, ran)
        self.assertRegex(ran.err, "only [0-9]+ of [0-9]+ threads can be started: .*ulimit -v")
        self.assertFalse(where.exists())

    @unittest.skipUnless(LONG, "a campaign of the night; TUNE_LONG=1 runs it")
    def test_the_record_outlives_any_limit(self):
        draw = random.Random(SEED)
        # From too little to start up to enough, in random steps.
        limits = [(40 + draw.randrange(500)) * MIB + draw.randrange(MIB) for _ in range(150)]
        self.campaign("memory_limit", "RLIMIT_AS", limits)


@unittest.skipUnless(os.geteuid() == 0, "only root may become a user without other processes")
class ThreadLimit(Limits):
    def setUp(self):
        super().setUp()
        self.directory.chmod(0o777)
        self.script.chmod(0o644)
        try:
            self.run_limited("version", RLIMIT_NPROC=100)
        except (PermissionError, subprocess.SubprocessError) as why:
            self.skipTest("other users may not run %s: %s" % (FAULTY_NODE, why))
        forked = self.run_limited("-c", "true & wait $!", program="/bin/sh", RLIMIT_NPROC=1)
        if forked.code == 0:
            self.skipTest("the number of processes is not limited here")

    def assert_too_few(self, ran):
        self.assertEqual(ran.code, 1, ran)
        self.assertRegex(ran.err, "only [0-9]+ of [0-9]+ threads can be started: .*ulimit -u")

    def test_a_run_with_few_threads_says_so_and_makes_nothing(self):
        for limit in (1, 2, 3, 8, 15):
            with self.subTest(limit=limit):
                where = self.fresh()

                ran = self.run_limited(*self.words(), RLIMIT_NPROC=limit)

                self.assert_too_few(ran)
                self.assertFalse(where.exists())

    def test_head_worker_and_client_with_few_threads_say_so(self):
        self.fresh()
        plain = ["--insecure-plaintext"]
        for words in (
            ["head", "--listen", "127.0.0.1:0", "--no-local", "--work", "work", *plain],
            ["worker", "--join", "127.0.0.1:1", "--work", "work", *plain],
            [*self.words(), "--head", "127.0.0.1:1", "--cluster.insecure_plaintext", "true"],
        ):
            for limit in (1, 3, 8):
                with self.subTest(program=words[0], limit=limit):
                    self.assert_too_few(self.run_limited(*words, RLIMIT_NPROC=limit))

    @unittest.skipUnless(LONG, "a campaign of the night; TUNE_LONG=1 runs it")
    def test_the_record_outlives_any_limit_of_threads(self):
        self.campaign("thread_limit", "RLIMIT_NPROC", range(1, 33))


if __name__ == "__main__":
    main()
