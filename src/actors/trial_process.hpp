/// From a launch order to the process of its trial. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trainables.hpp"

#include "tune/core/error.hpp"
#include "tune/io/process/host_talk.hpp"
#include "tune/io/process/process_service.hpp"

#include <filesystem>

namespace tune {

/// Whether the program is a host of a C++ trainable.
[[nodiscard]] bool is_host(const trainable_start& what);

/// Makes the trial's directory and its params.json. @returns the file. @errors `ec::storage`.
[[nodiscard]] expected<std::filesystem::path> prepare(const trainable_start& what);

/// The process of a trial that runs a program or a host.
/// @param params What `prepare` returned.
[[nodiscard]] process_order order_of(const trainable_start& what,
                                     const std::filesystem::path& params);

/// What a host that waits is told, so that it runs this trial next.
[[nodiscard]] host_order host_order_of(const trainable_start& what,
                                       const std::filesystem::path& params);

/// Where its words go then.
[[nodiscard]] process_turn turn_of(const trainable_start& what);

} // namespace tune
