# SPDX-License-Identifier: BSD-3-Clause
"""Output of trials does not control the reader's terminal, whichever command shows it."""
import json
import os
import pty
import re
import select
import struct
import sys
import time
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

from e2e import DEADLINE, Case, clean_environment, main

# Sets the title, rings, begins a control sequence with a single character, reorders, hides, and is
# invalid UTF-8.
EVIL = b"\x1b]0;owned\x07 \xc2\x9b2J \xe2\x80\xaemirrored \xf3\xa0\x81\x81 \xff\xfe end"
HARMFUL = ("\x1b]", "\x07", "\x9b", "\u202e", "\U000e0041")

SCRIPT = """
import json, os, sys

EVIL = %r
text = EVIL.decode(errors="ignore")
report, answers = (int(os.environ["TUNE_TRIAL_" + x + "_FD"]) for x in ("REPORT", "ANSWER"))

def say(**what):
    os.write(report, (json.dumps(what, ensure_ascii=False) + "\\n").encode())

say(tune=1)
for stream in (1, 2):
    os.write(stream, b"real line\\rfake line\\n\\ttab " + EVIL + b"\\n")
say(metrics={"loss": 1, "name " + text: 2, "text": text, "inner": {text: [text]}})
os.read(answers, 100)
os.write(2, EVIL)
sys.exit(3)
"""


class Terminal(Case):
    def setUp(self):
        super().setUp()
        script = self.directory / "evil.py"
        script.write_text(SCRIPT % EVIL)
        evil = json.dumps(EVIL.decode(errors="ignore"))
        self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[trainable]\ncommand = %s %s\n"
            "[space]\nx = 1\ny = %s\n[failure]\nbackoff = 0\nmax_failures = 1\n"
            % (sys.executable, script, evil)
        )

    def on_terminal(self, *words, steps=()):
        """Everything that comes over a terminal, which is the program's stdout and stderr.

        Of each step the text must be shown within half a minute; then the step is called."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        child = self.start(
            *words, stdout=theirs, stderr=theirs, env=clean_environment(TERM="xterm-256color")
        )
        os.close(theirs)
        seen, end = b"", time.monotonic() + DEADLINE
        steps, soon = list(steps), time.monotonic() + 30
        while time.monotonic() < end:
            if steps and steps[0][0] in seen:
                steps.pop(0)[1]()
                soon = time.monotonic() + 30
            self.assertFalse(steps and time.monotonic() > soon, seen[-2000:])
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                part = os.read(ours, 65536)
            except OSError:
                part = b""
            if not part:
                child.wait(timeout=DEADLINE)
                return seen
            seen += part
        self.fail("the terminal shows only %r" % seen[-2000:])

    def assert_harmless(self, seen, words):
        text = seen.decode()  # fails if it is not UTF-8
        for harmful in HARMFUL:
            self.assertNotIn(harmful, text, words)

    def test_no_command_passes_on_what_steers_a_terminal(self):
        self.assert_harmless(self.on_terminal("run", "x.ini"), "run")
        where = self.directory / "results" / "x"
        commands = [
            ["trials", where], ["trials", where, "--why", 0], ["status", where], ["fsck", where],
            ["logs", where, 0], ["logs", where, 0, "--stderr"], ["config", "check", "x.ini"],
            ["config", "show", "x.ini"], ["run", "x.ini", "--dry-run"], ["run", "x.ini"],
        ]
        commands += [
            [*words, "-o", form]
            for form in ("json", "jsonl", "csv")
            for words in (["trials", where], ["status", where])
        ]
        commands += [["trials", where, "--why", 0, "-o", "json"], ["fsck", where, "-o", "json"]]
        for words in commands:
            with self.subTest(words):
                self.assert_harmless(self.on_terminal(*words), words)

    def test_the_block_shows_reports_while_no_trial_begins_or_ends(self):
        first, last = self.directory / "first", self.directory / "last"
        first.touch()
        last.touch()
        script = self.directory / "hold.sh"
        wait = "while [ -e %s ]; do sleep 0.05; done\n"
        script.write_text(wait % first + "echo loss=3\n" + wait % last)
        self.ini(
            "[experiment]\nmetric = loss\nmode = min\n[trainable]\ncommand = sh %s\n"
            "metric.loss = loss=(\\d+)\n[space]\nx = 1\n" % script
        )

        shown = self.on_terminal(
            "run", "x.ini", steps=[(b"RUNNING", first.unlink), (b"best loss 3", last.unlink)]
        )

        self.assertIn(b"1 trial: 1 terminated", shown)

    def test_logs_show_on_a_terminal_what_would_be_hidden(self):
        self.run_node("run", "x.ini", code=5)
        for words in ([], ["--stderr"], ["--follow"]):
            with self.subTest(words):
                text = self.on_terminal("logs", "results/x", 0, *words).decode()

                self.assertIn("real line\\rfake line\r\n\ttab \\x1b]0;owned\\x07 \\x9b2J", text)
                self.assertIn("\\u202emirrored", text)
                self.assertIsNone(re.search("\r(?!\n)", text))

    def test_logs_are_byte_for_byte_for_a_pipe_and_on_demand(self):
        self.run_node("run", "x.ini", code=5)
        printed = (self.directory / "results/x/trials/00000/stdout").read_bytes()
        with open(self.directory / "piped", "wb") as to:
            self.finish(self.start("logs", "results/x", 0, stdout=to))
        raw = self.on_terminal("logs", "results/x", 0, "--raw")

        self.assertIn(EVIL, printed)
        self.assertEqual(Path(self.directory / "piped").read_bytes(), printed)
        self.assertEqual(raw.replace(b"\r\n", b"\n"), printed)


if __name__ == "__main__":
    main()
