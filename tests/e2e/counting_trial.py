# SPDX-License-Identifier: BSD-3-Clause
"""A trial that counts, keeps its count in checkpoints of many kinds of files, and says whether it
found all of them again.

    counting_trial.py GATE STEPS BYTES FILES

It reports STEPS times, and waits for the file GATE before its third report. A checkpoint holds
BYTES of noise and FILES small files.
"""
import json
import os
import random
import sys
import time
from pathlib import Path

GATE, STEPS, BYTES, FILES = sys.argv[1], *map(int, sys.argv[2:5])

reports = os.fdopen(int(os.environ["TUNE_TRIAL_REPORT_FD"]), "w", buffering=1)
answers = os.fdopen(int(os.environ["TUNE_TRIAL_ANSWER_FD"]))


def say(line):
    reports.write(json.dumps(line) + "\n")


def noise(count):
    block = random.Random(count).randbytes(1 << 20)
    return (block * (BYTES // len(block) + 1))[:BYTES]


def content(count):
    """The files of a checkpoint at this count, one by one."""
    yield "deep/er/count", str(count).encode()
    yield "empty", b""
    yield "noise", noise(count)
    for i in range(FILES):
        yield "many/%d" % i, b"%d of %d" % (i, count)


def save(directory, count):
    for name, data in content(count):
        path = Path(directory, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    os.symlink("deep/er/count", Path(directory, "newest"))
    Path(directory, "hollow").mkdir()


def load(directory):
    """The count of a checkpoint; raises an error that names a file which is not as it was
    saved."""
    count = int(Path(directory, "newest").read_text())
    for name, data in content(count):
        if Path(directory, name).read_bytes() != data:
            raise ValueError(name + " is not as it was saved")
    if not Path(directory, "hollow").is_dir():
        raise ValueError("the empty directory is gone")
    return count


def main():
    restore = os.environ.get("TUNE_TRIAL_RESTORE")
    count = load(restore) if restore else 0
    say({"tune": 1})
    while count < STEPS:
        count += 1
        while count >= 3 and not os.path.exists(GATE):
            time.sleep(0.02)
        say({"metrics": {"loss": 1 / count, "training_iteration": count, "restored": bool(restore)}})
        answer = json.loads(answers.readline() or '{"decision":"stop"}')
        if answer["decision"] in ("save", "pause"):
            save(answer["dir"], count)
            say({"saved": answer["dir"]})
        if answer["decision"] in ("stop", "pause"):
            return


main()
