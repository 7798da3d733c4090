// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include "command/command_options.hpp"
#include "tune/io/control/control_words.hpp"

namespace tune::cli {

namespace {

positional_doc trials_argument(bool required) {
  return {"TRIAL", {}, argument_kind::number, required, true};
}

} // namespace

command_doc stop_doc() {
  command_doc result{"stop",
                     "end trials of a running experiment, or all of it, in order",
                     {{"tune-node stop results/digits-mlp", "end the experiment"},
                      {"tune-node stop results/digits-mlp 3 17", "end two trials"}},
                     {directory_argument(), trials_argument(false)}};
  result.family = steering;
  return result;
}

command_doc pause_doc() {
  command_doc result{
      "pause",
      "have trials save and wait, or start no more of them",
      {{"tune-node pause results/digits-mlp 3", "save, give the resources back, and wait"},
       {"tune-node pause results/digits-mlp", "start no further trial; those that run go on"}},
      {directory_argument(), trials_argument(false)}};
  result.family = steering;
  return result;
}

command_doc unpause_doc() {
  command_doc result{"unpause",
                     "let what was paused go on",
                     {{"tune-node unpause results/digits-mlp 3", "trial 3 may run again"},
                      {"tune-node unpause results/digits-mlp", "trials are started again"}},
                     {directory_argument(), trials_argument(false)}};
  result.family = steering;
  return result;
}

bound_options<client_command> options_of_add() {
  return {bound({"config", 0, "JSON", "the configuration as one object"}, &client_command::config),
          bound({"key", 0, "KEY", "add it once, however often this command is given with this key"},
                &client_command::key)};
}

command_doc add_doc() {
  command_doc result{
      "add",
      "have a running experiment try a configuration of your own",
      {{"tune-node add results/digits-mlp lr=0.01 hidden=64", "one value per parameter"},
       {"tune-node add results/digits-mlp --config '{\"lr\":0.01,\"hidden\":64}'", "as JSON"}},
      {directory_argument(), {"NAME=VALUE", {}, argument_kind::text, false, true}},
      docs_of(options_of_add())};
  result.family = steering;
  return result;
}

bound_options<client_command> options_of_retry() {
  return {bound({"from-scratch", 0, "", "forget checkpoints, and judge it afresh"},
                &client_command::from_scratch)};
}

command_doc retry_doc() {
  command_doc result{
      "retry",
      "run trials again that have ended",
      {{"tune-node retry results/digits-mlp 42", "from its newest checkpoint"},
       {"tune-node retry results/digits-mlp 42 --from-scratch", "from the beginning"}},
      {directory_argument(), trials_argument(true)},
      docs_of(options_of_retry())};
  result.family = steering;
  return result;
}

} // namespace tune::cli
