// SPDX-License-Identifier: BSD-3-Clause
#include "command/quota_request.hpp"

#include "command/option_reading.hpp"
#include "command/option_values.hpp"
#include "tune/core/plugin/options.hpp"

namespace tune::cli {

namespace {

/// The user of whom nothing else is said.
constexpr const char* everybody_else = "*";
constexpr std::int64_t most_trials = 1'000'000;
constexpr std::int64_t most_experiments = 100'000;

error wrong_quota(const std::string& text, const std::string& why) {
  return {ec::bad_option, in_single_quotes(text) + " " + why
                              + ": a quota is USER=KIND:LIMIT,... with cpu, gpu (0 to 1000000),"
                                " memory (such as 64GiB) or trials (0 to 1000000); USER is the name"
                                " in a certificate, or *"};
}

expected<void> set_limit(user_quota& to, const std::string& kind, const std::string& limit) {
  if (kind == "cpu" || kind == "gpu") {
    auto much = amount_from(limit);
    if (!much)
      return much.error();
    (kind == "cpu" ? to.cpu : to.gpu) = amount::of(*much);
    return {};
  }
  if (kind == "memory") {
    auto bytes = parse_bytes(limit);
    if (!bytes)
      return bytes.error();
    to.memory = *bytes;
    return {};
  }
  const auto count = parse_integer(limit);
  if (kind != "trials" || !count || *count < 0 || *count > most_trials)
    return error{ec::bad_option, in_single_quotes(kind + ":" + limit) + " is no limit"};
  to.trials = static_cast<std::uint64_t>(*count);
  return {};
}

bool is_set(const user_quota& x, const std::string& kind) {
  return (kind == "cpu" && x.cpu) || (kind == "gpu" && x.gpu) || (kind == "memory" && x.memory)
         || (kind == "trials" && x.trials);
}

} // namespace

expected<std::pair<std::string, user_quota>> quota_from(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == text.npos || equals + 1 == text.size())
    return wrong_quota(text, "names no user, or no limit");
  std::pair<std::string, user_quota> result{text.substr(0, equals), {}};
  for (const auto& part : comma_parts(text.substr(equals + 1))) {
    const auto colon = part.find(':');
    if (colon == part.npos)
      return wrong_quota(text, "has " + in_single_quotes(part) + ", which is not KIND:LIMIT");
    const auto kind = part.substr(0, colon);
    if (is_set(result.second, kind))
      return wrong_quota(text, "has two limits of " + kind);
    if (auto set = set_limit(result.second, kind, part.substr(colon + 1)); !set)
      return wrong_quota(text, "is wrong, since " + set.error().detail);
  }
  return result;
}

expected<void> add_quota(const std::string& text, allocation_limits& to) {
  auto quota = quota_from(text);
  if (!quota)
    return quota.error();
  const auto is_rest = quota->first == everybody_else;
  if (is_rest ? to.other_quota.has_value() : to.quotas.contains(quota->first))
    return error{ec::bad_option, in_single_quotes(quota->first) + " has two quotas"};
  if (is_rest)
    to.other_quota = quota->second;
  else
    to.quotas[quota->first] = quota->second;
  return {};
}

expected<std::uint64_t> experiment_count_from(const std::string& text) {
  const auto number = parse_integer(text);
  if (!number || *number < 0 || *number > most_experiments)
    return error{ec::bad_option, in_single_quotes(text) + " is not within 0 to 100000"};
  return static_cast<std::uint64_t>(*number);
}

} // namespace tune::cli
