/// The external searcher as a choice of the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/plugin/option_makers.hpp"
#include "tune/core/search/external/external.hpp"

#include <cmath>
#include <utility>

namespace tune::external {

namespace {

expected<object> options_of(const options& from) {
  if (!from.has("options"))
    return object{};
  auto read = parse_literal(from.text("options"));
  if (!read)
    return error{ec::bad_option, "options: " + read.error().detail};
  if (const auto* made = read->as_object())
    return *made;
  return error{ec::bad_option, "options: must be a JSON object"};
}

expected<std::unique_ptr<searcher>> make_searcher(const options& from,
                                                  const searcher_context& about) {
  settings how;
  if (from.has("command"))
    how.start.command = from.text("command");
  if (how.start.command.empty())
    return error{ec::bad_option, "command: is missing: what answers for the searcher"};
  how.start.answer_timeout = std::chrono::milliseconds{
      static_cast<std::int64_t>(std::ceil(from.seconds("answer_timeout") * 1000))};
  how.max_restarts = static_cast<std::uint32_t>(from.integer("max_restarts"));
  how.reports = from.boolean("reports");
  auto own = options_of(from);
  if (!own)
    return own.error();
  how.options = std::move(*own);
  return generator::make(how, about);
}

} // namespace

searcher_catalogue::entry make_entry() {
  using namespace option_makers;
  using enum option_kind;
  return {"external",
          "asks a process that speaks JSON lines, in any language; no grids",
          "docs/searcher-protocol.md",
          {option("command", text, "", "what to run, in words, as [trainable] command; required"),
           within(0.1, 86400,
                  option("answer_timeout", duration, "60s",
                         "a process that says nothing for so long is ended and begun anew")),
           within(0, 1000,
                  option("max_restarts", integer, "3",
                         "faults of the process that are forgiven between two good answers")),
           option("reports", boolean, "false",
                  "whether it is told of every report, and not of the trials' ends alone"),
           option("options", text, "", "a JSON object that it is given as it is")},
          make_searcher};
}

} // namespace tune::external
