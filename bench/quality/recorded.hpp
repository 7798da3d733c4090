/// Reads the files in tables/ and curves/.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/space/space.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tune::quality {

/// Ends the program: the files are part of it, so a bad file is a bug.
[[noreturn]] void refuse(const std::string& path, const std::string& why);

/// The fields of a line, separated by commas.
[[nodiscard]] std::vector<std::string> fields(const std::string& line);

/// Reads the parameters, which stand behind # in the lines after the first.
[[nodiscard]] std::vector<parameter_text> read_parameters(std::istream& in,
                                                          const std::string& path);

/// The configuration at the beginning of a row; empty fields are parameters that it does not have.
[[nodiscard]] object config_of(const search_space& space, const std::vector<std::string>& row);

} // namespace tune::quality
