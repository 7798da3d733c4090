# SPDX-License-Identifier: BSD-3-Clause
"""A trial that mounts something and leaves it there: mounting_trial.py KIND [VICTIM [FLAG]]

Its first trial does that, any other reports and is done; of kind "endless" all report on and on,
and save when they are asked to; "talking" ones print, too. KIND is where: "none", "own", "below", "save",
"hand" or "export"; VICTIM is a directory that is bound there, without one it is a file system that
never answers and lasts as long as the trial. "lasting" is one on its own directory that lasts
longer: whoever reads VICTIM/wanted mounts it, then makes VICTIM/done; "restored" is such a one
where its checkpoints lie, after the first. "late" mounts nothing: each trial reports, waits for
VICTIM/done, prints for the first time, makes VICTIM/printed-NUMBER, and reports on and on.

"saved-PLACE" mounts upon a checkpoint so many milliseconds (VICTIM) after it said that it is saved:
upon its directory ("draft"), one in it ("deep") or a file of it ("file"), and makes FLAG then. It
is of some 500 MB, all of them holes: it takes the head longer to read them.

With a FLAG, VICTIM being "-", it makes that file when it has mounted, and reports on and on."""
import ctypes
import json
import os
import sys
import time
from pathlib import Path

KIND = sys.argv[1]
VICTIM = sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] != "-" else None
FLAG = sys.argv[3] if len(sys.argv) > 3 else None
HERE = Path(os.environ["TUNE_TRIAL_DIR"])
BIND = 4096
LIBC = ctypes.CDLL(None, use_errno=True)


def say(**what):
    os.write(int(os.environ["TUNE_TRIAL_REPORT_FD"]), (json.dumps(what) + "\n").encode())


def report(loss, **more):
    say(metrics={"loss": loss}, **more)
    answer = b""
    while not answer.endswith(b"\n"):
        answer += os.read(int(os.environ["TUNE_TRIAL_ANSWER_FD"]), 1)
    return json.loads(answer)


def mount(place):
    if not place.exists():
        place.mkdir()
    where = os.fsencode(str(place))
    if KIND in ("lasting", "restored"):
        (Path(VICTIM) / "new").write_text(str(place))
        (Path(VICTIM) / "new").rename(Path(VICTIM) / "wanted")
        while not (Path(VICTIM) / "done").exists():
            time.sleep(0.01)
        done = 0
    elif VICTIM and not KIND.startswith("saved-"):
        done = LIBC.mount(os.fsencode(VICTIM), where, None, BIND, None)
    else:
        held = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        mode = 0o40000 if place.is_dir() else 0o100000
        words = "fd=%d,rootmode=%o,user_id=0,group_id=0" % (held, mode)
        done = LIBC.mount(b"dead", where, b"fuse", 0, words.encode())
    if done != 0:
        sys.exit("cannot mount: " + os.strerror(ctypes.get_errno()))
    if FLAG:
        Path(FLAG).touch()


def save_and_mount(place):
    answer = report(3)
    while "dir" not in answer:
        answer = report(2)
    draft = Path(answer["dir"])
    (draft / "deep").mkdir()
    for i in range(4):
        with open(draft / "deep" / ("file-%d" % i), "wb") as file:
            file.truncate(128 << 20)
    say(saved=answer["dir"])
    time.sleep(int(VICTIM) / 1000)
    mount(draft / {"draft": ".", "deep": "deep", "file": "deep/file-0"}[place])


def print_late():
    report(3)
    while not (Path(VICTIM) / "done").exists():
        time.sleep(0.01)
    print("first words", flush=True)
    (Path(VICTIM) / ("printed-" + os.environ["TUNE_TRIAL_ID"])).touch()
    while report(1)["decision"] not in ("stop", "pause"):
        time.sleep(0.05)
    sys.exit(0)


say(tune=1)
while KIND in ("endless", "talking"):
    if KIND == "talking":
        print("on and on", flush=True)
    answer = report(1)
    if answer["decision"] == "stop":
        sys.exit(0)
    if "dir" in answer:
        say(saved=answer["dir"])
    # Most of the time no checkpoint of the trial is under way.
    time.sleep(0.2)
if KIND == "late":
    print_late()
if int(os.environ["TUNE_TRIAL_ID"]) > 0 or KIND == "none":
    print("four reports", flush=True)
    for i in range(4):
        answer = report(4 - i)
        if "dir" in answer:
            say(saved=answer["dir"])
    sys.exit(0)
if KIND == "own" and VICTIM:
    mount(HERE / "data")
elif KIND == "own":
    report(3)
    mount(HERE)
elif KIND == "lasting":
    report(3)
    mount(HERE)
    sys.exit(3)
elif KIND == "restored":
    answer = report(3)
    while "dir" not in answer:
        answer = report(2)
    say(saved=answer["dir"])
    report(1)
    while not (Path(VICTIM) / "saved").exists():
        time.sleep(0.01)
    mount(Path(answer["dir"]).parent)
    sys.exit(3)
elif KIND == "below":
    report(3)
    mount(HERE / "logs")
elif KIND == "hand":
    mount(HERE / "remote")
    report(2, checkpoint="remote")
elif KIND == "export":
    mount(Path(os.environ["TUNE_TRIAL_EXPORT_DIR"]) / "model")
elif KIND == "save":
    answer = report(3)
    while "dir" not in answer:
        answer = report(2)
    mount(Path(answer["dir"]) / "data")
    say(saved=answer["dir"])
elif KIND.startswith("saved-"):
    save_and_mount(KIND.removeprefix("saved-"))
report(1)
report(1)
while FLAG:
    time.sleep(0.05)
    if report(1)["decision"] in ("stop", "pause"):
        break
sys.exit(3 if KIND == "export" else 0)
