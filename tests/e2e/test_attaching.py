# SPDX-License-Identifier: BSD-3-Clause
"""Reattaching to an experiment that runs at a head."""
import csv
import io
import re
import signal

from e2e import CertifiedCase, main, stamps


class Attaching(CertifiedCase):
    def setUp(self):
        super().setUp()
        self.storage = self.directory / "results"
        self.log = self.directory / "head.log"
        with open(self.log, "w", encoding="utf-8") as err:
            self.head = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", 2),
                *("--storage", self.storage, "--work", self.directory / "work"), stderr=err
            )
        self.wait_until(lambda: "experiments may come" in self.log.read_text(), self.head, "a port")
        self.where = re.search(r"--head (\S+)", self.log.read_text()).group(1)
        self.flag = self.directory / "may go on"

    def tearDown(self):
        self.head.send_signal(signal.SIGTERM)
        self.finish(self.head)
        self.assert_no_trial_processes()

    def job(self, samples=2, rest=""):
        tail = 'until [ -e "%s" ]; do sleep 0.05; done\n%s' % (self.flag, rest)
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n[trainable]\n%s"
            "[space]\nx = uniform(0, 1)\n[failure]\nbackoff = 0\n"
            % (samples, self.three_reports(self.directory, "words", tail))
        )

    def submitted(self, *words, **job):
        """Submits an experiment, and waits until its trials have reported. Returns its client."""
        client = self.start(
            "run", self.job(**job), "--head", self.where, "--certs", self.certs, *words
        )
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT * FROM results")) >= 6,
            None if "--detach" in words else client, "reports",
        )
        return client

    def attach(self, *words, name="x", certs=None):
        return self.start(
            "attach", name, "--head", self.where, "--certs", certs or self.certs, *words
        )

    def attached(self, *words, certs=None):
        """Attaches a client, and waits until it has been let in. Returns it and its log."""
        log = self.directory / "attached.log"
        with open(log, "w", encoding="utf-8") as err:
            child = self.start(
                *("attach", "x", "--head", self.where, "--certs", certs or self.certs), *words,
                stderr=err
            )
        self.wait_until(lambda: "x runs at" in log.read_text(), child, "its experiment")
        return child, log

    def test_a_client_comes_back_and_sees_the_end_as_if_it_had_stayed(self):
        self.finish(self.submitted("--detach"))
        first, log = self.attached("-o", "json")
        second, _ = self.attached("-o", "csv")
        self.flag.touch()
        told = self.finish(first).json()
        rows = list(csv.DictReader(io.StringIO(self.finish(second).out)))
        self.assertEqual((told["status"], told["counts"]["TERMINATED"]), ("done", 2))
        self.assertEqual(told["directory"], str(self.storage / "x"))
        self.assertEqual([x["status"] for x in rows], ["TERMINATED"] * 2)
        self.assertRegex(log.read_text(), "trial 0000[01] TERMINATED|00001")

    def test_what_it_missed_comes_before_the_best_of_now(self):
        gate = self.directory / "the last may go on"
        self.flag.touch()
        self.finish(self.start(
            "run", self.job(4, 'case $TUNE_TRIAL_DIR in *00003*) until [ -e "%s" ]; do sleep 0.05;'
            " done ;; esac" % gate), "--head", self.where, "--certs", self.certs, "--detach"))
        ended = "SELECT * FROM trials WHERE status = 'TERMINATED'"
        self.wait_until(lambda: len(self.rows_if_any(ended)) == 3, what="the end of three")

        client, log = self.attached()
        self.wait_until(lambda: "best loss" in log.read_text(), client, "the best")
        gate.touch()
        self.finish(client)

        lines = log.read_text().splitlines()
        self.assertEqual(sum("TERMINATED" in line for line in lines), 4, lines)
        self.assertEqual(stamps(lines), sorted(stamps(lines)), lines)

    def test_its_exit_code_is_that_of_a_client_that_stayed(self):
        stays = self.submitted(rest="exit 3")
        back, _ = self.attached()
        self.flag.touch()
        how = self.finish(back, None)
        self.assertEqual(how.code, self.finish(stays, None).code)
        self.assertEqual(how.code, 5)
        self.assertIn("2 trials failed: user_error", how.out)

    def test_a_client_that_was_killed_comes_back(self):
        client = self.submitted("-o", "json")
        client.kill()
        self.finish(client, None)
        back, _ = self.attached("-o", "json")
        self.flag.touch()
        self.assertEqual(self.finish(back).json()["counts"]["TERMINATED"], 2)

    def test_ctrl_c_leaves_the_experiment_running(self):
        stays = self.submitted("-o", "json")
        back, log = self.attached()
        back.send_signal(signal.SIGINT)
        self.finish(back, 130)
        self.assertIn("it goes on; follow it again by tune-node attach x", log.read_text())
        self.flag.touch()
        self.assertEqual(self.finish(stays).json()["status"], "done")

    def test_nobody_else_may(self):
        self.finish(self.submitted("--detach"))
        other = self.directory / "other"
        self.run_node("certs", "issue", "other", "--out", other, "--certs", self.certs)
        refused = self.finish(self.attach(certs=other), 8)
        self.assertIn("submitted by", refused.err)
        self.assertIn("nobody else may follow it", refused.err)
        # The name in the CA's certificate decides, not the file.
        again = self.directory / "again"
        shown = self.run_node("certs", "show", self.certs, "-o", "json").json()
        name = next(x for x in shown if not x["authority"])["subject"].rpartition("CN=")[2]
        self.run_node("certs", "issue", name, "--out", again, "--certs", self.certs)
        back, _ = self.attached("-o", "json", certs=again)
        self.flag.touch()
        self.assertEqual(self.finish(back).json()["status"], "done")

    def test_what_does_not_run_is_said(self):
        none = self.finish(self.attach(name="nothing"), 3)
        self.assertIn("no experiment named nothing runs at the head", none.err)
        self.assertIn("attach needs --head", self.run_node("attach", "x", code=2).err)

    def test_the_head_numbers_names(self):
        self.flag.touch()
        for name in ("x", "x-2"):
            told = self.run_node(
                *("run", self.job(), "--head", self.where, "--certs", self.certs),
                *("--experiment.name", "auto", "-o", "json")
            ).json()
            self.assertEqual(told["experiment"], name)


if __name__ == "__main__":
    main()
