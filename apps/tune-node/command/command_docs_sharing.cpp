// Options of machines that several experiments share.
// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"
#include "command/command_options.hpp"
#include "command/quota_request.hpp"
#include "tune/core/resource/demands.hpp"

#include <algorithm>

namespace tune::cli {

namespace {

expected<void> check_names(const words& labels) {
  words names;
  for (const auto& x : labels) {
    auto name = x.substr(0, x.find('='));
    if (std::find(names.begin(), names.end(), name) != names.end())
      return error{ec::bad_syntax, "--label: " + in_single_quotes(name) + " is given two values"};
    names.push_back(std::move(name));
  }
  return {};
}

/// Each name may have one value.
bound_option<offered_request> labels(option_doc doc) {
  auto result = bound_all(doc, &offered_request::labels, check_label);
  result.read = [read = result.read](const words& given, offered_request& to) -> expected<void> {
    if (auto done = read(given, to); !done)
      return done;
    return check_names(given);
  };
  return result;
}

bound_option<allocation_limits> quotas(option_doc doc) {
  doc.repeats = true;
  return {doc, [](const words& given, allocation_limits& to) -> expected<void> {
            for (const auto& text : given) {
              if (auto done = add_quota(text, to); !done)
                return error{ec::bad_syntax, "--quota: " + done.error().detail};
            }
            return {};
          }};
}

} // namespace

bound_options<offered_request> label_options() {
  return {labels({"label", 0, "NAME=VALUE",
                  "what the machine is, for [resources] require; may be repeated"}),
          bound_all({"taint", 0, "NAME[=VALUE]",
                     "the machine takes only trials whose [resources] tolerate names this; may be "
                     "repeated"},
                    &offered_request::taints, check_taint)};
}

bound_options<allocation_limits> limit_options() {
  return {quotas({"quota", 0, "USER=KIND:N,...",
                  "most that a user's experiments hold at once, of cpu, gpu, memory and trials; "
                  "USER *: each other one; may be repeated"}),
          bound({"max-experiments",
                 0,
                 "N",
                 "experiments that are served at once, while others queue; 0: all",
                 {},
                 "0",
                 argument_kind::number},
                &allocation_limits::max_experiments, experiment_count_from)};
}

} // namespace tune::cli
