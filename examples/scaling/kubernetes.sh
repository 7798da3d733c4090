#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# A scale_command for Kubernetes: the number of replicas of the workers' Deployment. It must be the
# only thing that sets that number: no autoscaler beside it, and no workers but the Deployment's.
#
#     tune-node head --listen 0.0.0.0:7700 --no-local --scale-max 16 \
#       --scale-command "examples/scaling/kubernetes.sh deployment/tune-node-worker"
#
# Where the head runs in the cluster, its service account needs "get" and "patch" on
# deployments/scale and on pods. KUBECTL in the environment is the program ("kubectl"); further
# words, such as --namespace tune, are given to it.
#
# Where trials require labels, TUNE_KINDS in the environment is a file that names the Deployment whose
# workers bear them (`worker --label …` in its pods): a line for each kind, of which the first counts
# whose WORD is in [resources] require. The service account needs "get" on these.
#
#     WORD|deployment
#     A100|deployment/tune-node-worker-a100
set -eu

workers=$1
shift
kubectl=${KUBECTL:-kubectl}

# count WORD…: how many there are.
count() {
  echo $#
}

# The first line of TUNE_KINDS whose WORD is in what is required; sets `first`.
look_up() {
  while IFS='|' read -r first _; do
    case $first in '' | '#'*) continue ;; esac
    case $1 in *"$first"*) return 0 ;; esac
  done <"${TUNE_KINDS:-/dev/null}"
  first=
  return 1
}

# wanted_of WORD: how many workers to get for whom this is the first word, and how many were asked
# for before; without a word, those for whom there is none.
wanted_of() {
  more=0
  asked=0
  while IFS='|' read -r much before _ required; do
    [ -n "$required" ] || continue
    look_up "$required" || true
    if [ "$first" = "$1" ]; then
      more=$((more + much))
      asked=$((asked + before))
    fi
  done <<EOF
${TUNE_MORE_KINDS-}
EOF
}

# The idle pods of a deployment, of which the name of each begins with its own.
idle_of() {
  for pod in $TUNE_IDLE_WORKERS; do
    case $pod in "${1#*/}"-*) echo "$pod" ;; esac
  done
}

# The name of a worker is that of its pod. When the number falls, those with the lowest cost go
# first: these, on which nothing runs.
for pod in $TUNE_IDLE_WORKERS; do
  "$kubectl" "$@" annotate --overwrite "pod/$pod" controller.kubernetes.io/pod-deletion-cost=-1000
done

others=0
while IFS='|' read -r word deployment; do
  case $word in '' | '#'*) continue ;; esac
  now=$("$kubectl" "$@" get "$deployment" -o 'jsonpath={.spec.replicas}' </dev/null)
  ready=$("$kubectl" "$@" get "$deployment" -o 'jsonpath={.status.readyReplicas}' </dev/null)
  wanted_of "$word"
  # shellcheck disable=SC2046 # names are words
  idle=$(count $(idle_of "$deployment"))
  replicas=$((now + more))
  # Pods that wait for a machine need not be asked for twice, however long they wait.
  most=$((${ready:-0} + asked + more))
  [ "$more" -eq 0 ] || [ "$replicas" -le "$most" ] || replicas=$most
  [ "$replicas" -ge "$now" ] || replicas=$now
  replicas=$((replicas - idle))
  if [ "$replicas" -ne "$now" ]; then
    "$kubectl" "$@" scale "$deployment" "--replicas=$replicas" </dev/null
  fi
  others=$((others + replicas))
done <"${TUNE_KINDS:-/dev/null}"
wanted_of ''
left_out=$more
replicas=$((TUNE_WANTED_WORKERS - others - left_out))
[ "$replicas" -ge 0 ] || replicas=0
"$kubectl" "$@" scale "$workers" "--replicas=$replicas"
if [ "$left_out" -gt 0 ]; then
  echo "$left_out workers are wanted that no line of TUNE_KINDS is for"
  echo "{\"asked\": $((TUNE_MORE_WORKERS - left_out))}"
fi
