#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Makes packaging/kubernetes/tune-node.yaml of the chart beside it, for those who have no Helm.
# Needs helm, in $TUNE_HELM or $PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
place=packaging/kubernetes
{
  echo "## Made of the chart beside it by scripts/render_manifests.sh; see docs/deployment.md."
  "${TUNE_HELM:-helm}" template tune-node $place/chart
} >$place/tune-node.yaml.new
mv $place/tune-node.yaml.new $place/tune-node.yaml
