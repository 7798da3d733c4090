// The entries of those who make a cluster.
// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include "command/command_options.hpp"
#include "command/option_values.hpp"
#include "tune/core/plugin/options.hpp"
#include "tune/core/resource/demands.hpp"
#include "tune/net/transport.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tune::cli {

namespace {

expected<std::uint64_t> memory_from(const std::string& text) {
  return parse_bytes(text);
}

/// A time of liveness. @param set Sets it in rules that are checked then.
bound_option<liveness_rules> bound_liveness(option_doc doc, instant liveness_rules::*set,
                                            std::string range) {
  auto read = [set, range](const std::string& text) -> expected<std::chrono::nanoseconds> {
    auto time = time_from(text);
    if (!time)
      return time.error();
    liveness_rules checked;
    checked.*set = *time;
    if (!validate(checked))
      return error{ec::bad_option, in_single_quotes(text) + " is not " + range};
    return *time;
  };
  return bound(doc, set, read);
}

constexpr auto any_silence = "within 1s to 24h";
constexpr auto any_grace = "0, or within 1s to 24h";

/// A time from 1s to 24h. @param may_be_zero Or 0.
expected<std::chrono::nanoseconds> span_from(const std::string& text, bool may_be_zero) {
  auto time = time_from(text);
  if (!time)
    return time;
  const auto fits = *time >= std::chrono::seconds{1} && *time <= std::chrono::hours{24};
  if (fits || (may_be_zero && time->count() == 0))
    return time;
  return error{ec::bad_option,
               in_single_quotes(text) + " is not " + (may_be_zero ? any_grace : any_silence)};
}

expected<std::chrono::nanoseconds> some_span_from(const std::string& text) {
  return span_from(text, false);
}

expected<std::chrono::nanoseconds> any_span_from(const std::string& text) {
  return span_from(text, true);
}

/// [least to 10000]
expected<std::uint64_t> workers_from(const std::string& text, std::int64_t least) {
  constexpr std::int64_t most = 10'000;
  auto number = parse_integer(text);
  if (!number || *number < least || *number > most)
    return error{ec::bad_option,
                 in_single_quotes(text) + " is not within " + std::to_string(least) + " to 10000"};
  return static_cast<std::uint64_t>(*number);
}

expected<std::uint64_t> least_workers_from(const std::string& text) {
  return workers_from(text, 0);
}

expected<std::uint64_t> most_workers_from(const std::string& text) {
  return workers_from(text, 1);
}

expected<void> read_join(const std::string& text, worker_request& to) {
  auto all = head_addresses_from(text);
  if (!all)
    return error{ec::bad_syntax, "--join: " + all.error().detail};
  to.join = std::move(all->first);
  to.also = std::move(all->also);
  return {};
}

/// How a head has workers come and go.
bound_options<scaling_words> all_scaling_options() {
  bound_options<scaling_words> result{bound(
      {"scale-command", 0, "COMMAND", "get and give back workers by this command", {}, "none"},
      &scaling_words::command)};
  return joined<scaling_words>({result, options_of_scaling()});
}

using certs_action = certs_request::action;

/// An option for some actions. @param text These, for people.
bound_option<certs_request> only_for(std::vector<certs_action> actions, std::string text,
                                     bound_option<certs_request> x) {
  x.read = [actions, text, name = x.doc.name, read = x.read](const words& given,
                                                             certs_request& to) -> expected<void> {
    if (std::find(actions.begin(), actions.end(), to.what) == actions.end())
      return error{ec::bad_syntax, "--" + std::string{name} + " is for " + text};
    return read(given, to);
  };
  return x;
}

bound_option<certs_request> of_token(const bound_option<token_order>& x) {
  return only_for({certs_action::token}, "certs token",
                  within(&certs_request::token, bound_options<token_order>{x}).front());
}

expected<void> read_directory(const std::string& text, certs_request& to) {
  if (text.empty())
    return error{ec::bad_syntax, "--certs needs a directory"};
  to.directory = text;
  return {};
}

expected<void> read_out(const std::string& text, certs_request& to) {
  if (text.empty())
    return error{ec::bad_syntax, "--out needs a directory"};
  to.out = text;
  return {};
}

expected<void> read_cluster(const std::string& text, certs_request& to) {
  if (!is_cluster_name(text))
    return error{ec::bad_syntax, in_single_quotes(text) + " cannot be the name of a cluster"};
  to.cluster = text;
  return {};
}

expected<void> read_node_name(const std::string& text, token_order& to) {
  if (!is_node_name(text))
    return error{ec::bad_syntax, in_single_quotes(text) + " cannot be the name of a node"};
  to.name = text;
  return {};
}

expected<words> node_hosts_from(const std::string& text) {
  auto result = comma_parts(text);
  for (const auto& host : result) {
    if (!is_host_or_address(host))
      return error{ec::bad_option,
                   in_single_quotes(host) + " is neither a host name nor an address"};
  }
  return result;
}

expected<std::chrono::seconds> token_lifetime_from(const std::string& text) {
  auto time = some_time_from(text);
  if (!time)
    return time.error();
  const auto result = std::chrono::ceil<std::chrono::seconds>(*time);
  if (result > longest_token_lifetime)
    return error{ec::bad_option, in_single_quotes(text) + " is more than 30 days"};
  return result;
}

} // namespace

