# SPDX-License-Identifier: BSD-3-Clause
"""A trial that replaces a file in its own directory by something else, fails, and is tried again:
spiteful_trial.py NAME KIND [WAIT]

In its second attempt it prints and reports, and waits until the file WAIT exists."""
import json
import os
import socket
import sys
import time
from pathlib import Path

NAME, KIND = sys.argv[1:3]
WAIT = Path(sys.argv[3]) if len(sys.argv) > 3 else None
HERE = Path(os.environ["TUNE_TRIAL_DIR"])


def say(**what):
    os.write(int(os.environ["TUNE_TRIAL_REPORT_FD"]), (json.dumps(what) + "\n").encode())


def report(loss):
    say(metrics={"loss": loss})
    answer = b""
    while not answer.endswith(b"\n"):
        answer += os.read(int(os.environ["TUNE_TRIAL_ANSWER_FD"]), 1)


def put(place):
    """Puts an object of this kind under the name `place`."""
    if place.is_dir() and not place.is_symlink():
        place.rename(place.with_name("moved"))
    elif place.exists() or place.is_symlink():
        place.unlink()
    outside = HERE.parent / ("." + HERE.name + " outside")
    if KIND == "fifo":
        os.mkfifo(place)
    elif KIND == "link-to-fifo":
        if not outside.exists():
            os.mkfifo(outside)
        place.symlink_to(outside)
    elif KIND == "link-to-zero":
        place.symlink_to("/dev/zero")
    elif KIND == "link-to-file":
        outside.write_text("precious\n")
        place.symlink_to(outside)
    elif KIND == "hard-link":
        outside.write_text("precious\n")
        os.link(outside, place)
    elif KIND == "link-to-moved":
        place.symlink_to("moved")
    elif KIND == "directory":
        place.mkdir()
    elif KIND == "socket":
        socket.socket(socket.AF_UNIX).bind(str(place))


def plant(place):
    """Tries again if the runtime is writing at the same moment."""
    while True:
        try:
            return put(place)
        except FileExistsError:
            continue


say(tune=1)
print("words on stdout", flush=True)
print("words on stderr", file=sys.stderr, flush=True)
report(2)
mark = HERE.parent / ("." + HERE.name + " was here")
if not mark.exists():
    mark.touch()
    # Names with a star are those of a worker, which contain the attempt.
    for found in list(HERE.glob(NAME)) if "*" in NAME else [HERE / NAME]:
        plant(Path(os.path.normpath(found)))
    sys.exit("once more")
report(1)
while WAIT and not WAIT.exists():
    time.sleep(0.05)
