# SPDX-License-Identifier: BSD-3-Clause
"""Very large files of a job: reading them is reported, can be interrupted, and has a limit."""
import json
import os
import pty
import re
import signal

from e2e import CertifiedCase, main

GIB = 1024 ** 3
# Takes hours to read, but no space.
ENDLESS = 10_000 * GIB

SIGNALS = ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129))


class Reading(CertifiedCase):
    def sparse(self, size, name="data/huge.bin"):
        path = self.directory / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.truncate(path, size)
        return path

    def job(self, more="max_files_size = 0\n", size=ENDLESS):
        """An experiment whose workers need a file of this size."""
        self.sparse(size)
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 1\n[trainable]\n"
            "command = ./plain.sh {x}\nmetric.loss = loss=(\\S+)\nfiles = data\n%s[space]\nx = 1\n"
            % more
        )

    def setUp(self):
        super().setUp()
        script = self.directory / "plain.sh"
        script.write_text("#!/bin/sh\necho loss=$1\n")
        script.chmod(0o755)
        self.log = self.directory / "log"

    def start_logged(self, *words):
        with open(self.log, "w", encoding="utf-8") as err:
            return self.start(*words, "--certs", self.certs, stderr=err)

    def head(self):
        """Starts a standing head. Returns it and its address."""
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            head = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--work"),
                *(self.directory / "work", "--storage", self.directory / "kept"), stderr=err
            )
        self.wait_until(lambda: "experiments may come" in log.read_text(), head, "an open port")
        self.head_log = log
        return head, re.search(r"--head (\S+)", log.read_text()).group(1)

    def wait_until_it_reads(self, child):
        self.wait_until(
            lambda: "reading files for workers: " in self.log.read_text(), child, "a word of it"
        )

    def assert_told(self):
        """Checks for one line with the progress, the total, and the place."""
        self.assertRegex(
            self.log.read_text(),
            r"(?m)^tune-node: reading files for workers: \S+ [KMG]iB of 9.8 TiB, in \S+/huge.bin$",
        )

    # -- Signals.

    def test_signals_end_a_run_that_reads_for_its_workers(self):
        ini = self.job()
        for number, code in SIGNALS:
            with self.subTest(number.name):
                run = self.start_logged("run", ini, "--listen", "127.0.0.1:0")
                self.wait_until_it_reads(run)
                run.send_signal(number)

                ran = self.finish(run, code)

                self.assertEqual(ran.out, "")
                self.assert_told()
                self.assertFalse((self.directory / "results").exists())

    def test_a_numbered_name_is_given_back(self):
        run = self.start_logged(
            "run", self.job(), "--listen", "127.0.0.1:0", "--experiment.name", "auto"
        )
        self.wait_until_it_reads(run)
        self.assertEqual(os.listdir(self.directory / "results"), ["x"])
        run.send_signal(signal.SIGINT)

        self.finish(run, 130)

        self.assertEqual(os.listdir(self.directory / "results"), [])

    def test_signals_end_a_client_that_reads_for_its_head(self):
        ini = self.job()
        head, where = self.head()
        for number, code in SIGNALS:
            with self.subTest(number.name):
                client = self.start_logged("run", ini, "--head", where)
                self.wait_until_it_reads(client)
                client.send_signal(number)

                self.finish(client, code)

                self.assert_told()
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        self.assertNotIn("experiment x", self.head_log.read_text())
        kept = os.listdir(self.directory / "kept")
        self.assertEqual([x for x in kept if not x.startswith(".tune_")], [])

    def test_ctrl_c_ends_the_question_whether_to_remove_an_experiment(self):
        ini = self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[trainable]\ncommand = ./plain.sh {x}\n"
            "metric.loss = loss=(\\S+)\n[space]\nx = 1\n"
        )
        self.run_node("run", ini, "--quiet")
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        run = self.start("run", ini, "--overwrite", stdin=theirs, stderr=theirs)
        os.close(theirs)
        said = b""
        while b"[y/N]" not in said:
            said += os.read(ours, 4096)
        run.send_signal(signal.SIGINT)

        self.finish(run, 130)

        self.assertEqual(len(self.rows("SELECT * FROM trials")), 1)

    # -- Talk.

    def test_who_wants_no_talk_hears_nothing(self):
        run = self.start_logged("run", self.job(), "--listen", "127.0.0.1:0", "--quiet")
        read = "/proc/%d/io" % run.pid

        def has_read_for_long():
            with open(read, encoding="ascii") as now:
                return int(re.search(r"rchar: (\d+)", now.read()).group(1)) > GIB

        self.wait_until(has_read_for_long, run, "a GiB that was read")
        run.send_signal(signal.SIGTERM)

        self.finish(run, 143)

        self.assertEqual(self.log.read_text(), "")

    # -- The limit.

    def assert_refused(self, ran, *texts):
        for text in texts:
            self.assertIn(text, ran.err)
        self.assertEqual(len(ran.err.splitlines()), 1, ran)
        self.assertFalse((self.directory / "results").exists())

    def test_more_than_the_limit_is_refused_unread(self):
        huge = str(self.directory / "data/huge.bin")
        for more, limit in (("", "10 GiB"), ("max_files_size = 3GiB\n", "3 GiB")):
            with self.subTest(limit):
                ini = self.job(more)
                self.sparse(GIB, "data/small.bin")

                ran = self.run_node(
                    "run", ini, "--listen", "127.0.0.1:0", "--certs", self.certs, code=3
                )

                self.assert_refused(
                    ran, '[trainable] files: "data": ' + huge, "has 9.8 TiB", "all 3 files together",
                    "more than " + limit, "max_files_size", "raise it",
                )

    def test_a_client_refuses_it_likewise(self):
        head, where = self.head()

        ran = self.run_node(
            "run", self.job(""), "--head", where, "--certs", self.certs, code=3
        )

        self.assert_refused(ran, "data/huge.bin has 9.8 TiB", "10 GiB", "max_files_size")
        head.send_signal(signal.SIGTERM)
        self.finish(head)

    def test_a_byte_too_much_is_told_as_a_byte(self):
        size = (self.directory / "plain.sh").stat().st_size + 1024 + 1
        ini = self.job("max_files_size = %d\n" % (size - 1), 1024 + 1)

        ran = self.run_node("run", ini, "--listen", "127.0.0.1:0", "--certs", self.certs, code=3)

        self.assert_refused(ran, "data/huge.bin has 1 KiB", "1 bytes more than")
        ini.write_text(ini.read_text().replace(str(size - 1), str(size)))
        told = self.run_node(
            *("run", ini, "--listen", "127.0.0.1:0", "--certs", self.certs, "-o", "json")
        )
        self.assertEqual(told.json()["counts"]["TERMINATED"], 1)

    def test_where_no_worker_may_join_nothing_is_read(self):
        told = self.run_node("run", self.job(""), "-o", "json")

        self.assertEqual(told.json()["counts"]["TERMINATED"], 1)


if __name__ == "__main__":
    main()
