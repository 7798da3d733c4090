/// Turns what a configuration says of shared nodes into the words of clusters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/allocation_terms.hpp"
#include "tune/core/resource/placement.hpp"
#include "tune/io/spec/spec.hpp"

#include <string>
#include <vector>

namespace tune {

/// The words of a list, without blanks around them; none for an empty list.
[[nodiscard]] std::vector<std::string> words_between_commas(const std::string& list);

/// What the experiment demands of nodes, as words among the labels of its requests: see
/// `is_demand`.
[[nodiscard]] node_labels demands_in(const spec& x);
/// What `[cluster]` says of this machine, as words among its labels.
[[nodiscard]] node_labels given_labels(const spec& x);
/// Where the experiment stands. @param user Who submitted it.
[[nodiscard]] owner_standing standing_of(const spec& x, const std::string& user);

} // namespace tune
