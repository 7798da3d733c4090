// Options of machines that several experiments share.
// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

namespace tune::cli {

namespace {

option_doc repeated(std::string_view name, std::string_view argument, std::string_view meaning) {
  return {name, 0, argument, meaning, {}, {}, argument_kind::text, false, {}, true};
}

} // namespace

std::vector<option_doc> label_options() {
  return {repeated("label", "NAME=VALUE",
                   "what the machine is, for [resources] require; may be repeated"),
          repeated("taint", "NAME[=VALUE]",
                   "the machine takes only trials whose [resources] tolerate names this; may be "
                   "repeated")};
}

std::vector<option_doc> limit_options() {
  return {repeated("quota", "USER=KIND:N,...",
                   "most that a user's experiments hold at once, of cpu, gpu, memory and trials; "
                   "USER *: each other one; may be repeated"),
          {"max-experiments",
           0,
           "N",
           "experiments that are served at once, while others queue; 0: all",
           {},
           "0",
           argument_kind::number}};
}

command_doc with_options(command_doc of, const std::vector<option_doc>& more) {
  of.options.insert(of.options.end(), more.begin(), more.end());
  return of;
}

} // namespace tune::cli
