# SPDX-License-Identifier: BSD-3-Clause
"""Shared by tests that need a standing head over mutual TLS, and workers."""
import re

from e2e import CertifiedCase


class StandingCase(CertifiedCase):
    def setUp(self):
        super().setUp()
        self.storage = self.directory / "results"
        self.log = self.directory / "head.log"

    def head(self, *words, certs=None, listen="127.0.0.1:0", **how):
        """Starts a standing head. Returns it and its address."""
        with open(self.log, "w", encoding="utf-8") as err:
            head = self.start(
                *("head", "--listen", listen, "--certs", certs or self.certs),
                *("--storage", self.storage, "--work", self.directory / "work-head", *words),
                stderr=err, **how
            )
        self.wait_until(lambda: "experiments may come" in self.said(), head, "an open port")
        return head, re.search(r"--head (\S+)", self.said()).group(1)

    def said(self):
        """What the head has said so far."""
        return self.log.read_text()

    def worker(self, where, name, *words, certs=None, **how):
        """Starts a worker, whose output goes to a file of its name."""
        with open(self.directory / (name + ".log"), "w", encoding="utf-8") as err:
            return self.start(
                *("worker", "--join", where, "--name", name, "--cpus", 1),
                *("--certs", certs or self.certs),
                *("--work", self.directory / ("work-" + name), *words), stderr=err, **how
            )

    def worker_said(self, name):
        return (self.directory / (name + ".log")).read_text()

    def issued(self, name, *words):
        """A directory with a certificate of this name."""
        out = self.directory / name
        self.run_node("certs", "issue", name, "--out", out, "--certs", self.certs, *words)
        return out

    def gated(self, gate, name="x", samples=1):
        """An experiment whose trials report again and again until the gate, a file, is there."""
        script = self.directory / "gated.sh"
        script.write_text(
            "#!/bin/sh\n"
            'echo \'{"tune":1}\' >&"$TUNE_TRIAL_REPORT_FD"\n'
            "while :; do\n"
            '  echo "{\\"metrics\\":{\\"loss\\":$1}}" >&"$TUNE_TRIAL_REPORT_FD"\n'
            '  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"\n'
            '  [ ! -e "$2" ] || exit 0\n'
            "  sleep 0.05\n"
            "done\n"
        )
        script.chmod(0o755)
        return self.ini(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = %d\n"
            '[trainable]\ncommand = ./gated.sh {x} "%s"\n[space]\nx = uniform(0, 1)\n'
            "[failure]\nbackoff = 0\n" % (samples, gate),
            name + ".ini",
        )

    def wait_for_reports(self, count, child, name="x"):
        self.wait_until(
            lambda: len(self.rows_if_any("SELECT * FROM results", name)) >= count,
            child, "%d reports" % count,
        )
