# SPDX-License-Identifier: BSD-3-Clause
"""A trial program that can misbehave in many ways: its arguments are carried out word by word.

faulty_trial.py report 1.5 err 'oops' exit 3
"""
import fcntl
import json
import os
import signal
import sys
import time


kept = []


def descriptor(name):
    return int(os.environ[name])


def say(line):
    os.write(descriptor("TUNE_TRIAL_REPORT_FD"), (json.dumps(line) + "\n").encode())


def hear():
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(descriptor("TUNE_TRIAL_ANSWER_FD"), 1)
        if not byte:
            return {"decision": "stop"}
        line += byte
    return json.loads(line)


def obey(answer):
    while answer["decision"] in ("save", "pause"):
        with open(os.path.join(answer["dir"], "state"), "w") as out:
            out.write("kept")
        say({"saved": answer["dir"]})
        if answer["decision"] == "pause":
            sys.exit(0)
        return
    if answer["decision"] == "stop":
        sys.exit(0)


def report(**metrics):
    say({"metrics": metrics})
    obey(hear())


def flood(descriptor_number, megabytes):
    # Only the beginning of a long line is searched for metrics.
    block = (b"x" * ((1 << 16) - 1) + b"\n") * 16
    for _ in range(megabytes):
        os.write(descriptor_number, block)


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.01)


def take_slot(count):
    """Fails if more than `count` trials of this experiment run at the same time."""
    for number in range(count):
        slot = open(os.path.join(os.environ["TUNE_TRIAL_DIR"], "../..", "slot%d" % number), "w")
        try:
            # Held until the process ends.
            fcntl.flock(slot, fcntl.LOCK_EX | fcntl.LOCK_NB)
            kept.append(slot)
            return
        except BlockingIOError:
            slot.close()
    raise RuntimeError("more than %d trials at the same time" % count)


def raise_it(text):
    raise RuntimeError(text)


def nowhere():
    while True:
        signal.pause()


def hang_with_children():
    """Starts a child in the same session, and a daemon in one of its own; all of them ignore
    TERM."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
    else:
        os.fork()
    nowhere()


def done_and_deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say({"metrics": {"loss": 1, "done": True}})
    hear()
    nowhere()


def save_late():
    """Reports the first save as done after it has been given up; the third save is done in
    time."""
    say({"metrics": {"loss": 3}})
    first = hear()
    say({"metrics": {"loss": 2}})
    hear()
    say({"saved": first["dir"]})
    report(loss=1)


def unheard(count):
    for step in range(count):
        say({"metrics": {"loss": 10 + step}})


def backtrack(count):
    for _ in range(count):
        print("a" * 60 + "!", flush=True)


def repeated(take, words_of_step):
    count = int(take())
    for step in range(1, count + 1):
        words_of_step(step)


def carry_out(words):
    words = list(words)

    def take():
        return words.pop(0)

    does = {
        "tune": lambda: say({"tune": 1}),
        "report": lambda: report(loss=float(take())),
        "reports": lambda: repeated(take, lambda i: report(loss=1 / i, i=i)),
        "says": lambda: report(loss=take()),
        "save_late": save_late,
        "strange": lambda: report(loss=float("nan"), up="inf", down="-inf"),
        "other": lambda: report(other=1),
        "print": lambda: print(take(), flush=True),
        "prints": lambda: repeated(take, lambda i: print("loss=%g" % (1 / i), flush=True)),
        "err": lambda: print(take(), file=sys.stderr, flush=True),
        "flood": lambda: flood(1, int(take())),
        "flood_err": lambda: flood(2, int(take())),
        "slot": lambda: take_slot(int(take())),
        "show_gpu": lambda: print(
            "gpu", os.environ.get("CUDA_VISIBLE_DEVICES", "unset"), flush=True
        ),
        "touch": lambda: open(take(), "w").close(),
        "wait_for": lambda: wait_for(take()),
        "raise": lambda: raise_it(take()),
        "abort": os.abort,
        "crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
        "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
        "hang": nowhere,
        "hang_with_children": hang_with_children,
        "unheard": lambda: unheard(int(take())),
        "done_deaf": done_and_deaf,
        "backtrack": lambda: backtrack(int(take())),
        "long_error": lambda: say({"error": "x" * int(take())}),
        "stop_guard": lambda: os.kill(os.getppid(), signal.SIGSTOP),
        "junk": lambda: os.write(descriptor("TUNE_TRIAL_REPORT_FD"), b"this is no JSON\n"),
        "exit": lambda: sys.exit(int(take())),
    }
    while words:
        does[take()]()


if __name__ == "__main__":
    carry_out(sys.argv[1:])
