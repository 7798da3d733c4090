#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A scale_command for machines that ssh reaches: one worker on each, begun and ended as needed. A
# worker has the name by which ssh knows its machine.
#
#     tune-node head --listen 0.0.0.0:7700 --scale-max 3 \
#       --scale-command "examples/scaling/ssh.sh 'a b c' --certs /etc/tune/certs"
#
# The first word names the machines, what follows is given to `tune-node worker` there. SSH in the
# environment is what connects ("ssh"), PROGRAM the program there ("tune-node"). A worker outlives
# the connection, and leaves by itself when it has been without a head for 10 minutes.
#
# Where trials require labels, TUNE_KINDS in the environment is a file that says which machines are
# like that: a line for each kind, of which the first counts whose WORD is in [resources] require.
# What requires nothing gets the machines of the first word.
#
#     WORD|machines|options of worker, above all its labels
#     A100|x y|--label gpu_model=A100 --label disk_gb=500
set -eu

machines=$1
shift
ssh=${SSH:-ssh}
program=${PROGRAM:-tune-node}

# Quotes a word for the shell at the other end.
quoted() {
  printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")"
}

words() {
  for word in "$@"; do
    printf ' %s' "$(quoted "$word")"
  done
}
options=$(words "$@")

# The first line of TUNE_KINDS whose WORD is in what is required; sets `first` and `second`.
look_up() {
  while IFS='|' read -r word first second; do
    case $word in '' | '#'*) continue ;; esac
    case $1 in *"$word"*) return 0 ;; esac
  done <"${TUNE_KINDS:-/dev/null}"
  return 1
}

all=$machines
if [ -n "${TUNE_KINDS-}" ]; then
  while IFS='|' read -r word first second; do
    case $word in '' | '#'*) continue ;; esac
    all="$all $first"
  done <"$TUNE_KINDS"
fi

# Where a machine notes the worker of this head.
note="\${XDG_CACHE_HOME:-\$HOME/.cache}/tune-node/scaled-$(printf %s "$TUNE_HEAD" | tr -c 'A-Za-z0-9' -)"
lives="p=\$(cat \"$note\" 2>/dev/null) && tr '\\0' ' ' <\"/proc/\$p/cmdline\" 2>/dev/null | grep -q 'worker --join'"

over() {
  # shellcheck disable=SC2086 # it may be a program with options
  $ssh -o BatchMode=yes -o ConnectTimeout=10 "$1" "$2" </dev/null
}

# Exits with 3 where a worker is there already.
begin="if $lives; then exit 3; fi
mkdir -p \"\$(dirname \"$note\")\"
umask 077
setsid $(quoted "$program") worker --join $(quoted "$TUNE_HEAD") --name @MACHINE@ \
--work \"\$(dirname \"$note\")/worker-@MACHINE@\" @OPTIONS@ </dev/null >\"$note.log\" 2>&1 &
echo \$! >\"$note\""
end="if $lives; then kill -TERM \$p; fi; rm -f \"$note\""

for worker in $TUNE_IDLE_WORKERS; do
  case " $all " in
    *" $worker "*) over "$worker" "$end" || echo "$worker: cannot be reached" ;;
    *) echo "$worker is none of these machines; left alone" ;;
  esac
done

asked=0
failed=
# start COUNT MACHINES OPTIONS: so many workers, on machines without one.
start() {
  begun=0
  for machine in $2; do
    [ "$begun" -lt "$1" ] || break
    status=0
    over "$machine" "$(printf %s "${begin%@OPTIONS@*}" | sed "s/@MACHINE@/$machine/g")$3${begin#*@OPTIONS@}" ||
      status=$?
    case $status in
      0) begun=$((begun + 1)) ;;
      3) ;;
      *) failed="$failed $machine" ;;
    esac
  done
  asked=$((asked + begun))
}

while IFS='|' read -r count _ _ required; do
  [ -n "$count" ] || continue
  if [ -z "$required" ]; then
    start "$count" "$machines" "$options"
  elif look_up "$required"; then
    # shellcheck disable=SC2086 # options are words
    start "$count" "$first" "$options$(words $second)"
  else
    echo "no line of TUNE_KINDS is for: $required"
  fi
done <<EOF
${TUNE_MORE_KINDS-}
EOF
if [ "$asked" -eq 0 ] && [ -n "$failed" ] && [ "$TUNE_MORE_WORKERS" -gt 0 ]; then
  echo "no worker could be begun; failed:$failed" >&2
  exit 1
fi
[ -z "$failed" ] || echo "failed:$failed"
echo "{\"asked\": $asked}"
