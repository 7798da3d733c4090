/// Converts resources to JSON objects and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/resources.hpp"
#include "tune/io/field_reader.hpp"

namespace tune {

/// `{"cpu":25000,"gpu":0,"memory":1024,"custom":{"licence":10000}}`: amounts in ten-thousandths,
/// memory in bytes.
[[nodiscard]] object to_object(const resources& x);

/// Reads the field `name`, as `to_object` writes it; faults are reported through `from.fail`.
[[nodiscard]] resources read_resources(field_reader& from, std::string_view name);

} // namespace tune
