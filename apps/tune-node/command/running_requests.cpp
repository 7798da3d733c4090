// SPDX-License-Identifier: BSD-3-Clause
#include "command/running_requests.hpp"

#include "command/option_reading.hpp"
#include "command/option_values.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tune::cli {

namespace {

/// The number of simulated nodes, if it is given.
expected<std::optional<std::uint64_t>> nodes_from(const read_result& x, const command_doc& where) {
  constexpr std::uint64_t most_nodes = 10'000;
  const auto given = x.text("nodes");
  if (!given)
    return std::optional<std::uint64_t>{};
  auto number = count_from(*given, "--nodes", 1, where);
  if (!number)
    return number.error();
  if (*number > most_nodes)
    return wrong("--nodes is a whole number up to " + std::to_string(most_nodes), &where);
  return std::optional{*number};
}

} // namespace

expected<request> ask_tell_from(const read_result& x, const command_doc& where) {
  ask_tell_request result;
  result.file = x.positionals[0];
  result.resume = x.has("resume");
  result.overrides = x.overrides;
  if (x.has("lease") && !x.has("http"))
    return wrong(
        "--lease needs --http: on stdin there is one executor, which is lost with its input",
        &where);
  auto time = [](const std::string& text) { return time_from(text); };
  for (const auto& done : {read_option(x, "http", result.http, peer_address_from, where),
                           read_option(x, "lease", result.lease, time, where)}) {
    if (!done)
      return done.error();
  }
  return request{std::move(result)};
}

expected<request> doctor_from(const read_result& x, const command_doc& where) {
  doctor_request result;
  if (auto done = read_option(x, "join", result.join, peer_address_from, where); !done)
    return done.error();
  for (const char* option : {"insecure-plaintext", "cluster"}) {
    if (x.has(option) && !result.join)
      return wrong("--" + std::string{option} + " goes with --join", &where);
  }
  result.certs = x.text("certs").value_or("");
  result.insecure_plaintext = x.has("insecure-plaintext");
  result.cluster = x.text("cluster").value_or(result.cluster);
  result.work = x.text("work").value_or("");
  return request{std::move(result)};
}

expected<request> whatif_from(const read_result& x, const command_doc& where) {
  whatif_request result;
  result.directory = x.positionals[0];
  if (auto given = x.options.find("scheduler"); given != x.options.end())
    result.schedulers = given->second;
  result.overrides = x.overrides;
  auto nodes = nodes_from(x, where);
  if (!nodes)
    return nodes.error();
  result.nodes = *nodes;
  if (auto read = read_offers(x, result.offers, where); !read)
    return read.error();
  return request{std::move(result)};
}

expected<request> simulate_from(const read_result& x, const command_doc& where) {
  simulate_request result;
  result.file = x.positionals[0];
  result.strict = x.has("strict");
  result.overrides = x.overrides;
  auto nodes = nodes_from(x, where);
  if (!nodes)
    return nodes.error();
  result.nodes = nodes->value_or(result.nodes);
  if (auto given = x.text("seed")) {
    auto number = count_from(*given, "--seed", 0, where);
    if (!number)
      return number.error();
    result.seed = *number;
  }
  for (const auto& done :
       {read_offers(x, result.offers, where),
        read_option(x, "iteration-time", result.iteration_time, some_time_from, where),
        read_option(x, "latency", result.latency, time_from, where),
        read_option(x, "node-mtbf", result.node_mtbf, time_from, where),
        read_option(x, "node-repair", result.node_repair, some_time_from, where),
        read_option(x, "trial-failure", result.trial_failure, chance_from, where),
        read_option(x, "target", result.target, number_from, where)}) {
    if (!done)
      return done.error();
  }
  return request{std::move(result)};
}

} // namespace tune::cli
