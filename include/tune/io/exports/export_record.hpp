/// Tells a sink of a whole record at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/seam/trial_sink.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace tune {

/// Tells the sink of everything that is in the record now; the experiment may be running.
/// @param written Options of the sink; relative places in them stand against the experiment's
///                directory.
/// @param shown   What the sink takes for the experiment's directory: that of a copy means nothing
///                to others. Empty: `directory`.
/// @param away    Told why the target is not there, each time; tells whether to try again.
/// @returns the number of events.
/// @errors those of `options::parse`, of `check_options`, and of
///         `sink_feed::catch_up`.
[[nodiscard]] expected<sequence> export_record(const std::filesystem::path& directory,
                                               const sink_catalogue::entry& sink,
                                               const std::map<std::string, std::string>& written,
                                               const std::function<bool(const error&)>& away,
                                               const std::string& shown = {});

} // namespace tune