bound_options<scaling_words> options_of_scaling() {
  return joined<scaling_words>(
      {within(&scaling_words::rules,
              bound_options<scaling_rules>{bound({"scale-min",
                                                  0,
                                                  "N",
                                                  "workers there should be at least",
                                                  {},
                                                  "0",
                                                  argument_kind::number},
                                                 &scaling_rules::least, least_workers_from),
                                           bound({"scale-max",
                                                  0,
                                                  "N",
                                                  "workers beyond which none is asked for",
                                                  {},
                                                  "10",
                                                  argument_kind::number},
                                                 &scaling_rules::most, most_workers_from)}),
       {bound({"scale-worker",
               0,
               "JSON",
               "what a new worker offers, such as {\"cpu\": 4, \"gpu\": 1}",
               {},
               "what the newest offers"},
              &scaling_words::worker, scale_worker_from)},
       within(&scaling_words::rules,
              bound_options<scaling_rules>{
                  bound({"scale-cooldown",
                         0,
                         "TIME",
                         "from one call to the next that asks for more",
                         {},
                         "30s"},
                        &scaling_rules::cooldown, some_span_from),
                  bound({"scale-down-cooldown",
                         0,
                         "TIME",
                         "from one call to the next that gives back",
                         {},
                         "1m"},
                        &scaling_rules::down_cooldown, some_span_from),
                  bound({"scale-idle",
                         0,
                         "TIME",
                         "a worker where nothing ran for so long is given back; 0: never",
                         {},
                         "5m"},
                        &scaling_rules::idle, any_span_from),
                  bound({"scale-patience",
                         0,
                         "TIME",
                         "how long a worker that was asked for may take to come, or to go",
                         {},
                         "5m"},
                        &scaling_rules::patience, some_span_from)}),
       {bound({"scale-timeout", 0, "TIME", "how long the command may take", {}, "1m"},
              &scaling_words::timeout, some_span_from)}});
}

