/// How the files in tables/ and curves/ are read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tune::quality {

/// Ends the program: the files are part of it.
[[noreturn]] void refuse(const std::string& path, const std::string& why);

/// What stands between the commas of a line.
[[nodiscard]] std::vector<std::string> fields(const std::string& line);

/// The parameters: what stands behind # in the lines after the first.
[[nodiscard]] std::vector<parameter_text> read_parameters(std::istream& in,
                                                          const std::string& path);

/// The configuration that a row begins with; empty fields are parameters that it does not have.
[[nodiscard]] object config_of(const search_space& space, const std::vector<std::string>& row);

} // namespace tune::quality
