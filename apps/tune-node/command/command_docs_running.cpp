// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include "command/command_options.hpp"
#include "command/option_values.hpp"
#include "tune/core/resource/demands.hpp"
#include "tune/io/spec/resume_mode.hpp"

#include <utility>

namespace tune::cli {

namespace {

const std::vector<std::string_view> resume_modes{resume_mode_names.begin(),
                                                 resume_mode_names.end()};

option_doc resume_option() {
  return {"resume",
          0,
          "",
          "go on with an experiment that was left off; begin where there is none",
          resume_modes,
          "",
          argument_kind::text,
          false,
          "MODE"};
}

/// Without a word: as the mode `auto`.
expected<void> read_resume(const std::string& text, run_request& to) {
  to.resume = resume_mode_from(text).value_or(resume_mode::automatic);
  return {};
}

/// The choices are the modes.
expected<void> read_mode(const std::string& text, resume_request& to) {
  to.mode = *resume_mode_from(text);
  return {};
}

constexpr std::uint64_t most_nodes = 10'000;
const auto beyond_nodes = "is a whole number up to " + std::to_string(most_nodes);

} // namespace

bound_options<run_words> options_of_run() {
  return joined<run_words>(
      {within(
           &run_words::run,
           bound_options<run_request>{
               bound({"dry-run", 0, "",
                      "check everything and show the first configurations; run nothing"},
                     &run_request::dry_run),
               bound_with(resume_option(), read_resume),
               bound({"add", 0, "JSON",
                      "with --resume: try this configuration, too, or each of a list"},
                     &run_request::add),
               bound({"overwrite", 0, "", "remove the experiment that is in the way, after asking"},
                     &run_request::overwrite),
               bound({"yes", 0, "", "with --overwrite: do not ask"}, &run_request::yes),
               bound({"strict", 0, "", "exit 4 when any trial failed"}, &run_request::strict),
               bound({"head",
                      0,
                      "HOST:PORT",
                      "run it at the head that stands there",
                      {},
                      "it runs here"},
                     &run_request::head, head_addresses_from),
               bound({"detach", 0, "",
                      "with --head: submit it, tell where it runs, and leave it there"},
                     &run_request::detach)}),
       {bound({"listen",
               0,
               "HOST:PORT",
               "let workers join there; the same as --cluster.listen",
               {},
               "no port is opened"},
              &run_words::listen),
        bound({"certs",
               0,
               "DIR",
               "certificate directory; the same as --cluster.certs",
               {},
               default_certs,
               argument_kind::directory},
              &run_words::certs),
        bound({"cluster",
               0,
               "NAME",
               "name of the cluster; the same as --cluster.name",
               {},
               "default"},
              &run_words::cluster),
        bound({"insecure-plaintext", 0, "", "no TLS for workers; loopback addresses only"},
              &run_words::insecure_plaintext)},
       within(&run_words::run,
              bound_options<run_request>{bound(
                  {"http", 0, "HOST:PORT", "serve its page there, as serve does", {}, "no page"},
                  &run_request::http, peer_address_from)})});
}

command_doc run_doc() {
  return {
      "run",
      "run an experiment on this machine",
      {{"tune-node run digits.ini", "run it, watch it, print the best configuration"},
       {"tune-node run digits.ini --experiment.num_samples 20 --space.lr 'uniform(0, 1)'",
        "any key of the file, from the command line"},
       {"tune-node run digits.ini --dry-run", "check the file, show the first trials"},
       {"tune-node run digits.ini --resume", "go on after Ctrl-C or a crash"},
       {"tune-node run digits.ini --experiment.name auto", "once more: digits-2, digits-3, ..."},
       {"tune-node run digits.ini --head head:7700", "the same on a standing cluster"},
       {"best=$(tune-node run digits.ini --output json)", "the result for a program"}},
      {{"FILE", {}, argument_kind::ini_file}},
      docs_of(options_of_run()),
      true};
}

bound_options<resume_request> options_of_resume() {
  return {bound_with(
              {"mode", 0, "MODE", "what becomes of trials that had failed", resume_modes, "auto"},
              read_mode),
          bound({"add", 0, "JSON",
                 "try this configuration, too, or each of a list, also where all is done"},
                &resume_request::add),
          bound({"strict", 0, "", "exit 4 when any trial failed"}, &resume_request::strict)};
}

command_doc resume_doc() {
  return {"resume",
          "go on with an experiment that was left off, by its directory alone",
          {{"tune-node resume results/digits-mlp", "go on after Ctrl-C or a crash"},
           {"tune-node resume results/digits-mlp --mode restart_errored",
            "and run what failed again from the beginning"},
           {"tune-node resume results/digits-mlp --experiment.num_samples 200",
            "with more samples, or fewer"},
           {"tune-node resume results/digits-mlp --add '{\"lr\":0.01,\"hidden\":64}'",
            "with a configuration of your own"}},
          {directory_argument()},
          docs_of(options_of_resume()),
          true};
}

command_doc rerun_doc() {
  return {"rerun",
          "run one configuration again, and compare",
          {{"tune-node rerun results/digits-mlp", "the best, in a directory of its own"},
           {"tune-node rerun results/digits-mlp 42", "that of trial 42"}},
          {directory_argument(), {"TRIAL", {}, argument_kind::number, false}},
          {},
          true};
}

bound_options<ask_tell_words> options_of_ask_tell() {
  return joined<ask_tell_words>(
      {within(&ask_tell_words::request,
              bound_options<ask_tell_request>{
                  bound({"resume", 0, "",
                         "go on with an experiment that was left off; begin where there is none"},
                        &ask_tell_request::resume),
                  bound({"http",
                         0,
                         "HOST:PORT",
                         "converse there, as serve does, until Ctrl-C",
                         {},
                         "stdin, stdout"},
                        &ask_tell_request::http, peer_address_from)}),
       {bound({"lease",
               0,
               "DURATION",
               "with --http: a trial that nobody spoke of for so long is given anew; 0: never",
               {},
               "10min"},
              &ask_tell_words::lease, time_from)}});
}

command_doc ask_tell_doc() {
  return {"ask-tell",
          "converse with a program of your own that runs the trials",
          {{"python3 examples/python/ask_tell.py", "an executor starts it, and speaks with it"},
           {"tune-node ask-tell bowl.ini < requests.jsonl", "JSON lines in, JSON lines out"},
           {"tune-node ask-tell bowl.ini --resume", "go on where the last conversation ended"},
           {"tune-node ask-tell bowl.ini --http 127.0.0.1:7780", "with several programs, by HTTP"}},
          {{"FILE", {}, argument_kind::ini_file}},
          docs_of(options_of_ask_tell()),
          true};
}

bound_options<simulate_request> options_of_simulate() {
  return joined<simulate_request>(
      {{bound_count({"nodes", 0, "N", "nodes, 1 to 10000", {}, "1", argument_kind::number},
                    &simulate_request::nodes, 1, most_nodes, beyond_nodes)},
       within(
           &simulate_request::offers,
           bound_options<offered_request>{
               bound({"cpus",
                      0,
                      "N",
                      "CPUs of each node",
                      {},
                      "those of one trial",
                      argument_kind::number},
                     &offered_request::cpus, amount_from),
               bound({"gpus",
                      0,
                      "N",
                      "GPUs of each node",
                      {},
                      "those of one trial",
                      argument_kind::number},
                     &offered_request::gpus, amount_from),
               bound({"memory",
                      0,
                      "BYTES",
                      "memory of each node, such as 16GiB",
                      {},
                      "that of one trial"},
                     &offered_request::memory, bytes_from),
               bound({"custom", 0, "NAME=N,...", "amounts of resources of your own, of each node"},
                     &offered_request::custom, custom_from)}),
       {bound_count({"seed",
                     0,
                     "N",
                     "what decides delays and failures",
                     {},
                     "[experiment] seed",
                     argument_kind::number},
                    &simulate_request::seed, 0),
        bound({"iteration-time",
               0,
               "TIME",
               "what an iteration takes where the table has no time_total_s; more than 0",
               {},
               "1s"},
              &simulate_request::iteration_time, some_time_from),
        bound({"latency", 0, "TIME", "longest delay of a message; each is drawn anew", {}, "0s"},
              &simulate_request::latency, time_from),
        bound(
            {"node-mtbf", 0, "TIME", "mean time between two losses of a node; 0: never", {}, "0s"},
            &simulate_request::node_mtbf, time_from),
        bound({"node-repair", 0, "TIME", "mean time that a lost node stays away", {}, "5m"},
              &simulate_request::node_repair, some_time_from),
        bound({"trial-failure", 0, "CHANCE", "chance from 0 to 1 that an iteration fails", {}, "0"},
              &simulate_request::trial_failure, chance_from),
        bound({"target", 0, "VALUE", "tell when the first trial's metric was so good"},
              &simulate_request::target, number_from),
        bound({"strict", 0, "", "exit 4 when any trial failed"}, &simulate_request::strict)}});
}

command_doc simulate_doc() {
  return {
      "simulate",
      "run an experiment over recorded curves in virtual time",
      {{"tune-node simulate table.ini --nodes 4 --cpus 8", "how long would it take there?"},
       {"tune-node simulate table.ini --scheduler.type asha", "what would that scheduler find?"},
       {"tune-node simulate table.ini --nodes 16 --node-mtbf 6h", "on nodes that come and go"}},
      {{"FILE", {}, argument_kind::ini_file}},
      docs_of(options_of_simulate()),
      true,
      supposing};
}

bound_options<whatif_request> options_of_whatif() {
  return joined<whatif_request>(
      {{bound_all({.name = "scheduler",
                   .argument = "RULE",
                   .meaning = "a scheduler, then its options: 'asha reduction_factor=3'",
                   .repeats = true},
                  &whatif_request::schedulers),
        bound_count(
            {"nodes", 0, "N", "nodes, 1 to 10000", {}, "those it had", argument_kind::number},
            &whatif_request::nodes, 1, most_nodes, beyond_nodes)},
       within(
           &whatif_request::offers,
           bound_options<offered_request>{
               bound({"cpus",
                      0,
                      "N",
                      "with --nodes: CPUs of each",
                      {},
                      "those of one trial",
                      argument_kind::number},
                     &offered_request::cpus, amount_from),
               bound({"gpus",
                      0,
                      "N",
                      "with --nodes: GPUs of each",
                      {},
                      "those of one trial",
                      argument_kind::number},
                     &offered_request::gpus, amount_from),
               bound(
                   {"memory", 0, "BYTES", "with --nodes: memory of each", {}, "that of one trial"},
                   &offered_request::memory, bytes_from),
               bound({"custom", 0, "NAME=N,...",
                      "with --nodes: amounts of resources of your own, of each"},
                     &offered_request::custom, custom_from)})});
}

command_doc whatif_doc() {
  return {
      "whatif",
      "tell what an experiment that ran would have come to under other rules",
      {{"tune-node whatif results/digits-mlp --scheduler asha", "would stopping early have paid?"},
       {"tune-node whatif DIR --scheduler 'asha max_t=50' --scheduler median_stopping", "several"},
       {"tune-node whatif DIR --nodes 4 --cpus 8", "the same rules on other machines"}},
      {directory_argument()},
      docs_of(options_of_whatif()),
      true,
      supposing};
}

bound_options<attach_request> options_of_attach() {
  return {
      needed(bound({"head", 0, "HOST:PORT", "the head where it runs; needed"},
                   &attach_request::head, head_addresses_from),
             "HOST:PORT"),
      bound(
          {"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
          &attach_request::certs),
      bound({"insecure-plaintext", 0, "", "no TLS; loopback addresses only"},
            &attach_request::insecure_plaintext),
      bound({"cluster", 0, "NAME", "name of the cluster", {}, "default"}, &attach_request::cluster),
      bound({"strict", 0, "", "exit 4 when any trial failed"}, &attach_request::strict)};
}

command_doc attach_doc() {
  return {"attach",
          "follow an experiment that you submitted to a head",
          {{"tune-node attach digits --head head:7700", "until it ends; Ctrl-C leaves it running"},
           {"tune-node attach digits --head head:7700 -o json", "and its result for a program"}},
          {{"NAME", {}, argument_kind::text}},
          docs_of(options_of_attach())};
}

} // namespace tune::cli