bound_options<head_words> options_of_head() {
  return joined<head_words>(
      {within(&head_words::head,
              joined<head_request>(
                  {{needed(bound({"listen", 0, "HOST:PORT",
                                  "where workers join and clients submit; needed"},
                                 &head_request::listen, peer_address_from),
                           "HOST:PORT"),
                    bound({"certs",
                           0,
                           "DIR",
                           "certificate directory",
                           {},
                           default_certs,
                           argument_kind::directory},
                          &head_request::certs),
                    bound({"insecure-plaintext", 0, "", "no TLS; loopback addresses only"},
                          &head_request::insecure_plaintext),
                    bound({"storage",
                           0,
                           "DIR",
                           "where each experiment gets its directory",
                           {},
                           "results",
                           argument_kind::directory},
                          &head_request::storage),
                    bound({"work",
                           0,
                           "DIR",
                           "where the files of submitted experiments live",
                           {},
                           "tune-node/head in $XDG_CACHE_HOME or ~/.cache",
                           argument_kind::directory},
                          &head_request::work),
                    bound({"log-file",
                           0,
                           "FILE",
                           "keep a log there as lines of JSON, and its last 40 MB",
                           {},
                           "none"},
                          &head_request::log_file),
                    bound({"cluster", 0, "NAME", "name of the cluster", {}, "default"},
                          &head_request::cluster)},
                   within(&head_request::liveness,
                          bound_options<liveness_rules>{
                              bound_liveness({"lost-after",
                                              0,
                                              "TIME",
                                              "a worker that is silent for so long is lost",
                                              {},
                                              "10s"},
                                             &liveness_rules::lost_after, any_silence),
                              bound_liveness({"head-grace",
                                              0,
                                              "TIME",
                                              "if this head dies, workers keep their trials for "
                                              "the next one on the same storage for so "
                                              "long; 0: not at all",
                                              {},
                                              "10m"},
                                             &liveness_rules::head_grace, any_grace)}),
                   {bound({"standby", 0, "",
                           "wait while another head leads in this storage, and take its place when "
                           "it is gone"},
                          &head_request::stands_by),
                    bound({"no-local", 0, "", "run no trials on this machine"},
                          &head_request::local, false)},
                   within(&head_request::offers,
                          bound_options<offered_request>{
                              bound({"cpus",
                                     0,
                                     "N",
                                     "CPUs that this machine offers",
                                     {},
                                     "what there is",
                                     argument_kind::number},
                                    &offered_request::cpus, amount_from),
                              bound({"gpus",
                                     0,
                                     "N",
                                     "GPUs that it offers",
                                     {},
                                     "what there is",
                                     argument_kind::number},
                                    &offered_request::gpus, amount_from),
                              bound({"memory",
                                     0,
                                     "BYTES",
                                     "memory that it offers, such as 16GiB",
                                     {},
                                     "what there is"},
                                    &offered_request::memory, memory_from),
                              bound({"custom", 0, "NAME=N,...", "amounts of resources of your own"},
                                    &offered_request::custom, custom_from)}),
                   {bound({"http",
                           0,
                           "HOST:PORT",
                           "serve the page of the storage there, as serve does",
                           {},
                           "no page"},
                          &head_request::http, peer_address_from),
                    bound({"enroll",
                           0,
                           "HOST:PORT",
                           "give machines certificates there, for join tokens (certs token)",
                           {},
                           "no such port"},
                          &head_request::enroll, peer_address_from)}})),
       within(&head_words::scaling, all_scaling_options()),
       within(&head_words::head,
              joined<head_request>({within(&head_request::offers, label_options()),
                                    within(&head_request::limits, limit_options())}))});
}

command_doc head_doc() {
  return {"head",
          "lead a standing cluster",
          {{"tune-node head --listen 0.0.0.0:7700", "until it is told to go"},
           {"tune-node head --listen 0.0.0.0:7700 --no-local --storage /srv/results",
            "only workers run trials"},
           {"tune-node head --listen 127.0.0.1:7700 --insecure-plaintext", "to try it out"}},
          {},
          docs_of(options_of_head())};
}

