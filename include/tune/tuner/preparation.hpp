/// Inputs of a run beside its configuration: the files of its command as they are now, and the
/// findings of other experiments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"
#include "tune/io/spec/resume_mode.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Path and SHA-256 of what runs: the files that the command names beside the INI file or by an
/// absolute path outside of the system's directories, the modules that these need (`companions_of`,
/// the first 1,000 of each), templates, a table and a plugin. Files larger than 64 MiB, and those
/// that cannot be read, are left out.
[[nodiscard]] std::vector<named_text> code_of(const loaded_spec& from);

/// The files whose content was different when `before` ran, as the command names them.
[[nodiscard]] std::vector<std::string> edited_names(const std::vector<named_text>& before,
                                                    const std::vector<named_text>& now);
/// A line for people for each such file.
[[nodiscard]] std::vector<std::string> edited_files(const spec& before, const spec& now);

/// The configurations from `[search] points_from`, best first: of each the part that lies in the
/// space, without duplicates. Empty if the key is.
///
/// @param caller  Directory that a relative path is relative to.
/// @param omitted Receives a line for each thing that does not lie in the space.
/// @errors `ec::bad_option`, naming key and value, if there is no experiment, if no trial of it has
///         a value of its first objective, or if nothing of them lies in the space.
[[nodiscard]] expected<std::vector<object>> points_from(const loaded_spec& from,
                                                        const std::filesystem::path& caller,
                                                        std::vector<std::string>& omitted);

/// Sets `found_points` and `found_earlier`.
/// @param notes Receives a line for each thing that is left out.
/// @errors as `points_from` and `earlier_from`; nothing is set then.
[[nodiscard]] expected<void> look_elsewhere(loaded_spec& what, const std::filesystem::path& caller,
                                            std::vector<std::string>& notes);

/// Completes `what` for a run in `directory`: `code`, `found_points` and `found_earlier`. If the
/// experiment goes on, the last two are the recorded ones; so is the searcher if nobody chose its
/// type, and its options except those that were written.
/// @returns lines for people: edited files, and what was left out of points and earlier
///         experiments.
/// @errors as `look_elsewhere`.
[[nodiscard]] expected<std::vector<std::string>> prepare(loaded_spec& what,
                                                         const std::filesystem::path& directory,
                                                         std::optional<resume_mode> resume,
                                                         const std::filesystem::path& caller);

/// Whether nobody chose the type of the searcher.
[[nodiscard]] bool has_usual_searcher(const loaded_spec& what);
/// The options of the searcher that were written, by name.
[[nodiscard]] std::vector<std::string> written_search_options(const loaded_spec& what);
/// Makes `what`, read from a record, which has all keys, look as if only these options were
/// written.
void forget_choice_of_searcher(loaded_spec& what, const std::vector<std::string>& written);

/// The part of `prepare` that needs the directory, after somebody else did the rest.
[[nodiscard]] std::vector<std::string> prepare_to_go_on(loaded_spec& what,
                                                        const std::filesystem::path& directory);

} // namespace tune
