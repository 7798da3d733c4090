# SPDX-License-Identifier: BSD-3-Clause
"""The walk-throughs of docs/http-api.md and docs/ask-tell.md: each command with curl is carried out as
it stands there, and is answered as it is told there."""
import json
import re
import shutil
import subprocess
import unittest

from controlled import ControlCase
from e2e import ROOT, CertifiedCase, main
from http_client import Served

TOKEN_FILE = "~/.local/state/tune-node/http-token"
ADDRESS = "127.0.0.1:7780"


def walk_through(page, part):
    """The commands of the console block that holds `part`, each with the lines told after it."""
    text = (ROOT / "docs" / page).read_text()
    blocks = re.findall(r"```console\n(.*?)```", text, re.S)
    found = [x for x in blocks if part in x]
    assert len(found) == 1, (page, part, len(found))
    result = []
    for line in found[0].splitlines():
        if line.startswith("$ "):
            result.append([line[2:], []])
        elif result[-1][0].endswith("\\"):
            result[-1][0] = result[-1][0][:-1] + line.strip()
        else:
            result[-1][1].append(line)
    return result


@unittest.skipUnless(shutil.which("curl"), "no curl is installed")
class Docs(Served):
    def carry_out(self, commands, where=None):
        """Carries out a walk-through but for its first command, which the test began."""
        begun = ["set -eu", "TOKEN=$(cat '%s')" % (self.state() / "tune-node/http-token")]
        answers = []
        for command, told in commands[1:]:
            command = command.replace(ADDRESS, self.address).replace(
                TOKEN_FILE, str(self.state() / "tune-node/http-token")
            )
            if re.match(r"[A-Z]+=", command):
                begun.append(command)
                continue
            script = "\n".join([*begun, command.replace("curl ", "curl -sS --fail-with-body ", 1)])
            done = subprocess.run(
                ["bash", "-c", script], cwd=where or self.directory, capture_output=True, text=True,
                timeout=60, check=False,
            )
            self.assertEqual(done.returncode, 0, command + "\n" + done.stdout + done.stderr)
            answers.append(json.loads(done.stdout))
            if told:
                self.assert_alike(answers[-1], json.loads("".join(told)))
        return answers

    def assert_alike(self, found, told):
        """The same members, with values of the same kinds."""
        self.assertEqual(type(found), type(told))
        if isinstance(told, dict):
            self.assertEqual(sorted(found), sorted(told))
            for name in told:
                self.assert_alike(found[name], told[name])


class Serve(ControlCase, Docs):
    def test_the_first_steps(self):
        ini = self.stepping(samples=3, slots=2, steps=3)
        ini.write_text(ini.read_text().replace("[experiment]", "[experiment]\nname = digits"))
        self.begin_named(ini)
        self.start_serving()
        listed, added = self.carry_out(walk_through("http-api.md", "experiments/digits/trials"))
        self.assertEqual([x["name"] for x in listed["experiments"]], ["digits"])
        self.assertEqual(added["told"][0]["outcome"], "taken")

    def begin_named(self, ini):
        self.start("run", ini)
        place = self.directory / "results/digits"
        self.wait_until(lambda: (place / ".control").exists(), what="the run")


class Converse(Docs):
    def test_ask_and_tell(self):
        ini = self.ini(
            "[experiment]\nname = bowl\nmetric = loss\nmode = min\n[space]\nx = uniform(0, 1)\n",
            "bowl.ini",
        )
        self.server = self.start(
            "ask-tell", ini, "--http", "127.0.0.1:0", env=self.served_environment()
        )
        self.take_link(self.server.stdout.readline())
        self.carry_out(walk_through("ask-tell.md", "$API/ask"))


class Submit(CertifiedCase, Docs):
    def test_submitting(self):
        log = self.directory / "head.log"
        with open(log, "w", encoding="utf-8") as err:
            self.server = self.start(
                *("head", "--listen", "127.0.0.1:0", "--certs", self.certs, "--cpus", "2"),
                *("--storage", self.directory / "results", "--work", self.directory / "work"),
                *("--http", "127.0.0.1:0"),
                stderr=err,
                env=self.served_environment(),
            )
        self.wait_until(lambda: "experiments may come" in log.read_text(), self.server, "a head")
        self.take_link(log.read_text())
        mine = self.directory / "mine"
        (mine / "data").mkdir(parents=True)
        (mine / "data" / "words.txt").write_text("words\n")
        (mine / "train.py").write_text("print('loss=1')\n")
        (mine / "exp.ini").write_text(
            "[experiment]\nmetric = loss\nmode = min\nnum_samples = 20\n"
            "[trainable]\ncommand = python3 ./train.py {x}\nmetric.loss = loss=(\\S+)\nfiles = data\n"
            "[space]\nx = uniform(0, 1)\n"
        )
        # The command stands alone there: what begins the server is told in the text.
        commands = [["", []], *walk_through("http-api.md", "application/x-tar")]
        taken = self.carry_out(commands)[0]
        self.assertEqual(taken["experiment"], "exp")
        # 503: it is taken, and its record has no beginning yet.
        self.wait_until(lambda: self.get("/api/v1/experiments/exp").status != 503, self.server,
                        "the beginning of the record")
        self.assertEqual(self.api("/exp")["name"], "exp")


if __name__ == "__main__":
    main()