bound_options<worker_request> options_of_worker() {
  return joined<worker_request>(
      {{needed(bound_with({"join", 0, "HOST:PORT,...",
                           "where the head listens, and those that may take its place; needed"},
                          read_join),
               "HOST:PORT"),
        bound({"name", 0, "NAME", "what the node is called", {}, "this machine's name"},
              &worker_request::name),
        bound({"certs",
               0,
               "DIR",
               "certificate directory",
               {},
               default_certs,
               argument_kind::directory},
              &worker_request::certs),
        bound({"insecure-plaintext", 0, "", "no TLS; loopback addresses only"},
              &worker_request::insecure_plaintext),
        bound({"cluster", 0, "NAME", "name of the cluster", {}, "default"},
              &worker_request::cluster)},
       within(&worker_request::offers,
              bound_options<offered_request>{
                  bound({"cpus",
                         0,
                         "N",
                         "CPUs that it offers",
                         {},
                         "what there is",
                         argument_kind::number},
                        &offered_request::cpus, amount_from),
                  bound({"gpus",
                         0,
                         "N",
                         "GPUs that it offers",
                         {},
                         "what there is",
                         argument_kind::number},
                        &offered_request::gpus, amount_from),
                  bound({"memory",
                         0,
                         "BYTES",
                         "memory that it offers, such as 16GiB",
                         {},
                         "what there is"},
                        &offered_request::memory, memory_from),
                  bound({"custom", 0, "NAME=N,...", "amounts of resources of your own"},
                        &offered_request::custom, custom_from)}),
       {bound({"work",
               0,
               "DIR",
               "where files and trials live on this machine",
               {},
               "tune-node/worker in $XDG_CACHE_HOME or ~/.cache",
               argument_kind::directory},
              &worker_request::work),
        bound({"log-file",
               0,
               "FILE",
               "keep a log there as lines of JSON, and its last 40 MB",
               {},
               "none"},
              &worker_request::log_file),
        bound({"cache",
               0,
               "SIZE",
               "most that shipped files may take on disk between jobs",
               {},
               "10GiB"},
              &worker_request::cache, memory_from),
        bound({"join-timeout",
               0,
               "TIME",
               "give up if no head is found within this time at first; 0: never",
               {},
               "10m"},
              &worker_request::join_timeout, time_from),
        bound({"leave-grace",
               0,
               "TIME",
               "when it is told to go, trials may go on for so long before they are handed back",
               {},
               "30s"},
              &worker_request::leave_grace, time_from)},
       within(&worker_request::liveness,
              bound_options<liveness_rules>{
                  bound_liveness({"lost-after",
                                  0,
                                  "TIME",
                                  "as at the head: when a silent connection is given up",
                                  {},
                                  "10s"},
                                 &liveness_rules::lost_after, any_silence)}),
       {bound({"once", 0, "", "go when the head lets it go, instead of waiting for the next"},
              &worker_request::once),
        bound(
            {"idle-exit", 0, "TIME", "go when nothing has run here for so long; 0: never", {}, "0"},
            &worker_request::idle_exit, time_from),
        bound({"token", 0, "TOKEN|FILE",
               "get a certificate for this join token, unless there is one"},
              &worker_request::token),
        bound({"enroll",
               0,
               "HOST:PORT",
               "with --token: where the head gives certificates",
               {},
               "the next port after that of --join"},
              &worker_request::enroll, peer_address_from),
        bound(
            {"own-storage", 0, "",
             "send checkpoints to the head, also where its directory can be written to from here"},
            &worker_request::own_storage)},
       within(&worker_request::offers, label_options())});
}

command_doc worker_doc() {
  return {"worker",
          "run trials of experiments that another machine leads",
          {{"tune-node worker --join head:7700", "until it is told to go"},
           {"tune-node worker --join head:7700 --gpus 0 --cpus 8 --once", "for one experiment"},
           {"tune-node worker --join 127.0.0.1:7700 --insecure-plaintext", "to try it out"}},
          {},
          docs_of(options_of_worker())};
}

