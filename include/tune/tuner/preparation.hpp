/// What a run takes from the world beside its configuration: the files of its command as they are
/// now, and what other experiments have found.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/io/spec/load.hpp"
#include "tune/io/spec/resume_mode.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Path and SHA-256 of the files that the command names: those beside the INI file, and those by an
/// absolute path outside of the system's directories. Files beyond 64 MiB, and such as cannot be
/// read, are left out. Empty where the trainable is no command.
[[nodiscard]] std::vector<named_text> code_of(const loaded_spec& from);

/// The files that were others when `before` ran, as the command names them.
[[nodiscard]] std::vector<std::string> edited_names(const std::vector<named_text>& before,
                                                    const std::vector<named_text>& now);
/// One line for people for each of them.
[[nodiscard]] std::vector<std::string> edited_files(const spec& before, const spec& now);

/// The configurations that `[search] points_from` comes to, best first: what of each lies in the
/// space, none twice. Empty where the key is.
///
/// @param caller  What a relative path stands against.
/// @param omitted Told, a line each, of what does not lie in the space.
/// @errors `ec::bad_option`, naming key and value, where there is no experiment, where no trial of
///         it has a value of its first objective, or where nothing of them lies in the space.
[[nodiscard]] expected<std::vector<object>> points_from(const loaded_spec& from,
                                                        const std::filesystem::path& caller,
                                                        std::vector<std::string>& omitted);

/// Sets `found_points` and `found_earlier`.
/// @param notes Told, a line each, of what is left out.
/// @errors as `points_from` and `earlier_from`; nothing is set then.
[[nodiscard]] expected<void> look_elsewhere(loaded_spec& what, const std::filesystem::path& caller,
                                            std::vector<std::string>& notes);

/// Completes `what` for a run in `directory`: `code`, `found_points` and `found_earlier`, which are
/// the recorded ones where it goes on; so is the searcher where nobody chose its type, and its
/// options but for those that were written.
/// @returns lines for people: edited files, what was left out of points and earlier experiments.
/// @errors as `look_elsewhere`.
[[nodiscard]] expected<std::vector<std::string>> prepare(loaded_spec& what,
                                                         const std::filesystem::path& directory,
                                                         std::optional<resume_mode> resume,
                                                         const std::filesystem::path& caller);

/// Whether nobody chose the type of the searcher.
[[nodiscard]] bool has_usual_searcher(const loaded_spec& what);
/// The options of the searcher that were written, by name.
[[nodiscard]] std::vector<std::string> written_search_options(const loaded_spec& what);
/// Has it be so that only these were written, for what was read from a record, which has all keys.
void forget_choice_of_searcher(loaded_spec& what, const std::vector<std::string>& written);

/// The part of it that needs the directory, for what somebody else began to prepare.
[[nodiscard]] std::vector<std::string> prepare_to_go_on(loaded_spec& what,
                                                        const std::filesystem::path& directory);

} // namespace tune
