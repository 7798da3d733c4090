# SPDX-License-Identifier: BSD-3-Clause
"""Tests whose mounts nobody else sees: of a program in a mount namespace of its own."""
import os
import subprocess
import sys

import e2e

ALONE = "TUNE_TEST_HAS_OWN_MOUNTS"


def why_not():
    """Why there can be no mounts here; None where there can."""
    if os.geteuid() != 0:
        return "it takes root to mount"
    done = subprocess.run(
        ["unshare", "--mount", "true"], stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        return "the kernel makes no namespaces for us: " + done.stderr.strip()
    return None


def main(otherwise=None):
    """Runs the tests of the program, or says why not and exits 77. otherwise: what else is against
    it."""
    reason = why_not() or otherwise
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    if ALONE not in os.environ:
        os.environ[ALONE] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private",
                              sys.executable, *sys.argv])
    e2e.main()
