/// The rows of `[cluster] scale_…` in the table of keys. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/keys.hpp"

#include <vector>

namespace tune {

void add_scaling_keys(std::vector<key_spec>& to);

} // namespace tune
