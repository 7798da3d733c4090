/// What a client of a head submitted, read again where it is to run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "head/job_supervisor.hpp"
#include "run/additions.hpp"

#include "tune/net/client_messages.hpp"
#include "tune/tuner/needed_files.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace tune::cli {

/// Checks a client's configuration as if it had been written here: this program may know other
/// trainables, searchers and schedulers than the client. @errors `ec::bad_option`.
[[nodiscard]] expected<loaded_spec> load_again(spec what, const job_supervisor_settings& here);

/// The part of the fault that its client can fix, without the paths on this machine.
[[nodiscard]] std::string not_submitted(const missing_files& x);

/// The configurations that are to be tried besides.
/// @param is_again A head before this one has taken them.
/// @errors as `additions_of`; `ec::refused` where none of them would run, since a limit of time is
///         over.
[[nodiscard]] expected<std::vector<on::add_asked>>
additions_in(const submission_message& words, const loaded_spec& loaded,
             const std::filesystem::path& directory, bool is_again);

} // namespace tune::cli
