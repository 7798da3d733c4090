/// Certificates in every output format.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "output/format.hpp"
#include "tune/io/certificates/certificate_directory.hpp"

#include <iosfwd>
#include <span>
#include <string>

namespace tune::cli {

/// ISO 8601 in UTC, for programs: "2030-01-31T12:00:00Z".
[[nodiscard]] std::string iso_text(calendar_time when);

/// @param now Days left are counted from here.
void write_certificates(std::span<const found_certificate> all, calendar_time now,
                        output_format format, const table_look& look, std::ostream& out);

} // namespace tune::cli
