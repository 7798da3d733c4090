#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An executor of your own: tune-node decides what to try and when to stop, and this program
trains.

usage: ask_tell.py [TUNE_NODE [OPTION...]], for instance: ask_tell.py tune-node --resume

docs/ask-tell.md describes the protocol between the two.
"""
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
STATES = Path("ask_tell_states")


class Tuner:
    """tune-node, one question and one answer at a time."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def say(self, op, **fields):
        try:
            print(json.dumps({"op": op, **fields}), file=self.process.stdin, flush=True)
            answer = json.loads(self.process.stdout.readline() or "null")
        except BrokenPipeError:
            answer = None
        if answer is None:
            sys.exit("tune-node went, with exit code %d" % self.process.wait())
        if answer["op"] == "fault":
            sys.exit("tune-node: " + answer["error"])
        return answer


def train(tuner, trial):
    """Rolls down the bowl (x - 3)^2, from the state of a checkpoint if there is one."""
    state = {"x": 10.0, "speed": 0.0, "steps": 0}
    if trial["resume"]:
        state = json.loads(Path(trial["from"]["checkpoint"]).read_text())
    config = trial["config"]
    while state["steps"] < 30:
        slope = 2 * (state["x"] - 3)
        state["speed"] = config["momentum"] * state["speed"] - config["lr"] * slope
        state["x"] += state["speed"]
        state["steps"] += 1
        checkpoint = STATES / ("%s-%d.json" % (trial["trial"], state["steps"]))
        checkpoint.write_text(json.dumps(state))
        answer = tuner.say(
            "report",
            trial=trial["trial"],
            attempt=trial["attempt"],
            metrics={"training_iteration": state["steps"], "loss": (state["x"] - 3) ** 2},
            checkpoint=str(checkpoint),
        )
        if answer["decision"] != "continue":
            return
    tuner.say("complete", trial=trial["trial"], attempt=trial["attempt"])


def main():
    node, *options = sys.argv[1:] or ["tune-node"]
    STATES.mkdir(exist_ok=True)
    tuner = Tuner(node, "ask-tell", HERE / "ask_tell.ini", *options)
    while True:
        trial = tuner.say("ask")
        if trial["op"] == "trial":
            try:
                train(tuner, trial)
            except (ArithmeticError, OSError) as why:
                tuner.say("error", trial=trial["trial"], message=repr(why))
        elif trial["reason"] == "finished":
            break
        else:
            time.sleep(0.1)
    print(json.dumps(tuner.say("best")))
    tuner.process.stdin.close()
    sys.exit(tuner.process.wait())


if __name__ == "__main__":
    main()
