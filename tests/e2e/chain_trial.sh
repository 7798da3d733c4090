#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# chain_trial.sh START STEPS DAEMON: a trial that reports a chain of numbers, each made from the one
# before, and keeps the last in its checkpoints: one that lost its place, or went on from another's,
# reports other numbers for ever after. With DAEMON = 1 a child in a session of its own stays behind.
i=0
state=$1
if [ -n "${TUNE_TRIAL_RESTORE-}" ]; then
  read -r i state <"$TUNE_TRIAL_RESTORE/place" || exit 3
fi
[ "$3" = 0 ] || (setsid sleep 1000 &)
eval "exec 8>&$TUNE_TRIAL_REPORT_FD 9<&$TUNE_TRIAL_ANSWER_FD"
echo '{"tune":1}' >&8
while [ "$i" -lt "$2" ]; do
  i=$((i + 1))
  state=$((state * 48271 % 2147483647))
  sleep "0.0$((state % 10))"
  echo "{\"metrics\":{\"loss\":$state,\"place\":$i}}" >&8
  read -r answer <&9 || exit 0
  case $answer in *'"save"'* | *'"pause"'*)
    directory=${answer#*\"dir\":\"}
    directory=${directory%%\"*}
    echo "$i $state" >"$directory/place"
    echo "{\"saved\":\"$directory\"}" >&8
    ;;
  esac
  case $answer in *'"stop"'* | *'"pause"'*) exit 0 ;; esac
done
