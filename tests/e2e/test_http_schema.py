# SPDX-License-Identifier: BSD-3-Clause
"""What the gateway says of its API, and what it does, compared by schemathesis, which is brought
from PyPI into an environment of the test's own. Skipped, with the reason, where it cannot be had."""
import subprocess
import sys
import tempfile
from pathlib import Path

from e2e import main
from http_client import Served

SKIPPED = 77
VERSION = "schemathesis>=4,<5"


def environment_with(where, package):
    """Installs a package into an environment and returns where its programs are, or ends with the
    reason why not."""
    for words in (
        [sys.executable, "-m", "venv", where],
        [where / "bin/pip", "install", "--quiet", package],
    ):
        done = subprocess.run(words, capture_output=True, text=True, timeout=400)
        if done.returncode != 0:
            print("skipped: %s cannot be installed:" % package, (done.stdout + done.stderr)[-500:])
            sys.exit(SKIPPED)
    return where / "bin"


class Schema(Served):
    program = None

    def test_nothing_is_answered_that_is_not_described(self):
        self.run_node("run", self.experiment("tune report 3", samples=2), "--quiet")
        self.start_serving()
        description = self.directory / "openapi.json"
        description.write_bytes(self.get("/api/v1/openapi.json").body)
        name = self.get("/api/v1/experiments").json()["experiments"][0]["name"]
        # Those that the program expects beside the usual ones where data is refused.
        settings = self.directory / "schemathesis.toml"
        settings.write_text(
            "[checks.negative_data_rejection]\n"
            "expected-statuses = [400, 401, 403, 404, 405, 413, 414, 415, 422, 431]\n"
            # What is there; other names are made up besides.
            '[parameters]\n"path.experiment" = "%s"\n"path.trial" = "1"\n' % name
        )
        done = subprocess.run(
            [
                self.program, "--config-file", settings, "run", description,
                "--url", "http://127.0.0.1:%d" % self.port,
                "-H", "Authorization: Bearer " + self.token, "--max-examples", "25",
                # A stream has no end, and the page takes any query; a wrong token is 429 after some
                # tries; and no schema says which filters, keys and cursors there are.
                "--exclude-operation-id", "events", "--exclude-operation-id", "page",
                # It makes no tar archives: test_http_submit does.
                "--exclude-operation-id", "submit", "--seed", "1",
                "--exclude-checks", "ignored_auth,positive_data_acceptance",
                "--no-color",
            ],
            capture_output=True, text=True, timeout=500, cwd=self.directory,
        )
        self.assertEqual(done.returncode, 0, done.stdout[-8000:] + done.stderr[-2000:])
        self.assertIsNone(self.server.poll())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tune-schemathesis-") as folder:
        Schema.program = environment_with(Path(folder), VERSION) / "schemathesis"
        main()
