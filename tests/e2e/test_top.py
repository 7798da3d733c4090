# SPDX-License-Identifier: BSD-3-Clause
"""`tune-node top` on a terminal of its own, whose screen pyte models, which is brought from PyPI into
an environment of the test's own. Skipped, with the reason, where it cannot be had."""
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from fcntl import ioctl
from pathlib import Path

from e2e import DEADLINE, TUNE_NODE, Case, CertifiedCase, clean_environment, main

SKIPPED = 77
VERSION = "pyte>=0.8,<0.9"
KEYS = {"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "end": "\x1b[F"}


def bring_pyte(where):
    """Makes the package importable, or ends with the reason why not."""
    for words in ([sys.executable, "-m", "venv", where],
                  [where / "bin/pip", "install", "--quiet", VERSION]):
        done = subprocess.run(words, capture_output=True, text=True, timeout=400)
        if done.returncode != 0:
            print("skipped: pyte cannot be installed:", (done.stdout + done.stderr)[-500:])
            sys.exit(SKIPPED)
    sys.path.extend(str(x) for x in where.glob("lib/python*/site-packages"))


def modelled(columns, lines):
    """A screen of pyte, which knows neither how xterm repeats a character nor how it scrolls."""
    import pyte

    class Model(pyte.Screen):
        last = " "

        def draw(self, data):
            super().draw(data)
            self.last = data[-1]

        def repeat(self, times=1):
            self.draw(self.last * (times or 1))

        def scroll_up(self, times=1):
            at = self.cursor.y
            self.cursor.y = self.margins.bottom if self.margins else self.lines - 1
            for _ in range(times or 1):
                self.index()
            self.cursor.y = at

        def scroll_down(self, times=1):
            at = self.cursor.y
            self.cursor.y = self.margins.top if self.margins else 0
            for _ in range(times or 1):
                self.reverse_index()
            self.cursor.y = at

    class Stream(pyte.ByteStream):
        more = {"b": "repeat", "S": "scroll_up", "T": "scroll_down"}
        csi = {**pyte.ByteStream.csi, **more}
        events = pyte.ByteStream.events | set(more.values())

    screen = Model(columns, lines)
    return screen, Stream(screen)


class Screen:
    """A program on a terminal of 80 columns and 24 lines."""

    def __init__(self, case, *words, program=TUNE_NODE, ends=True, term="xterm"):
        columns, lines = 80, 24

        self.case = case
        self.screen, self.stream = modelled(columns, lines)
        self.ours, self.theirs = pty.openpty()
        case.addCleanup(os.close, self.ours)
        case.addCleanup(os.close, self.theirs)
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.theirs)
        self.seen = b""
        self.child = case.start(
            *words, program=program, stdin=self.theirs, stdout=self.theirs, stderr=self.theirs,
            start_new_session=True, preexec_fn=lambda: ioctl(0, termios.TIOCSCTTY, 0),
            env=clean_environment(TERM=term, LC_ALL="C.UTF-8"))
        self.ends = ends

    def resize(self, columns, lines):
        self.screen.resize(lines, columns)
        ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def listen(self, seconds=0.05):
        while select.select([self.ours], [], [], seconds)[0]:
            part = os.read(self.ours, 65536)
            self.seen += part
            self.stream.feed(part)

    def text(self):
        return "\n".join(self.screen.display)

    def wait(self, *texts, absent=()):
        """Until the screen shows all of these."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            self.listen()
            text = self.text()
            if all(x in text for x in texts) and not any(x in text for x in absent):
                return text
            if self.ends and self.child.poll() is not None:
                self.listen()
                break
        self.case.fail("waited in vain for %s on\n%s" % (texts, self.text()))

    def wait_for_order(self, first):
        """Until the list begins with these trials."""
        end = time.monotonic() + DEADLINE
        while re.findall(r"^(\d{5}) ", self.text(), re.M)[: len(first)] != first:
            self.case.assertLess(time.monotonic(), end, self.text())
            self.listen()

    def press(self, *keys):
        for key in keys:
            os.write(self.ours, KEYS.get(key, key).encode())

    def end(self, code):
        self.case.assertEqual(self.child.wait(timeout=DEADLINE), code)
        self.listen()
        # The other screen was left, the cursor is seen, and lines are edited again.
        self.case.assertIn(b"\x1b[?1049l", self.seen)
        self.case.assertGreater(self.seen.rfind(b"\x1b[?1049l"), self.seen.rfind(b"\x1b[?1049h"))
        self.case.assertEqual(termios.tcgetattr(self.theirs), self.before)


def slow(case):
    """An experiment that goes on until it is stopped, with two trials at once."""
    script = case.directory / "slow.py"
    script.write_text(
        "import time, sys\nfor i in range(100000):\n"
        "  print('loss=%g' % (1 / (i + 1)), flush=True); time.sleep(0.05)\n")
    return case.ini(
        "[experiment]\nmetric = loss\nmode = min\nnum_samples = 3\n"
        "max_concurrent_trials = 2\n[trainable]\ncommand = python3 ./slow.py {x}\n"
        "metric.loss = loss=([0-9.]+)\n[space]\nx = randint(0, 9)\n")


class Top(Case):
    def finished(self):
        self.run_node("run", self.experiment("tune report 5", samples=4), "--quiet")

    def test_shows_a_finished_experiment_and_leaves_the_terminal_as_it_was(self):
        self.finished()
        at = Screen(self, "top", "results/x")
        text = at.wait("x  done", "4 of 4 trials ended", "00003", "? help")
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

        at.press("down", "down")
        at.wait("trial 00002")
        at.press("right")
        at.wait("< best so far")
        at.press("x")
        at.wait("nobody runs this experiment")
        at.press("?")
        at.wait("any key leaves it")
        at.press("q")
        at.wait("00003")
        at.press("q")
        at.end(0)

    def test_filters_and_says_what_is_wrong_with_a_filter(self):
        self.finished()
        at = Screen(self, "top", "results/x")
        at.wait("00003")

        at.press("/", "status = ERRORED\r")
        at.wait("no trial fits")
        at.press("/", " nonsense\r")
        at.wait("filter", "column")
        at.press("\x1b")
        at.wait("00003")
        at.press("q")
        at.end(0)

    def test_each_key_that_chooses_does_what_the_help_says(self):
        self.run_node("run", self.experiment("tune report {x}", "x = grid(%s)" % ", ".join(
            str(30 - i) for i in range(30))), "--quiet")
        at = Screen(self, "top", "results/x")
        at.wait("30 of 30 trials ended", "< curve: trial 00000")
        for keys, trial in (
            ("down", 1), ("j", 2), ("up", 1), ("k", 0), ("\x1b[F", 29), ("\x1b[H", 0), ("end", 29)
        ):
            at.press(keys)
            at.wait("< curve: trial %05d" % trial)
        at.press("\x1b[5~")
        at.wait("< curve: trial 000", absent=["< curve: trial 00029"])
        at.press("\x1b[6~", "\x1b[6~")
        at.wait("< curve: trial 00029")
        for key, panel in (("\t", "best so far"), ("left", "curve"), ("left", "trial"),
                           ("right", "curve"), ("\r", "trial")):
            at.press(key)
            at.wait("< %s" % panel)
        for order in ("value", "iterations", "time", "status"):
            at.press("s")
            at.wait("s sort: " + order)
        at.press("s", "r")
        at.wait("s sort: number, reversed")
        at.wait_for_order(["00029", "00028", "00027", "00026"])
        at.press("s")
        at.wait("s sort: value, reversed")
        at.press("q")
        at.end(0)

    def test_pauses_and_goes_on(self):
        run = self.start("run", slow(self), "--quiet")
        self.wait_until(lambda: self.rows_if_any("SELECT trial FROM trials"), run)
        at = Screen(self, "top", "results/x")
        at.wait("running", "00001", "RUNNING")
        at.press("p")
        at.wait("Pause trial 00000? y/n")
        at.press("y")
        # A program that is only read cannot save.
        at.wait("cannot save; it can be stopped")
        at.press("u", "y")
        at.wait("trial 00000: it runs already")
        at.press("P", "y")
        at.wait("no further trial is started; those that run go on")
        at.wait("x  paused")
        at.press("U", "y")
        at.wait("trials are started again")
        at.press("X", "y")
        at.wait("stopped", absent=["RUNNING"])
        at.press("q")
        at.end(0)
        self.finish(run, None)

    def test_steers_a_running_experiment(self):
        run = self.start("run", slow(self), "--quiet")
        self.wait_until(lambda: self.rows_if_any("SELECT trial FROM trials"), run)
        at = Screen(self, "top", "results/x")
        at.wait("running", "00001", "RUNNING")

        at.press("x")
        at.wait("Stop trial 00000? y/n")
        at.press("n")
        at.wait("nothing was changed")
        at.press("x", "y")
        at.wait("trial 00000: ")
        at.wait("TERMINATED")
        at.press("a", "x=4\r", "y")
        at.wait("00003")
        at.press("down", "right", "right")
        at.wait("< log", "loss=")
        at.press("X", "y")
        at.wait("stopped", absent=["RUNNING"])
        at.press("q")
        at.end(0)
        self.finish(run, None)

    def test_follows_the_size_of_the_terminal(self):
        self.finished()
        at = Screen(self, "top", "results/x")
        at.wait("00003")

        at.resize(50, 12)
        at.wait("00003", "? help")
        at.resize(120, 40)
        at.wait("00003", "CONFIGURATION")
        at.press("q")
        at.end(0)

    def test_gives_the_terminal_back_where_a_signal_ends_it(self):
        self.finished()
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)):
            with self.subTest(number):
                at = Screen(self, "top", "results/x")
                at.wait("00003")
                at.child.send_signal(number)
                at.end(code)

    def test_stops_and_goes_on(self):
        self.finished()
        # A shell with job control, which comes back when its job stops.
        at = Screen(self, "-mc", '"$0" top results/x; stty -a; echo "in the shell"; read go; '
                    'fg >/dev/null; echo "code $?"', TUNE_NODE, program="/bin/bash", ends=False)
        at.wait("00003")

        at.press("\x1a")
        text = at.wait("in the shell")
        self.assertRegex(text, r"(?<!-)icanon")
        self.assertRegex(text, r"(?<!-)echo ")
        at.press("\n")
        at.wait("00003", "? help")
        at.press("?")
        at.wait("any key leaves it")
        at.press("q", "q")
        at.wait("code 0")

    def test_refuses_what_is_no_terminal_and_no_experiment(self):
        self.finished()
        self.assertIn("needs a terminal", self.run_node("top", "results/x", code=3).err)
        self.assertIn("nowhere", self.run_node("top", "nowhere", code=3).err)
        for term in ("dumb", "nosuchterm"):
            at = Screen(self, "top", "results/x", term=term)
            self.assertEqual(at.child.wait(timeout=DEADLINE), 3)
            at.listen()
            self.assertIn(("TERM=" + term).encode(), at.seen)
        at = Screen(self, "top", "results/x")
        at.wait("00003")
        at.press("q")
        at.end(0)


class TopAtHead(CertifiedCase):
    def test_shows_and_steers_an_experiment_of_a_head(self):
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            head = self.start("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", 2,
                              "--storage", self.directory / "results", "--work",
                              self.directory / "work", stderr=err)
        self.wait_until(lambda: "experiments may come" in log.read_text(), head, "a port")
        where = re.search(r"--head (\S+)", log.read_text()).group(1)
        reach = ("--head", where, "--certs", self.certs)
        self.run_node("run", slow(self), "--detach", *reach)
        drawn = self.run_node("plot", "x", "timeline", "--ascii", *reach, code=None)
        self.assertTrue(drawn.out.isascii())

        at = Screen(self, "top", "x", *reach)
        at.wait("x  running", "00001", "RUNNING")
        at.press("right", "right")
        at.wait("< log", "loss=")
        at.press("right")
        at.wait("< trial", "attempts")
        at.press("p", "y")
        at.wait("\ntrial 00000: its trainable cannot save")
        at.press("P", "y")
        at.wait("x  paused", "no further trial is started")
        at.press("U", "y")
        at.wait("x  running", "trials are started again")
        at.press("a", "x=4\r", "y")
        at.wait("00003")
        at.press("s", "/", "PENDING\r")
        at.wait("s sort: value", absent=["RUNNING"])
        at.press("\x1b")
        at.wait("RUNNING")
        at.press("x", "y")
        at.wait("TERMINATED")
        at.press("X", "y")
        at.wait("stopped", absent=["RUNNING"])
        head.send_signal(signal.SIGTERM)
        self.finish(head)
        at.wait("the head")
        at.press("q")
        at.end(0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tune-pyte-") as folder:
        bring_pyte(Path(folder))
        main()
