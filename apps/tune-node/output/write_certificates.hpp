/// Certificates in every output format.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "output/format.hpp"
#include "tune/io/certificates/certificate_directory.hpp"

#include <iosfwd>
#include <span>

namespace tune::cli {

/// @param now Days left are counted from here.
void write_certificates(std::span<const found_certificate> all, calendar_time now,
                        output_format format, const table_look& look, std::ostream& out);

} // namespace tune::cli
