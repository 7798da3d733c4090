/// `tune-node certs`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "exit_code.hpp"
#include "output/format.hpp"

#include <iosfwd>

namespace tune::cli {

/// Makes or shows certificates; shows on `out` which there are now.
[[nodiscard]] expected<void> run_certs(const certs_request& what, output_format format,
                                       const table_look& look, std::ostream& out);

/// The exit code for an error of `run_certs`: wrong names are faults of the command line here.
[[nodiscard]] exit_code certs_exit_code(ec what);

} // namespace tune::cli
