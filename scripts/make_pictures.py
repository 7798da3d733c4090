#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the pictures of docs/pictures/ from a real run in a terminal of 100 columns and 30 rows.

    scripts/make_pictures.py [--program TUNE_NODE] [--out DIRECTORY]

It runs config/python-digits.ini in /tmp/digits, which must not exist and is removed afterwards,
kills one trial on the way, and draws three screens:

    run.svg      in the middle: the killed trial has gone on from its checkpoint
    summary.svg  at the end: the best configuration, and the commands for what comes next
    why.svg      `tune-node trials --why` of a trial that the scheduler stopped

Nothing is typeset by hand: the screens are what a terminal shows of the program's own output. No
two runs are alike, so the pictures change each time.
"""
import argparse
import codecs
import contextlib
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

sys.path.insert(0, str(Path(__file__).resolve().parent / "pictures"))
from screen import Screen  # noqa: E402
from svg import draw  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/release/apps/tune-node/tune-node"
COLUMNS, ROWS = 100, 30
# The program shows absolute paths: one that says nothing of this machine.
PLACE = Path("/tmp/digits")
INPUTS = (
    "config/python-digits.ini",
    "data/digits/digits.csv",
    "examples/python/train_digits.py",
    "python/tune_node.py",
)
RUN = ["run", "config/python-digits.ini", "--cluster.cpus", "6"]
RESULTS = "results/python-digits"
# The example saves a checkpoint every five iterations.
KILLED_AT = 6
# A screen that was still for so long is whole, and not the first half of a frame. [s]
STILL = 0.05
DEADLINE = 120  # [s]

RUNNING = re.compile(r"^(\d{5})  RUNNING +(\d+) ", re.MULTILINE)
DONE = re.compile(r"^python-digits  (\d+)/\d+ done", re.MULTILINE)


class Failed(Exception):
    """No picture can be made; the text says why."""


def environment(program):
    """What the program and its trials see: nothing of the caller but PATH."""
    return {
        "HOME": str(PLACE),
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join((str(program.parent), os.environ.get("PATH", os.defpath))),
        "TERM": "xterm-256color",
    }


class Terminal:
    """A program that runs in a terminal, and the screen that shows what it writes."""

    def __init__(self, program, words):
        self.screen = Screen(COLUMNS, ROWS)
        self.words = " ".join(words)
        self.screen.feed("\x1b[2m$\x1b[0m \x1b[1mtune-node %s\x1b[0m\r\n" % self.words)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._end = time.monotonic() + DEADLINE
        self._ours, theirs = pty.openpty()
        ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.child = subprocess.Popen(
            [program.name, *words],
            cwd=PLACE,
            env=environment(program),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child.poll() is None:
            self.child.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(timeout=10)
        self.child.kill()
        self.child.wait()
        os.close(self._ours)

    def stills(self):
        """Yields the screen's text whenever nothing more came for a moment, and at the end."""
        while self._feed():
            while select.select([self._ours], [], [], STILL)[0] and self._feed():
                pass
            yield "\n".join(self.screen.lines())
        if self.child.wait() != 0:
            shown = "\n".join(self.screen.lines())
            raise Failed("tune-node %s: exit %d\n%s" % (self.words, self.child.returncode, shown))

    def _feed(self):
        """Returns whether the program may write more."""
        if not select.select([self._ours], [], [], max(0, self._end - time.monotonic()))[0]:
            raise Failed("tune-node %s: not over after %d s" % (self.words, DEADLINE))
        try:
            part = os.read(self._ours, 65536)
        except OSError:  # Linux says so where the other end is closed
            part = b""
        self.screen.feed(self._decoder.decode(part, final=not part))
        return bool(part)


