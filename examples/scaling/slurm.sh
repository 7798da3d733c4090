#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A scale_command for Slurm: workers are tasks of job arrays, by ../batch/slurm-array.sbatch. They
# leave by themselves, too, when idle for IDLE_EXIT (5m), so that those that come too late go again.
#
#     tune-node head --listen 0.0.0.0:7700 --no-local --scale-max 16 \
#       --scale-command "examples/scaling/slurm.sh --certs $HOME/w-certs"
#
# What follows is given to `tune-node worker`. SBATCH_OPTIONS in the environment holds options of
# sbatch, such as "--partition gpu --gres gpu:1 --cpus-per-task 8".
set -eu

here=$(dirname "$0")
array=${TUNE_SLURM_ARRAY:-$here/../batch/slurm-array.sbatch}
# The jobs of this head are known by their name.
name=tune-$(printf %s "$TUNE_HEAD" | tr -c 'A-Za-z0-9' -)

# Names of workers end with the number of their task: n1-1234_7. Nothing runs on these.
for worker in $TUNE_IDLE_WORKERS; do
  task=${worker##*-}
  case $task in
    *[!0-9_]* | _* | *_ | '') echo "$worker is no worker of Slurm; left alone" ;;
    *_*) scancel "$task" ;;
    *) echo "$worker is no worker of Slurm; left alone" ;;
  esac
done

if [ "$TUNE_MORE_WORKERS" -gt 0 ]; then
  # Those that still wait in Slurm's queue need not be asked for twice, however long they wait.
  queued=$(squeue --noheader --array --name "$name" --states PENDING,CONFIGURING --format %i | wc -l)
  more=$((TUNE_WANTED_WORKERS - TUNE_NOW_WORKERS - queued))
  if [ "$more" -gt "$TUNE_MORE_WORKERS" ]; then
    more=$TUNE_MORE_WORKERS
  fi
  if [ "$more" -gt 0 ]; then
    # shellcheck disable=SC2086 # options are words
    job=$(sbatch --parsable --job-name "$name" --array "1-$more" ${SBATCH_OPTIONS-} \
      "$array" "$TUNE_HEAD" "$@")
    echo "job $job: $more tasks"
  else
    echo "$queued tasks wait in the queue"
  fi
fi
