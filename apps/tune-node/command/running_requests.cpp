// SPDX-License-Identifier: BSD-3-Clause
#include "command/running_requests.hpp"

#include "command/command_options.hpp"

#include <string>
#include <utility>

namespace tune::cli {

expected<request> ask_tell_from(const read_result& x, const command_doc& where) {
  ask_tell_words given;
  if (auto done = read_options(x, options_of_ask_tell(), given, where); !done)
    return done.error();
  auto& result = given.request;
  if (given.lease && !result.http)
    return wrong(
        "--lease needs --http: on stdin there is one executor, which is lost with its input",
        &where);
  result.lease = given.lease.value_or(result.lease);
  result.file = x.positionals[0];
  result.overrides = x.overrides;
  return tune::cli::request{std::move(result)};
}

expected<request> doctor_from(const read_result& x, const command_doc& where) {
  doctor_request result;
  if (auto done = read_options(x, options_of_doctor(), result, where); !done)
    return done.error();
  for (const auto& option : joining_options_of_doctor()) {
    if (option.is_in(x) && !result.join)
      return wrong("--" + std::string{option.doc.name} + " goes with --join", &where);
  }
  return request{std::move(result)};
}

expected<request> whatif_from(const read_result& x, const command_doc& where) {
  whatif_request result;
  if (auto done = read_options(x, options_of_whatif(), result, where); !done)
    return done.error();
  result.directory = x.positionals[0];
  result.overrides = x.overrides;
  return request{std::move(result)};
}

expected<request> simulate_from(const read_result& x, const command_doc& where) {
  simulate_request result;
  if (auto done = read_options(x, options_of_simulate(), result, where); !done)
    return done.error();
  result.file = x.positionals[0];
  result.overrides = x.overrides;
  return request{std::move(result)};
}

} // namespace tune::cli