def processes_of(trial):
    """Numbers of the processes that run the script of `trial`."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            names = (entry / "environ").read_bytes()
            words = (entry / "cmdline").read_bytes()
            if (
                b"\0TUNE_TRIAL_ID=%s\0" % trial.encode() in b"\0" + names
                and os.fsencode(PLACE) + b"/" in names
                and b"train_digits.py\0" in words
            ):
                yield int(entry.name)


def kill(trial):
    """Kills a trial as the system does where memory is short. Returns whether it was there."""
    found = list(processes_of(trial))
    for process in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return bool(found)


def worth(text, killed):
    """How much of the run a screen shows: the one with the greatest is drawn; None: not to be."""
    trials = dict(RUNNING.findall(text))
    done = DONE.search(text)
    if not killed or not done or "trial %s failed" % killed not in text:
        return None
    if int(trials.get(killed, 0)) <= KILLED_AT:
        return None
    return sum(x != "0" for x in trials.values()), int(done[1])


class Middle:
    """Follows the run: kills a trial that has a checkpoint, and draws the fullest screen after."""

    def __init__(self):
        self.killed, self.picture, self._worth = None, None, None

    def look(self, text, screen):
        if not self.killed:
            grown = (x for x, at in RUNNING.findall(text) if int(at) >= KILLED_AT)
            self.killed = next(filter(kill, grown), None)
        value = worth(text, self.killed)
        if value and (not self._worth or value > self._worth):
            self._worth, self.picture = value, self._draw(screen)

    def _draw(self, screen):
        return draw(
            screen,
            "tune-node tunes a Python script",
            "A terminal in the middle of a run of tune-node. A line in red tells that trial %s was "
            "killed and will be tried again. Below it a block that is redrawn in place: how many "
            "trials are done, how long it has taken, the best configuration so far, and a table of "
            "the trials that run, among them the killed one, which has gone on from its checkpoint."
            % self.killed,
        )


def pictures_of_run(program):
    """Runs the experiment. Returns run.svg and summary.svg by name."""
    middle = Middle()
    with Terminal(program, RUN) as terminal:
        for text in terminal.stills():
            middle.look(text, terminal.screen)
        if not middle.picture:
            raise Failed("no trial was seen to go on after it was killed; try again")
        check_gone_on(program, middle.killed)
        summary = draw(
            terminal.screen,
            "tune-node has found the best configuration",
            "A terminal after a run of tune-node: the best trial with its parameters, its "
            "checkpoint, the experiment's directory, and commands that list all trials, query the "
            "database and run the experiment once more.",
        )
    return {"run.svg": middle.picture, "summary.svg": summary}


def record(program, *words):
    """What `tune-node trials` says of the run, as JSON."""
    done = subprocess.run(
        [program.name, "trials", RESULTS, *words, "--output", "json"],
        cwd=PLACE,
        env=environment(program),
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def check_gone_on(program, trial):
    """Refuses a run in which the killed trial began from scratch: pages say that it went on."""
    attempts = record(program, "--why", trial)["attempts"]
    if len(attempts) < 2 or attempts[-1]["checkpoint"] is None:
        raise Failed("trial %s did not go on from a checkpoint; try again" % trial)


def stopped_trials(program):
    """The trials that the scheduler stopped, those that came furthest first."""
    stopped = [x for x in record(program) if "below the cutoff" in x["reason"]]
    stopped.sort(key=lambda x: (-x["iterations"], x["trial"]))
    return [x["trial"] for x in stopped]


def screen_of_reasons(program, trial):
    """What is shown of one trial."""
    with Terminal(program, ["trials", RESULTS, "--why", str(int(trial))]) as terminal:
        for _ in terminal.stills():
            pass
        return terminal.screen


def picture_of_reasons(program):
    """Returns why.svg by name, of the first trial that the screen shows whole."""
    for trial in stopped_trials(program):
        screen = screen_of_reasons(program, trial)
        if screen.is_whole:
            return {
                "why.svg": draw(
                    screen,
                    "why tune-node stopped a trial",
                    "A terminal with all that is recorded of trial %s: why it was stopped, its "
                    "configuration, its attempts, the scheduler's decisions with the cutoff of "
                    "each rung, and its checkpoints." % trial,
                )
            }
    raise Failed("no trial that the scheduler stopped fits on the screen; try again")


def check(name, picture):
    """Refuses a picture that tells where it was made."""
    for private in (str(ROOT), str(Path.home()) + "/", socket.gethostname()):
        if len(private) > 2 and private in picture:
            raise Failed("%s shows %r" % (name, private))


def copy_inputs():
    """Lays what the run reads into PLACE, which must be ours alone."""
    try:
        PLACE.mkdir(mode=0o700)
    except FileExistsError:
        raise Failed("%s is in the way: remove it" % PLACE) from None
    for name in INPUTS:
        (PLACE / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, PLACE / name)


def make(program):
    """Returns all pictures, as text by name."""
    copy_inputs()
    try:
        return {**pictures_of_run(program), **picture_of_reasons(program)}
    finally:
        shutil.rmtree(PLACE)


def program_of(path):
    """A program that can be called by its name alone, as pictures show it."""
    program = path.resolve()
    if program.name != "tune-node" or not os.access(program, os.X_OK):
        raise Failed("%s: no program named tune-node" % path)
    return program


def main():
    about = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    about.add_argument("--program", type=Path, default=PROGRAM, metavar="TUNE_NODE")
    about.add_argument("--out", type=Path, default=ROOT / "docs/pictures", metavar="DIRECTORY")
    options = about.parse_args()
    try:
        pictures = make(program_of(options.program))
        for name, picture in pictures.items():
            check(name, picture)
    except (Failed, OSError, ValueError, subprocess.CalledProcessError) as problem:
        sys.exit("make_pictures: %s" % problem)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, picture in pictures.items():
        (options.out / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
