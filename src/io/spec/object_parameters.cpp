// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/spec/object_parameters.hpp"

#include "tune/core/space/object_parameters.hpp"
#include "tune/io/spec/convert.hpp"

#include <algorithm>

namespace tune {

std::vector<std::string> object_parameters_of(const spec& x) {
  // Reading a space takes time: most have no objects.
  const auto may_have = std::any_of(x.space.begin(), x.space.end(), [](const named_text& each) {
    return each.text.find('{') != std::string::npos;
  });
  const auto space
      = may_have ? search_space::parse(space_lines(x)) : expected<search_space>{error{}};
  return space ? object_parameters(*space) : std::vector<std::string>{};
}

} // namespace tune