bound_options<certs_request> options_of_certs() {
  return {
      bound_with(
          {"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
          read_directory),
      only_for(
          {certs_action::init}, "certs init",
          bound_with({"cluster", 0, "NAME", "init: name of the cluster", {}, "this machine's name"},
                     read_cluster)),
      only_for(
          {certs_action::issue, certs_action::rotate}, "certs issue and certs rotate",
          bound_with(
              {"out",
               0,
               "DIR",
               "issue: where to write; for another machine, a directory of its own. rotate: whose "
               "certificate is renewed",
               {},
               "the certificate directory",
               argument_kind::directory},
              read_out)),
      only_for(
          {certs_action::init, certs_action::issue}, "certs init and certs issue",
          bound({"host", 0, "HOSTS", "further names and addresses of the node, joined by commas"},
                &certs_request::hosts, node_hosts_from)),
      only_for({certs_action::init, certs_action::issue, certs_action::rotate},
               "certs init, certs issue and certs rotate",
               bound_count({"days",
                            0,
                            "N",
                            "days that the node's certificate is valid",
                            {},
                            "825",
                            argument_kind::number},
                           &certs_request::lifetime, 1,
                           static_cast<std::uint64_t>(authority_lifetime.count()),
                           "is at most " + std::to_string(authority_lifetime.count())
                               + ", the days of a CA")),
      only_for({certs_action::init, certs_action::issue}, "certs init and certs issue",
               bound({"force", 0, "", "replace the node's certificate and key; never the CA"},
                     &certs_request::force)),
      of_token(bound_count(
          {"uses", 0, "N", "token: how often it counts", {}, "1", argument_kind::number},
          &token_order::uses, 1, most_token_uses, "is at most " + std::to_string(most_token_uses))),
      of_token(
          bound({"expires", 0, "TIME", "token: for how long it counts, at most 30 days", {}, "1h"},
                &token_order::lifetime, token_lifetime_from)),
      of_token(bound_with({"name",
                           0,
                           "NAME",
                           "token: name in the certificate",
                           {},
                           "as asked for, with a random ending"},
                          read_node_name))};
}

command_doc certs_doc() {
  return {
      "certs",
      "make, show, renew and revoke a cluster's certificates",
      {{"tune-node certs init --cluster lab", "a CA, and this machine's certificate"},
       {"tune-node certs issue w1 --out w1-certs", "for a worker: copy w1-certs to it"},
       {"tune-node certs show", "names, dates, fingerprints"},
       {"tune-node certs rotate", "renew this machine's certificate while it is in use"},
       {"tune-node certs token --uses 5 --expires 1h", "for worker --token, in place of a copy"},
       {"tune-node certs revoke w1", "let w1 in no more, and hang up on it"}},
      {{"init|issue|show|rotate|revoke|token",
        {"init", "issue", "show", "rotate", "revoke", "token"}},
       {"NAME|FILE|DIR", {}, argument_kind::path, false}},
      docs_of(options_of_certs()),
      false,
      joining};
}

bound_options<doctor_request> joining_options_of_doctor() {
  return {bound({"insecure-plaintext", 0, "", "with --join: no TLS; loopback addresses only"},
                &doctor_request::insecure_plaintext),
          bound({"cluster", 0, "NAME", "with --join: name of the cluster", {}, "default"},
                &doctor_request::cluster)};
}

bound_options<doctor_request> options_of_doctor() {
  return joined<doctor_request>({{bound({"join",
                                         0,
                                         "HOST:PORT",
                                         "the head to which the way is checked",
                                         {},
                                         "this machine alone"},
                                        &doctor_request::join, peer_address_from),
                                  bound({"certs",
                                         0,
                                         "DIR",
                                         "certificate directory",
                                         {},
                                         default_certs,
                                         argument_kind::directory},
                                        &doctor_request::certs)},
                                 joining_options_of_doctor(),
                                 {bound({"work",
                                         0,
                                         "DIR",
                                         "where a worker's files and trials are to live",
                                         {},
                                         "tune-node/worker in $XDG_CACHE_HOME or ~/.cache",
                                         argument_kind::directory},
                                        &doctor_request::work)}});
}

command_doc doctor_doc() {
  return {"doctor",
          "find what is wrong with this machine, or the way to a head",
          {{"tune-node doctor", "this machine: limits, directories, certificates"},
           {"tune-node doctor --join head:7700", "step by step what a worker does to join"},
           {"tune-node doctor --join head:7700 -o json", "for a program"}},
          {},
          docs_of(options_of_doctor()),
          false,
          joining};
}

} // namespace tune::cli
