// SPDX-License-Identifier: BSD-3-Clause
#include "check_readable.hpp"

#include "exact_json.hpp"
#include "schema.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tune::store {

namespace {

/// Refuses objects nested so deeply that they could be written but not read back.
expected<void> check_depth(const config_ptr& what, const std::string& name) {
  if (what == nullptr)
    return {};
  // A few levels are reserved for the structure that the log adds around the object.
  const auto most = limits.depth - 10;
  std::string ignored;
  if (append_exceptions(ignored, *what, json_position::metric) <= most)
    return {};
  return error{ec::bad_option, name + ": nested deeper than " + std::to_string(most) + " levels"};
}

} // namespace

expected<void> check_readable(const event& what) {
  if (const auto* x = std::get_if<on::reported>(&what.what)) {
    if (x->what == nullptr)
      return error{ec::internal, "a report without content"};
    if (!is_packable(x->what->attempt))
      return error{ec::internal, "attempt " + to_text(x->what->attempt) + " is out of range"};
    return check_depth(x->what->metrics, "metrics of trial " + to_text(x->what->trial));
  }
  if (const auto* x = std::get_if<on::suggested>(&what.what)) {
    if (const auto* all = std::get_if<std::vector<suggestion>>(&x->what)) {
      for (const auto& one : *all) {
        if (auto fine = check_depth(one.config, "a suggested configuration"); !fine)
          return fine;
      }
    }
  }
  return {};
}

} // namespace tune::store
