// SPDX-License-Identifier: BSD-3-Clause
#include "command/scaling_request.hpp"

#include "command/option_reading.hpp"
#include "command/option_values.hpp"
#include "console/text.hpp"

#include "tune/core/plugin/options.hpp"

#include <array>
#include <chrono>
#include <filesystem>

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
  return error{ec::bad_option, in_single_quotes(text) + " is not "
                                   + (may_be_zero ? "0, or within 1s to 24h" : "within 1s to 24h")};
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

} // namespace

expected<void> read_scaling(const read_result& x, head_request& to, const command_doc& where) {
  constexpr std::array all{"scale-min",  "scale-max",      "scale-worker",  "scale-cooldown",
                           "scale-idle", "scale-patience", "scale-timeout", "scale-down-cooldown"};
  if (!x.has("scale-command")) {
    for (const auto* name : all) {
      if (x.has(name))
        return wrong("--" + std::string{name} + " goes with --scale-command", &where);
    }
    return {};
  }
  auto& scaling = to.scaling.emplace();
  scaling.command.text = x.text("scale-command").value_or("");
  scaling.command.directory = std::filesystem::current_path();
  auto& rules = scaling.rules;
  std::vector<resources> worker;
  std::chrono::nanoseconds timeout = scaling.command.timeout;
  auto span = [](const std::string& text) { return span_from(text, false); };
  for (const auto& done :
       {read_option(
            x, "scale-min", rules.least,
            [](const std::string& text) { return workers_from(text, 0); }, where),
        read_option(
            x, "scale-max", rules.most,
            [](const std::string& text) { return workers_from(text, 1); }, where),
        read_option(x, "scale-worker", worker, scale_worker_from, where),
        read_option(x, "scale-cooldown", rules.cooldown, span, where),
        read_option(x, "scale-down-cooldown", rules.down_cooldown, span, where),
        read_option(
            x, "scale-idle", rules.idle,
            [](const std::string& text) { return span_from(text, true); }, where),
        read_option(x, "scale-patience", rules.patience, span, where),
        read_option(x, "scale-timeout", timeout, span, where)}) {
    if (!done)
      return done.error();
  }
  scaling.command.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  if (!worker.empty())
    rules.worker = worker.front();
  if (scaling.command.text.empty())
    return wrong("--scale-command is empty", &where);
  if (auto fits = validate(rules); !fits)
    return wrong(fits.error().detail, &where);
  return {};
}

} // namespace tune::cli
