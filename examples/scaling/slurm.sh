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
#
# Where trials require labels, TUNE_KINDS in the environment is a file that says how such workers are
# got: a line for each kind, of which the first counts whose WORD is in [resources] require.
#
#     WORD|options of sbatch beside those above|options of worker, above all its labels
#     A100|--partition a100 --gres gpu:1|--label gpu_model=A100 --label disk_gb=500
set -eu

here=$(dirname "$0")
array=${TUNE_SLURM_ARRAY:-$here/../batch/slurm-array.sbatch}
# The jobs of this head are known by their name.
name=tune-$(printf %s "$TUNE_HEAD" | tr -c 'A-Za-z0-9' -)

# The first line of TUNE_KINDS whose WORD is in what is required; sets `first` and `second`.
look_up() {
  while IFS='|' read -r word first second; do
    case $word in '' | '#'*) continue ;; esac
    case $1 in *"$word"*) return 0 ;; esac
  done <"${TUNE_KINDS:-/dev/null}"
  return 1
}

# submit MORE ASKED NAME SBATCH_OPTIONS [OPTION…]: tasks under this name. Those of it that still wait
# in Slurm's queue need not be asked for twice, however long they wait.
submit() {
  queued=$(squeue --noheader --array --name "$3" --states PENDING,CONFIGURING --format %i | wc -l)
  more=$(($1 + $2 - queued))
  [ "$more" -le "$1" ] || more=$1
  if [ "$more" -le 0 ]; then
    echo "$queued tasks wait in the queue"
    return
  fi
  kind=$3
  options=$4
  shift 4
  # shellcheck disable=SC2086 # options are words
  job=$(sbatch --parsable --job-name "$kind" --array "1-$more" ${SBATCH_OPTIONS-} $options \
    "$array" "$TUNE_HEAD" "$@" </dev/null)
  echo "job $job: $more tasks"
}

# Names of workers end with the number of their task: n1-1234_7. Nothing runs on these.
for worker in $TUNE_IDLE_WORKERS; do
  task=${worker##*-}
  case $task in
    *[!0-9_]* | _* | *_ | '') echo "$worker is no worker of Slurm; left alone" ;;
    *_*) scancel "$task" ;;
    *) echo "$worker is no worker of Slurm; left alone" ;;
  esac
done

left_out=0
while IFS='|' read -r count asked _ required; do
  [ -n "$count" ] || continue
  if [ -z "$required" ]; then
    submit "$count" "$asked" "$name" '' "$@"
  elif look_up "$required"; then
    # shellcheck disable=SC2086 # options are words
    submit "$count" "$asked" "$name-$(printf %s "$word" | tr -c 'A-Za-z0-9' -)" "$first" "$@" $second
  else
    echo "no line of TUNE_KINDS is for: $required"
    left_out=$((left_out + count))
  fi
done <<EOF
${TUNE_MORE_KINDS-}
EOF
[ "$left_out" -eq 0 ] || echo "{\"asked\": $((TUNE_MORE_WORKERS - left_out))}"
