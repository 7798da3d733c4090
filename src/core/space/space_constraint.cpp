// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/space/space_constraint.hpp"

#include "formula_parser.hpp"

#include <utility>

namespace tune {

expected<space_constraint> space_constraint::parse(std::string_view text) {
  scanner in{text};
  formula_parser from{in, name_rule::plain};
  auto root = from.rule();
  if (!root)
    return root.error();
  space_constraint result;
  result.text_ = trimmed(text);
  result.root_ = std::make_shared<const formula>(std::move(*root));
  result.names_ = std::make_shared<const std::vector<std::string>>(std::move(from.names));
  return result;
}

bool space_constraint::allows(std::span<const value* const> values) const {
  return decided(*root_, values).value_or(true);
}

} // namespace tune
