/// Labels and taints that people give nodes, and what experiments demand of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/resource/placement.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tune {

// A node carries what people say of it as words among its `node_labels`: "label zone=b", "taint
// spot". A request carries what it demands as words among its labels, too: "require zone == b",
// "tolerate spot". The ledger finds the same word at each node that meets the demand.

/// The word for a label, NAME=VALUE. @pre `check_label` finds no fault.
[[nodiscard]] std::string given_label(std::string_view text);
/// The word for a taint, NAME or NAME=VALUE. @pre `check_taint` finds no fault.
[[nodiscard]] std::string given_taint(std::string_view text);

/// The labels among the words of a node, as they were given, in order.
[[nodiscard]] std::vector<std::string> labels_given(const node_labels& node);
/// The same for its taints.
[[nodiscard]] std::vector<std::string> taints_given(const node_labels& node);

/// A name has letters, digits, `_` and `-`, begins with a letter or `_`, and has at most 63 bytes;
/// a value has 1 to 200 bytes, all printable and no comma. `node` is every node's own name.
/// @errors `ec::bad_option`; the detail begins with the text in quotes.
[[nodiscard]] expected<void> check_label(std::string_view text);
[[nodiscard]] expected<void> check_taint(std::string_view text);

/// The word for a requirement, a `condition` over labels: `gpu_model == A100 and zone in (a, b)`. A
/// value counts as it would in a configuration: as a number, true, false, or a text.
[[nodiscard]] std::string require_word(std::string_view text);
/// The word for tolerated taints, separated by commas: NAME, whatever its value; NAME=VALUE; `*`:
/// all. Nothing: none. Equal lists have equal words.
[[nodiscard]] std::string tolerate_word(std::string_view text);

/// @errors `ec::bad_syntax` with the column.
[[nodiscard]] expected<void> check_requirement(std::string_view text);
/// @errors as for taints.
[[nodiscard]] expected<void> check_tolerated(std::string_view text);

/// Whether the word is a demand, which the node of every bundle has to meet.
[[nodiscard]] bool is_demand(std::string_view word);
/// The demands among the labels of a request.
[[nodiscard]] node_labels demands_of(const node_labels& asked);
/// Whether a node meets a demand.
/// @param node Its labels, among them `node_label`, by which it knows its name.
[[nodiscard]] bool meets(const node_labels& node, const std::string& demand);

/// "require = zone == b", or "no taints but those in tolerate = spot": what a demand asks of a
/// node.
[[nodiscard]] std::string demand_text(const std::string& demand);

} // namespace tune
