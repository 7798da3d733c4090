# SPDX-License-Identifier: BSD-3-Clause
"""scripts/make_pictures.py with a stand-in for the program: what it follows and refuses."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "make_pictures.py"
sys.path.insert(0, str(SCRIPT.parent))
import make_pictures  # noqa: E402
from screen import Screen, UnknownSequence  # noqa: E402


def block(done, *running):
    """A screen in the middle of a run; `running` are pairs of trial and iteration."""
    lines = ["python-digits  %d/20 done, %d running" % (done, len(running))]
    lines += ["%05d  RUNNING    %2d   0.95  1.0s  lr=0.1" % x for x in running]
    return "\n".join(lines)


class StandIn(unittest.TestCase):
    """A directory with a program named tune-node, in which it runs."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.place = Path(holder.name)
        self.program = self.place / "bin" / "tune-node"
        self.program.parent.mkdir()
        replaced = mock.patch.object(make_pictures, "PLACE", self.place)
        replaced.start()
        self.addCleanup(replaced.stop)

    def write(self, script):
        self.program.write_text("#!/bin/sh\n" + script)
        self.program.chmod(0o755)

    def texts(self, script, *words):
        """All that was to be seen whenever the screen was still, and the terminal."""
        self.write(script)
        with make_pictures.Terminal(self.program, words) as terminal:
            return list(terminal.stills()), terminal


class Following(StandIn):
    def test_the_screen_shows_the_command_and_what_it_writes(self):
        texts, terminal = self.texts("echo a; printf 'b\\rc' >&2", "run", "x.ini")

        self.assertEqual(texts[-1], "$ tune-node run x.ini\na\nc")
        self.assertTrue(terminal.screen.is_whole)

    def test_the_program_has_a_terminal_of_the_promised_size(self):
        texts, _ = self.texts("stty size; test -t 1 && test -t 2 && echo $TERM")

        self.assertEqual(texts[-1].splitlines()[1:], ["30 100", "xterm-256color"])

    def test_the_program_sees_nothing_of_the_caller(self):
        with mock.patch.dict(os.environ, {"TUNE_SEARCH_TYPE": "grid", "NO_COLOR": "1"}):
            texts, _ = self.texts("env | grep -c 'TUNE_\\|COLOR'; pwd; true")

        self.assertEqual(texts[-1].splitlines()[1:], ["0", str(self.place)])

    def test_a_program_that_fails_is_told_with_what_it_said(self):
        with self.assertRaisesRegex(make_pictures.Failed, "run x.ini: exit 3\n(.|\n)*no such key"):
            self.texts("echo no such key; exit 3", "run", "x.ini")

    def test_a_program_that_does_not_end_is_ended(self):
        with mock.patch.object(make_pictures, "DEADLINE", 0.1):
            with self.assertRaisesRegex(make_pictures.Failed, "not over after 0"):
                self.texts("exec sleep 60")

    def test_an_unknown_sequence_is_no_picture(self):
        with self.assertRaises(UnknownSequence):
            self.texts("printf '\\033[2J'")


class Middle(unittest.TestCase):
    def setUp(self):
        self.middle = make_pictures.Middle()
        self.killed = []
        replaced = mock.patch.object(make_pictures, "kill", self.kill)
        replaced.start()
        self.addCleanup(replaced.stop)

    def kill(self, trial):
        self.killed.append(trial)
        return True

    def look(self, text):
        screen = Screen(100, 30)
        screen.feed(text.replace("\n", "\r\n"))
        self.middle.look(text, screen)

    def after_the_kill(self, text):
        self.look(block(1, (3, 6), (4, 2)))
        self.look("trial 00003 failed: ended by SIGKILL\n" + text)

    def test_a_trial_with_a_checkpoint_is_killed_once(self):
        self.look(block(0, (3, 5), (4, 0)))
        self.assertEqual(self.killed, [])
        self.look(block(0, (3, 6), (4, 9)))
        self.look(block(0, (3, 7), (4, 10)))

        self.assertEqual(self.killed, ["00003"])

    def test_nothing_is_drawn_before_the_killed_trial_has_gone_on(self):
        self.after_the_kill(block(2, (3, 6), (4, 3)))
        self.look("trial 00003 failed\n" + block(2, (4, 3)))

        self.assertIsNone(self.middle.picture)

    def test_the_fullest_screen_is_drawn(self):
        self.after_the_kill(block(2, (3, 7), (4, 3), (5, 1)))
        self.look("trial 00003 failed\n" + block(12, (3, 9), (5, 4), (6, 2)))
        self.look("trial 00003 failed\n" + block(13, (3, 10), (5, 5), (7, 0)))

        self.assertIn("12/20 done", self.middle.picture)
        self.assertIn("trial 00003 was killed", self.middle.picture)


