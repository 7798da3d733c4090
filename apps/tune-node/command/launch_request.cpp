// SPDX-License-Identifier: BSD-3-Clause
#include "command/launch_request.hpp"

#include "command/command_options.hpp"

#include <utility>

namespace tune::cli {

namespace {

/// Why these words do not go together; empty: they do.
std::string misplaced_in_launch(const launch_request& x) {
  if (x.run.file.empty() && !x.keeps)
    return "launch needs FILE, or --keep";
  if (!x.keeps && !x.storage.empty())
    return "--storage goes with --keep";
  if (!x.keeps && !x.local)
    return "--no-local goes with --keep";
  if (x.keeps && x.run.strict)
    return "--strict does not go with --keep";
  if (x.keeps && x.is_partial)
    return "--partial does not go with --keep";
  if (x.run.file.empty() && !x.run.overrides.empty())
    return "--section.key goes with FILE";
  return {};
}

} // namespace

expected<request> launch_from(const read_result& x, const command_doc& where) {
  const auto options = options_of_launch();
  launch_request result;
  result.ssh = {"ssh"};
  if (auto done = read_options(x, options, result, where); !done)
    return done.error();
  if (!x.positionals.empty())
    result.run.file = x.positionals[0];
  result.run.overrides = x.overrides;
  if (auto fault = misplaced_in_launch(result); !fault.empty())
    return wrong(fault, &where);
  result.run.command = "launch";
  result.run.own_words = own_words(x, options);
  return request{std::move(result)};
}

expected<request> down_from(const read_result& x, const command_doc& where) {
  down_request result;
  if (auto done = read_options(x, options_of_down(), result, where); !done)
    return done.error();
  if (!x.positionals.empty())
    result.storage = x.positionals[0];
  return request{std::move(result)};
}

} // namespace tune::cli
