/// The configuration in the record of an experiment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/spec/spec.hpp"

#include <filesystem>

namespace tune {

/// The configuration of the newest head of the experiment in `directory`.
/// @errors as `store_reader::open` and `spec_from_json`.
[[nodiscard]] expected<spec> recorded_spec(const std::filesystem::path& directory);

} // namespace tune
