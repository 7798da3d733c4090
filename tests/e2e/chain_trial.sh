#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# chain_trial.sh START STEPS DAEMON [LOG [PACE]]: a trial that reports a chain of numbers, each made from
# the one before, and keeps the last in its checkpoints: one that lost its place, or went on from
# another's, reports other numbers for ever after. With DAEMON = 1 a child in a session of its own stays
# behind. LOG is a file, with locks beside it, that all trials append to, a line per fact, WORD TRIAL ATTEMPT ITERATION PID:
#   begin   a process has begun, after this iteration
#   group   its control group, in place of the iteration
#   step    it begins this iteration
#   heard   its report of this iteration was answered
#   beside  another process of this trial lives, with the same directory of a job
# A step takes PACE and a digit seconds, where PACE is 0.0 unless told otherwise.
i=0
state=$1
if [ -n "${TUNE_TRIAL_RESTORE-}" ]; then
  read -r i state <"$TUNE_TRIAL_RESTORE/place" || exit 3
fi
say() { :; }
if [ -n "${4-}" ]; then
  # One lock per trial and directory of a job. Children do not inherit it, since they may outlive
  # the trial for a moment.
  exec 6>"$4-$TUNE_TRIAL_ID$(echo "${TUNE_TRIAL_ATTEMPT%#*}" | tr / _)" 7>>"$4"
  say() { echo "$1 $TUNE_TRIAL_ID ${TUNE_TRIAL_ATTEMPT##*#} $2 $$" >&7; }
  say begin "$i"
  say group "$(sed -n 's/^[0-9]*:memory:\|^0:://p' /proc/self/cgroup | head -n 1)"
  flock -n 6 || say beside "$i"
fi
[ "$3" = 0 ] || (setsid sleep 1000 6>&- 7>&- &)
eval "exec 8>&$TUNE_TRIAL_REPORT_FD 9<&$TUNE_TRIAL_ANSWER_FD"
echo '{"tune":1}' >&8
while [ "$i" -lt "$2" ]; do
  i=$((i + 1))
  state=$((state * 48271 % 2147483647))
  say step "$i"
  sleep "${5-0.0}$((state % 10))" 6>&- 7>&-
  echo "{\"metrics\":{\"loss\":$state,\"place\":$i}}" >&8
  read -r answer <&9 || exit 0
  say heard "$i"
  case $answer in *'"save"'* | *'"pause"'*)
    directory=${answer#*\"dir\":\"}
    directory=${directory%%\"*}
    echo "$i $state" >"$directory/place"
    echo "{\"saved\":\"$directory\"}" >&8
    ;;
  esac
  case $answer in *'"stop"'* | *'"pause"'*) exit 0 ;; esac
done
