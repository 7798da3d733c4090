// SPDX-License-Identifier: BSD-3-Clause
#include "command/certs_requests.hpp"

#include "command/command_options.hpp"
#include "command/option_reading.hpp"
#include "tune/net/transport.hpp"

#include <string>
#include <utility>

namespace tune::cli {

namespace {

using action = certs_request::action;

/// Why the argument does not fit the action; empty: it does.
std::string misplaced_in_certs(const certs_request& x, bool has_subject) {
  if (x.what == action::issue && !has_subject)
    return "certs issue needs NAME";
  if (x.what == action::revoke && !has_subject)
    return "certs revoke needs NAME, or the FILE of a certificate";
  const auto takes_none
      = x.what == action::init || x.what == action::rotate || x.what == action::token;
  if (takes_none && has_subject)
    return "one argument too many: " + in_single_quotes(x.subject);
  if (x.what == action::issue && !is_node_name(x.subject))
    return in_single_quotes(x.subject) + " cannot be the name of a node";
  return {};
}

} // namespace

expected<request> certs_from(const read_result& x, const command_doc& where) {
  certs_request result;
  result.what = chosen<action>(where.positionals[0].choices, x.positionals[0]);
  const auto has_subject = x.positionals.size() > 1;
  if (has_subject)
    result.subject = x.positionals[1];
  if (auto fault = misplaced_in_certs(result, has_subject); !fault.empty())
    return wrong(fault, &where);
  if (auto done = read_options(x, options_of_certs(), result, where); !done)
    return done.error();
  if (result.what == action::show && has_subject && !result.directory.empty())
    return wrong("certs show takes either a path or --certs", &where);
  return request{std::move(result)};
}

} // namespace tune::cli
