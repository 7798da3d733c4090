#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Learns handwritten digits by several processes at once, in Python without any package.

By hand:           python3 examples/python/train_digits_parallel.py
Under tune-node:   tune-node run config/parallel-digits.ini

tune-node starts this script once per rank ([trainable] ranks), each on the node of its bundle, and
sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as torchrun does. Each batch is cut into PIECES
pieces; each rank computes the gradients of some of them, rank 0 adds them up in the order of the
pieces, and all take the same step. So a run comes to the same weights, bit by bit, whatever the
number of ranks. Rank 0 alone reports and saves.
"""
import array
import hashlib
import math
import os
import random
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import tune_node  # noqa: E402
from train_digits import CLASSES, DATA, Model, read_digits  # noqa: E402

DEFAULTS = {"lr": 0.5, "decay": 0.95, "l2": 1e-5, "batch": 64, "epochs": 10, "seed": 1}
PIECES = 8
PIXELS = 65
SIZE = len(CLASSES) * PIXELS + 1  # the gradient of all weights, and the loss
PATIENCE_S = 60


class Peers:
    """Adds lists of numbers over all ranks."""

    def __init__(self, environ=os.environ):
        self.rank = int(environ.get("RANK", 0))
        self.size = int(environ.get("WORLD_SIZE", 1))
        self.links = []
        where = (environ.get("MASTER_ADDR", ""), int(environ.get("MASTER_PORT", 0)))
        if self.size > 1 and self.rank == 0:
            self._await_others(where)
        elif self.size > 1:
            self.links = [self._reach(where)]
            self.links[0].sendall(bytes([self.rank]))

    def _await_others(self, where):
        family = socket.AF_INET6 if ":" in where[0] else socket.AF_INET
        came = {}
        with socket.socket(family, socket.SOCK_STREAM) as door:
            door.bind(("", where[1]))
            door.listen(self.size)
            door.settimeout(PATIENCE_S)
            while len(came) < self.size - 1:
                link, _ = door.accept()
                link.settimeout(PATIENCE_S)
                came[receive(link, 1)[0]] = link
        self.links = [came[rank] for rank in sorted(came)]

    @staticmethod
    def _reach(where):
        """Retries, since rank 0 may not listen yet."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                return socket.create_connection(where, timeout=PATIENCE_S)
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def sums(self, own):
        """own: a list of SIZE numbers per piece. Returns their sums in the order of the pieces."""
        if self.rank > 0:
            self.links[0].sendall(b"".join(own[piece].tobytes() for piece in sorted(own)))
            return array.array("d", receive(self.links[0], 8 * SIZE))
        pieces = dict(own)
        for rank, link in enumerate(self.links, 1):
            for piece in range(rank, PIECES, self.size):
                pieces[piece] = array.array("d", receive(link, 8 * SIZE))
        total = array.array("d", [0.0] * SIZE)
        for piece in range(PIECES):
            for i, x in enumerate(pieces[piece]):
                total[i] += x
        for link in self.links:
            link.sendall(total.tobytes())
        return total

    def agree(self, go_on):
        """Returns rank 0's decision at every rank."""
        if self.rank > 0:
            return receive(self.links[0], 1) == b"\1"
        for link in self.links:
            link.sendall(b"\1" if go_on else b"\0")
        return go_on


def receive(link, size):
    """Receives exactly `size` bytes."""
    parts = b""
    while len(parts) < size:
        part = link.recv(size - len(parts))
        if not part:
            raise ConnectionError("another rank is gone")
        parts += part
    return parts


def gradient(model, images):
    """The gradient of the loss over these images, and that loss: sums, not means."""
    result = array.array("d", [0.0] * SIZE)
    for label, shown in images:
        guess = model.probabilities(shown)
        result[-1] -= math.log(max(guess[label], 1e-300))
        for digit in CLASSES:
            error = guess[digit] - (digit == label)
            for i, x in shown:
                result[digit * PIXELS + i] += error * x
    return result


def train(model, images, params, peers, seen):
    """One epoch. Returns the mean loss."""
    lr = params["lr"] * params["decay"] ** model.epoch
    order = random.Random(params["seed"] * 1000 + model.epoch).sample(images, len(images))
    loss, size = 0.0, int(params["batch"])
    for begin in range(0, len(order), size):
        batch = order[begin : begin + size]
        own = range(peers.rank, PIECES, peers.size)
        total = peers.sums({piece: gradient(model, batch[piece::PIECES]) for piece in own})
        seen.update(total.tobytes())
        loss += total[-1]
        for digit in CLASSES:
            row = model.weights[digit]
            for i in range(PIXELS):
                row[i] -= lr * (total[digit * PIXELS + i] / len(batch) + params["l2"] * row[i])
    model.epoch += 1
    return loss / len(order)


def main():
    trial = tune_node.Trial(defaults=DEFAULTS)
    params = trial.params
    images = random.Random(1998).sample(read_digits(DATA), 1797)
    learned, validation = images[:1197], images[1197:1497]

    model = Model()
    if trial.restore_dir:  # every rank is given the checkpoint of rank 0
        model.load(trial.restore_dir)
    peers = Peers()
    seen = hashlib.sha256()
    go_on = True
    while go_on and model.epoch < params["epochs"]:
        loss = train(model, learned, params, peers, seen)
        if peers.rank == 0:
            go_on = trial.report(
                loss=loss,
                accuracy=model.accuracy(validation),
                gradients=seen.hexdigest(),
                training_iteration=model.epoch,
                save=model.save,
            )
        go_on = peers.agree(go_on)


if __name__ == "__main__":
    main()
