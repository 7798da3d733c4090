/// The files of the dashboard, by their paths.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "serve/site.hpp"

#include <functional>
#include <map>
#include <string>

namespace tune::cli {

/// Empty if the program was built without the dashboard.
[[nodiscard]] std::map<std::string, page_file, std::less<>> page_files();

} // namespace tune::cli
