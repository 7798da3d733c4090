# SPDX-License-Identifier: BSD-3-Clause
"""A disk that is full or fails at any write and sync of the head (needs strace)."""
import collections
import re
import unittest
from pathlib import Path

from disk import ENDS, LONG, DiskCase, Record, readable, why_no_strace
from e2e import main

# The failing call, the error, and whether it fails once ("") or from then on ("+").
FAULTS = [
    ("pwrite64", "ENOSPC", ""), ("pwrite64", "ENOSPC", "+"), ("pwrite64", "EIO", ""),
    ("fdatasync", "EIO", ""), ("fdatasync", "ENOSPC", "+"),
    ("fsync", "EIO", ""), ("fsync", "ENOSPC", "+"),
    ("write", "ENOSPC", ""), ("write", "EIO", "+"),
    ("mkdir", "ENOSPC", ""), ("rename", "EIO", ""), ("renameat", "EIO", ""),
    ("ftruncate", "EIO", ""),
]
SAMPLE = {"pwrite64": [2, 60], "fdatasync": [9], "fsync": [4, 30], "write": [30], "mkdir": [4],
          "rename": [3], "renameat": [3], "ftruncate": [1]}
# The long form tries one call in so many, since there are hundreds of these and most are alike.
STEPS = {"pwrite64": 5}
PASSES = 3
WORDS = {"ENOSPC": "No space left on device|disk is full", "EIO": "Input/output error"}
CALL = re.compile(r"^(\d+) +(\w+)\((?:\d+<([^>]*)>|\"([^\"]*)\")")
RESUMED = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>")


class Call:
    """A system call in strace's log: its name, its file, and whether it was made to fail."""

    def __init__(self, name, path):
        self.name, self.path = name, path
        self.injected = False


def calls_of(lines):
    """Calls in the order in which they began. With several threads a call may be split into two
    lines."""
    result, begun = [], {}
    for line in lines:
        found, resumed = CALL.match(line), RESUMED.match(line)
        if found:
            call = begun[found.group(1)] = Call(found.group(2), found.group(3) or found.group(4))
            result.append(call)
        elif resumed:
            call = begun[resumed.group(1)]
        else:
            continue
        call.injected = call.injected or "(INJECTED)" in line
    return result


@unittest.skipIf(why_no_strace(), why_no_strace())
class Errors(DiskCase):
    def written_files(self):
        """Files below the experiment's directory that the head writes to by `write`."""
        where = self.fresh()
        self.spoilt("write:error=EIO:when=60000")
        paths = {x.path for x in calls_of(self.calls) if x.path.startswith(str(where))}
        return [Path(x).relative_to(where) for x in sorted(paths)]

    def assert_never_synced_again(self, calls):
        """A sync that failed may have lost data, and the next one would only seem to succeed."""
        failed = set()
        for call in calls:
            if call.name not in ("fsync", "fdatasync") or Path(call.path).is_dir():
                continue
            self.assertNotIn(call.path, failed, "synced again after it failed")
            if call.injected:
                failed.add(call.path)

    def assert_whole(self, record):
        """Checks that all trials have ended."""
        ends = collections.Counter(record.trials.values())
        self.assertEqual(ends, {x: count for x, count in ENDS.items() if count})

    def fail_at(self, call, error, number, more):
        """@returns whether the run reached the call."""
        where = self.fresh()
        only = [] if call != "write" else [str(where / x) for x in self.written]
        ran = self.spoilt("%s:error=%s:when=%d%s" % (call, error, number, more), only=only,
                          calls=call + ",fsync,fdatasync")
        calls = calls_of(self.calls)
        injected = [x for x in calls if x.injected]
        if not injected:
            self.assertEqual(ran.returncode, 0, ran)
            return False
        self.note(errors=1)
        self.assertIn(ran.returncode, (0, 7), (ran, injected[0].path))
        self.assertTrue(readable(ran.stderr), ran.stderr)
        self.assert_never_synced_again(calls)
        first = Path(injected[0].path)
        before = Record(where)
        self.assert_acknowledged(where, before)
        if ran.returncode == 7:
            self.note(exits_7=1)
            # Failed trials were reported before.
            told = [x for x in ran.stderr.splitlines() if not x.startswith("trial ")]
            self.assertEqual(len(told), 1, ran.stderr)
            self.assertRegex(told[0], WORDS[error])
        elif first.name == "experiment.db":
            # Data that could not be merged into the database on closing is still in its log.
            self.assertGreater(Path(where, "experiment.db-wal").stat().st_size, 0, (call, first))
            self.assert_whole(before)
        elif first.name.startswith("experiment.db") and not first.name.endswith("-shm"):
            self.fail("%s of %s failed, and the run ended well" % (call, first))
        else:
            self.assert_places(where, before, may_stay=("doomed",))
        if before.events:
            self.fsck(where)
        if ran.returncode == 7:
            self.resume(where, before)
        return True

    def test_the_run_ends_with_exit_7_and_goes_on_when_the_disk_is_well(self):
        self.written = self.written_files()
        reached = {}
        for call, error, more in FAULTS:
            passed = 0
            for number in range(1, 10_000, STEPS.get(call, 1)) if LONG else SAMPLE[call]:
                with self.subTest(call=call, error=error, number=number, more=more):
                    came = self.fail_at(call, error, number, more)
                    passed = 0 if came else passed + 1
                    if came:
                        reached[call + " " + error + more] = number
                if passed == PASSES:
                    break
        self.tell("error_at_every_call", reached=reached)
        self.assertGreaterEqual(self.figures["exits_7"], 8)


if __name__ == "__main__":
    main()
