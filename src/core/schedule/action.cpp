// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/schedule/action.hpp"

#include <array>

namespace tune {

namespace {

bool same(const config_ptr& x, const config_ptr& y) {
  return x == y || (x != nullptr && y != nullptr && *x == *y);
}

} // namespace

bool operator==(const exploit& x, const exploit& y) {
  return x.donor == y.donor && x.from == y.from && same(x.config, y.config);
}

bool operator==(const reconfigure& x, const reconfigure& y) {
  return same(x.config, y.config);
}

std::string_view name_of(const action_body& x) {
  static constexpr std::array<std::string_view, std::variant_size_v<action_body>> names{
      "go_on",   "pause",       "stop",          "allow",   "save",
      "exploit", "reconfigure", "set_resources", "annotate"};
  return names[x.index()];
}

} // namespace tune
