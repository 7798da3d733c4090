// SPDX-License-Identifier: BSD-3-Clause
#include "command/certs_requests.hpp"

#include "command/option_reading.hpp"
#include "command/option_values.hpp"
#include "console/text.hpp"
#include "tune/net/transport.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace tune::cli {

namespace {

using action = certs_request::action;

/// The actions that an option is for.
struct option_use {
  std::string_view option;
  std::vector<action> actions;
  std::string_view text;
};

const std::vector<option_use>& option_uses() {
  static const std::vector<option_use> all{
      {"cluster", {action::init}, "certs init"},
      {"out", {action::issue, action::rotate}, "certs issue and certs rotate"},
      {"host", {action::init, action::issue}, "certs init and certs issue"},
      {"days",
       {action::init, action::issue, action::rotate},
       "certs init, certs issue and certs rotate"},
      {"force", {action::init, action::issue}, "certs init and certs issue"},
      {"uses", {action::token}, "certs token"},
      {"expires", {action::token}, "certs token"},
      {"name", {action::token}, "certs token"}};
  return all;
}

/// Why an argument does not fit the action; empty: all fit.
std::string misplaced_in_certs(const certs_request& x, const read_result& from) {
  auto has_subject = from.positionals.size() > 1;
  if (x.what == action::issue && !has_subject)
    return "certs issue needs NAME";
  if (x.what == action::revoke && !has_subject)
    return "certs revoke needs NAME, or the FILE of a certificate";
  const auto takes_none
      = x.what == action::init || x.what == action::rotate || x.what == action::token;
  if (takes_none && has_subject)
    return "one argument too many: " + in_single_quotes(x.subject);
  if (x.what == action::show && has_subject && from.has("certs"))
    return "certs show takes either a path or --certs";
  for (const auto& use : option_uses()) {
    const auto is_for = std::find(use.actions.begin(), use.actions.end(), x.what);
    if (is_for == use.actions.end() && from.has(use.option))
      return "--" + std::string{use.option} + " is for " + std::string{use.text};
  }
  return {};
}

/// Why an argument cannot be used in a certificate; empty: all can.
std::string unfit_for_certs(const certs_request& x, const read_result& from) {
  if (x.what == action::issue && !is_node_name(x.subject))
    return in_single_quotes(x.subject) + " cannot be the name of a node";
  if (from.has("name") && !is_node_name(x.token.name))
    return in_single_quotes(x.token.name) + " cannot be the name of a node";
  if (from.has("cluster") && !is_cluster_name(x.cluster))
    return in_single_quotes(x.cluster) + " cannot be the name of a cluster";
  for (const auto& host : x.hosts)
    if (!is_host_or_address(host))
      return "--host: " + in_single_quotes(host) + " is neither a host name nor an address";
  for (const auto* option : {"certs", "out"})
    if (from.has(option) && from.text(option)->empty())
      return "--" + std::string{option} + " needs a directory";
  return {};
}

expected<void> read_days(const read_result& x, certs_request& to, const command_doc& where) {
  auto given = x.text("days");
  if (!given)
    return {};
  auto number = count_from(*given, "--days", 1, where);
  if (!number)
    return number.error();
  if (*number > static_cast<std::uint64_t>(authority_lifetime.count()))
    return wrong("--days is at most " + std::to_string(authority_lifetime.count())
                     + ", the days of a CA",
                 &where);
  to.lifetime = std::chrono::days{static_cast<int>(*number)};
  return {};
}

expected<void> read_token(const read_result& x, token_order& to, const command_doc& where) {
  to.name = x.text("name").value_or("");
  if (auto given = x.text("uses")) {
    auto number = count_from(*given, "--uses", 1, where);
    if (!number)
      return number.error();
    if (*number > most_token_uses)
      return wrong("--uses is at most " + std::to_string(most_token_uses), &where);
    to.uses = static_cast<std::uint32_t>(*number);
  }
  auto lifetime = [](const std::string& text) -> expected<std::chrono::seconds> {
    auto time = some_time_from(text);
    if (!time)
      return time.error();
    const auto result = std::chrono::ceil<std::chrono::seconds>(*time);
    if (result > longest_token_lifetime)
      return error{ec::bad_option, in_single_quotes(text) + " is more than 30 days"};
    return result;
  };
  return read_option(x, "expires", to.lifetime, lifetime, where);
}

} // namespace

expected<request> certs_from(const read_result& x, const command_doc& where) {
  certs_request result;
  result.what = chosen<action>(where.positionals[0].choices, x.positionals[0]);
  if (x.positionals.size() > 1)
    result.subject = x.positionals[1];
  result.directory = x.text("certs").value_or("");
  result.cluster = x.text("cluster").value_or("");
  result.out = x.text("out").value_or("");
  result.force = x.has("force");
  if (auto given = x.text("host"))
    result.hosts = comma_parts(*given);
  for (const auto& done : {read_days(x, result, where), read_token(x, result.token, where)})
    if (!done)
      return done.error();
  for (const auto& fault : {misplaced_in_certs(result, x), unfit_for_certs(result, x)})
    if (!fault.empty())
      return wrong(fault, &where);
  return request{std::move(result)};
}

} // namespace tune::cli
