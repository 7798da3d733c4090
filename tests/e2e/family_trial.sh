#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# family_trial.sh GATE: a trial with descendants of every kind, which reports and then trains until
# the file GATE is there.
case $1 in
  deaf)
    trap '' TERM
    while :; do sleep 1000; done
    ;;
  moving)
    # Changes its process all the time; each is in a session of its own.
    sleep 0.02
    setsid "$0" moving &
    exit
    ;;
esac
sleep 1000 &
setsid sleep 1000 &
(setsid sleep 1000 &)
(setsid "$0" deaf &)
(setsid "$0" moving &)
echo '{"tune":1}' >&"$TUNE_TRIAL_REPORT_FD"
echo '{"metrics":{"loss":1}}' >&"$TUNE_TRIAL_REPORT_FD"
eval "read -r answer <&$TUNE_TRIAL_ANSWER_FD"
until [ -e "$1" ]; do sleep 0.05; done
