// SPDX-License-Identifier: BSD-3-Clause
#include "command/running_requests.hpp"

#include "command/option_reading.hpp"
#include "command/option_values.hpp"

#include <chrono>
#include <utility>

namespace tune::cli {

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

} // namespace tune::cli
