// The entry of those who lead a cluster.
// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include "command/command_options.hpp"
#include "command/liveness_option.hpp"
#include "command/option_values.hpp"
#include "tune/core/plugin/options.hpp"
#include "tune/core/resource/demands.hpp"

#include <chrono>

namespace tune::cli {

namespace {

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

/// How a head has workers come and go.
bound_options<scaling_words> all_scaling_options() {
  bound_options<scaling_words> result{bound(
      {"scale-command", 0, "COMMAND", "get and give back workers by this command", {}, "none"},
      &scaling_words::command)};
  return joined<scaling_words>({result, options_of_scaling()});
}

/// Where a head listens, keeps its files and belongs.
bound_options<head_request> place_options() {
  return {
      needed(bound({"listen", 0, "HOST:PORT", "where workers join and clients submit; needed"},
                   &head_request::listen, peer_address_from),
             "HOST:PORT"),
      bound(
          {"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
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
      bound({"cluster", 0, "NAME", "name of the cluster", {}, "default"}, &head_request::cluster)};
}

bound_options<liveness_rules> head_liveness_options() {
  return {bound_liveness(
              {"lost-after", 0, "TIME", "a worker that is silent for so long is lost", {}, "10s"},
              &liveness_rules::lost_after, any_silence),
          bound_liveness({"head-grace",
                          0,
                          "TIME",
                          "if this head dies, workers keep their trials for the next one on the "
                          "same storage for so long; 0: not at all",
                          {},
                          "10m"},
                         &liveness_rules::head_grace, any_grace)};
}

/// What the machine of a head offers.
bound_options<offered_request> head_offers() {
  return {bound({"cpus",
                 0,
                 "N",
                 "CPUs that this machine offers",
                 {},
                 "what there is",
                 argument_kind::number},
                &offered_request::cpus, amount_from),
          bound({"gpus", 0, "N", "GPUs that it offers", {}, "what there is", argument_kind::number},
                &offered_request::gpus, amount_from),
          bound({"memory", 0, "BYTES", "memory that it offers, such as 16GiB", {}, "what there is"},
                &offered_request::memory, bytes_from),
          bound({"custom", 0, "NAME=N,...", "amounts of resources of your own"},
                &offered_request::custom, custom_from)};
}

/// Where it serves people and new machines.
bound_options<head_request> serving_options() {
  return {bound({"http",
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
                &head_request::enroll, peer_address_from)};
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
  const auto before = joined<head_request>(
      {place_options(),
       within(&head_request::liveness, head_liveness_options()),
       {bound({"standby", 0, "",
               "wait while another head leads in this storage, and take its place when it is gone"},
              &head_request::stands_by),
        bound({"no-local", 0, "", "run no trials on this machine"}, &head_request::local, false)},
       within(&head_request::offers, head_offers()),
       serving_options()});
  const auto after = joined<head_request>({within(&head_request::offers, label_options()),
                                           within(&head_request::limits, limit_options())});
  return joined<head_words>({within(&head_words::head, before),
                             within(&head_words::scaling, all_scaling_options()),
                             within(&head_words::head, after)});
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

} // namespace tune::cli
