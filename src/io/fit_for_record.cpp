// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/json.hpp"

namespace tune {

namespace {

/// Whether the value needs no change: the usual case, detected without a copy.
bool is_fit(const value& what) {
  if (const auto* text = what.as_string())
    return is_utf8(*text);
  return what.as_list() == nullptr && what.as_object() == nullptr;
}

/// @returns false if the nesting is too deep.
bool mend(value& what, std::size_t depth);

bool mend(object& what, std::size_t depth) {
  object mended;
  for (const auto& [name, x] : what) {
    auto copy = x;
    if (!mend(copy, depth))
      return false;
    mended.set(is_utf8(name) ? name : mend_utf8(name), std::move(copy));
  }
  what = std::move(mended);
  return true;
}

bool mend(value& what, std::size_t depth) {
  if (is_fit(what))
    return true;
  if (depth == 0)
    return false;
  if (const auto* text = what.as_string()) {
    what = mend_utf8(*text);
  } else if (const auto* list = what.as_list()) {
    auto copy = *list;
    for (auto& x : copy) {
      if (!mend(x, depth - 1))
        return false;
    }
    what = std::move(copy);
  } else {
    return mend(*what.as_object(), depth - 1);
  }
  return true;
}

} // namespace

expected<object> fit_for_record(object metrics) {
  auto fit = true;
  for (const auto& [name, x] : metrics)
    fit = fit && is_utf8(name) && is_fit(x);
  if (!fit && !mend(metrics, json_limits{}.depth)) {
    return error{ec::bad_option, "metrics are nested deeper than "
                                     + std::to_string(json_limits{}.depth) + " levels"};
  }
  return metrics;
}

} // namespace tune
