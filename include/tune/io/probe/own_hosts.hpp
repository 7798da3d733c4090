/// The names and addresses of this machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tune {

/// This machine's addresses for others, then its name, then loopback; without those that mean
/// nothing on another machine, as addresses of a link do.
[[nodiscard]] std::vector<std::string> own_hosts();

} // namespace tune
