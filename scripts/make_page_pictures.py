#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the pictures of the page in README from a real run.

    scripts/make_page_pictures.py [TUNE_NODE]

Tunes the network of config/mlp-digits.ini under ASHA, serves its experiment, and has a headless
Chromium show it: docs/pictures/page-overview.png and docs/pictures/page-rungs.png.
"""
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "web"))
from browser import Browser  # noqa: E402

PICTURES = {"overview": "", "rungs": "rungs"}
IS_DRAWN = """!!document.querySelector('.view, .fault')
    && !document.querySelector('.state:not([hidden]) .spinner')"""
IS_AT_REST = "new Promise(done => setTimeout(() => done(true), 600))"


def main():
    program = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/apps/tune-node/tune-node")
    with tempfile.TemporaryDirectory() as home:
        storage = Path(home) / "results"
        subprocess.run(
            [program, "run", ROOT / "config" / "mlp-digits.ini", "--experiment.storage", storage,
             "--quiet", "--output", "json"],
            check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen(
            [program, "serve", storage, "--http", "127.0.0.1:0", "--token-file", Path(home) / "token"],
            stdout=subprocess.PIPE, universal_newlines=True)
        try:
            draw(server.stdout.readline().strip())
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


def draw(link):
    address = link.split("#")[0]
    with Browser() as browser:
        browser.size(1200, 760)
        browser.prefer("light")
        browser.open(link)
        browser.wait("!!document.querySelector('tbody tr')")
        for name, view in PICTURES.items():
            browser.open("%s?e=mlp-digits&view=%s" % (address, view))
            browser.wait(IS_DRAWN)
            browser.wait(IS_AT_REST)
            browser.picture(str(ROOT / "docs" / "pictures" / ("page-%s.png" % name)))
        if browser.errors:
            raise SystemExit("\n".join(map(str, browser.errors)))


if __name__ == "__main__":
    main()
