/// `tune-node list`: the choices for the INI file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "output/format.hpp"
#include "output/write_catalogue.hpp"
#include "tune/tuner/choices.hpp"

#include <iosfwd>
#include <vector>

namespace tune::cli {

/// Carries out `tune-node list`.
void show_list(const list_request& what, const choices& all, output_format format,
               const table_look& look, std::ostream& out);

/// Functions and classes as entries; the summary says which of both it is.
[[nodiscard]] std::vector<listed_entry> listed(const trainable_registry& from);

} // namespace tune::cli
