# SPDX-License-Identifier: BSD-3-Clause
"""Runs tests in a mount namespace of their own, so that no other process sees their mounts."""
import os
import subprocess
import sys

import e2e

ALONE = "TUNE_TEST_HAS_OWN_MOUNTS"


def why_not():
    """The reason why mounting is impossible here; None if it is possible."""
    if os.geteuid() != 0:
        return "it takes root to mount"
    done = subprocess.run(
        ["unshare", "--mount", "true"], stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        return "the kernel makes no namespaces for us: " + done.stderr.strip()
    return None


def main(otherwise=None):
    """Runs the tests of the program, or prints the reason why not and exits 77. otherwise: a
    further reason."""
    reason = why_not() or otherwise
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    if ALONE not in os.environ:
        os.environ[ALONE] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private",
                              sys.executable, *sys.argv])
    e2e.main()