class Reasons(StandIn):
    LISTED = """
case "$*" in
  *json) echo '[{"trial":"00001","iterations":2,"reason":"0.3 is below the cutoff 0.5"},
    {"trial":"00002","iterations":20,"reason":"reached max_t"},
    {"trial":"00004","iterations":6,"reason":"0.5 is below the cutoff 0.7"},
    {"trial":"00005","iterations":6,"reason":"0.6 is below the cutoff 0.7"}]' ;;
  *4) printf '%0101d\\n' 4 ;;
  *) echo "stopped $4" ;;
esac
"""

    def test_the_trial_is_shown_that_came_furthest_and_fits(self):
        self.write(self.LISTED)
        pictures = make_pictures.picture_of_reasons(self.program)

        self.assertEqual(list(pictures), ["why.svg"])
        self.assertIn(">tune-node trials results/python-digits --why 5<", pictures["why.svg"])
        self.assertIn("stopped 5", pictures["why.svg"])

    def test_a_killed_trial_that_began_from_scratch_is_an_error(self):
        for attempts, goes in (
            ('[{"checkpoint":null},{"checkpoint":3}]', True),
            ('[{"checkpoint":null},{"checkpoint":null}]', False),
            ('[{"checkpoint":null}]', False),
        ):
            self.write("echo '{\"attempts\":%s}'" % attempts)
            with self.subTest(attempts):
                if goes:
                    make_pictures.check_gone_on(self.program, "00002")
                else:
                    with self.assertRaisesRegex(make_pictures.Failed, "00002 did not go on"):
                        make_pictures.check_gone_on(self.program, "00002")

    def test_none_that_fits_is_an_error(self):
        self.write(self.LISTED.replace("*4)", "*why*)"))

        with self.assertRaisesRegex(make_pictures.Failed, "fits"):
            make_pictures.picture_of_reasons(self.program)


class Refusing(StandIn):
    def run_script(self, *words):
        done = subprocess.run(
            [sys.executable, str(SCRIPT), *words], stderr=subprocess.PIPE, universal_newlines=True
        )
        return done.returncode, done.stderr

    def test_a_program_that_cannot_be_called_by_its_name(self):
        for path in (self.place / "tune-node", Path("/bin/sh")):
            code, said = self.run_script("--program", str(path), "--out", str(self.place / "out"))

            complaint = "make_pictures: %s: no program named tune-node\n" % path
            self.assertEqual((code, said), (1, complaint))
            self.assertFalse((self.place / "out").exists())

    def test_a_directory_that_is_not_its_own_is_left_alone(self):
        (self.place / "mine").write_text("mine")

        with self.assertRaisesRegex(make_pictures.Failed, "%s is in the way" % self.place):
            make_pictures.make(self.program)
        self.assertEqual((self.place / "mine").read_text(), "mine")

    def test_its_own_directory_is_removed_also_after_a_failure(self):
        self.write("exit 1")
        gone = self.place / "new"
        with mock.patch.object(make_pictures, "PLACE", gone):
            with self.assertRaises(make_pictures.Failed):
                make_pictures.make(self.program)

        self.assertFalse(gone.exists())

    def test_a_picture_that_tells_where_it_was_made(self):
        make_pictures.check("run.svg", "/tmp/digits/results")
        for private in (str(ROOT), str(Path.home()) + "/results"):
            with self.assertRaisesRegex(make_pictures.Failed, "run.svg shows"):
                make_pictures.check("run.svg", "directory: %s" % private)


if __name__ == "__main__":
    unittest.main()
