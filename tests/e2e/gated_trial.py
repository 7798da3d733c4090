# SPDX-License-Identifier: BSD-3-Clause
"""A trial that saves and reports, again and again, until a file is there."""

# trial.sh VALUE; GATE in its environment names the file. It goes on from the iteration it saved.
GATED = """#!/bin/sh
i=0
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
[ -z "$TUNE_TRIAL_RESTORE" ] || i=$(cat "$TUNE_TRIAL_RESTORE/i")
while :; do
  i=$((i + 1))
  mkdir -p "$TUNE_TRIAL_DIR/at$i"
  echo $i > "$TUNE_TRIAL_DIR/at$i/i"
  echo "{\\"metrics\\":{\\"loss\\":$1},\\"checkpoint\\":\\"at$i\\"}" >&"$TUNE_TRIAL_REPORT_FD"
  eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
  case $answer in *stop*) exit 0 ;; esac
  [ ! -e "$GATE" ] || exit 0
  sleep 0.05
done
"""
