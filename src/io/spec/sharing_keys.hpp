/// The rows of the table of keys about nodes that experiments share: what they demand of nodes,
/// what nodes say of themselves, and who goes first. Private to io/spec.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/keys.hpp"

#include <vector>

namespace tune {

/// Rows of `[experiment]`, `[resources]` and `[cluster]`.
void add_standing_keys(std::vector<key_spec>& to);
void add_demand_keys(std::vector<key_spec>& to);
void add_label_keys(std::vector<key_spec>& to);

} // namespace tune
