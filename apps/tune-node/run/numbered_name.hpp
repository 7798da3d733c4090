/// `--experiment.name auto`: a name, and a directory, for each run of one configuration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command/command_line.hpp"
#include "tune/io/spec/load.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// The name that asks for a numbered one.
inline constexpr std::string_view automatic_name = "auto";

/// "x", "x-2", "x-3", …: the name of run number `n`. [n >= 1]
[[nodiscard]] std::string numbered_name(const std::string& base, std::uint64_t n);

/// The number of a name that `numbered_name` made from `base`; nothing: it did not.
[[nodiscard]] std::optional<std::uint64_t> number_of(const std::string& name,
                                                     const std::string& base);

/// Removes a request for a numbered name from the command line's keys. @returns whether there was
/// one.
bool take_automatic_name(std::vector<named_text>& overrides);

/// A directory that was created so that no other run takes its name. Removed again at the end if it
/// is still empty.
class claimed_directory {
public:
  claimed_directory() = default;
  explicit claimed_directory(std::filesystem::path path) : path_{std::move(path)} {}
  ~claimed_directory();
  claimed_directory(const claimed_directory&) = delete;
  claimed_directory& operator=(const claimed_directory&) = delete;
  claimed_directory(claimed_directory&& other) noexcept : path_{std::move(other.path_)} {
    other.path_.clear();
  }
  claimed_directory& operator=(claimed_directory&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }

private:
  std::filesystem::path path_;
};

/// Gives `what`, whose name is the base, the name of its next run, and creates its directory; if it
/// goes on, the name of the newest run.
/// @param storage Parent of the directories.
/// @errors `ec::storage`.
[[nodiscard]] expected<claimed_directory>
number_name(loaded_spec& what, const std::filesystem::path& storage, bool goes_on);

/// The keys and files in which the experiment in `directory` differs from `wanted`; none if there
/// is no experiment, or it cannot be read.
[[nodiscard]] std::vector<std::string> differences(const std::filesystem::path& directory,
                                                   const spec& wanted);

} // namespace tune::cli
