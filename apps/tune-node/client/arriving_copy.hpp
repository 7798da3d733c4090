/// The receiving side of `fetch`: a line of JSON about the copy, then an archive.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "client/copy_draft.hpp"
#include "tune/core/value.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace tune::cli {

/// What is fetched, as told by whoever sends it.
struct copy_about {
  /// Default name of the copy.
  std::string name;
  std::string what;
  /// Null: the whole experiment.
  value trial;
  /// Whether it is a checkpoint, or alike, with a list of its content.
  bool is_listed = false;
};

/// One line of JSON, without the end of the line.
[[nodiscard]] std::string to_line(const copy_about& x);
/// @errors `ec::protocol`; also for a name that could lead out of a directory.
[[nodiscard]] expected<copy_about> copy_about_from_line(const std::string& line);

/// Unpacks what comes into a draft, on a thread of its own.
class arriving_copy {
public:
  /// @param to    The place of the copy; empty: in the working directory, by its own name.
  /// @param draft Outlives this object.
  arriving_copy(std::filesystem::path to, copy_draft& draft);
  arriving_copy(const arriving_copy&) = delete;
  arriving_copy& operator=(const arriving_copy&) = delete;
  ~arriving_copy();

  /// @returns whether more is wanted. If not, `finish` tells why.
  bool take(std::string_view bytes);
  [[nodiscard]] bool is_wanted() const { return !failure_ && !is_closed_; }

  /// Everything has come: waits until it is unpacked.
  /// @returns what it is. @errors `ec::protocol`, `ec::refused`, `ec::storage`.
  [[nodiscard]] expected<copy_about> finish();

private:
  std::filesystem::path to_;
  copy_draft& draft_;
  std::string head_;
  std::optional<copy_about> about_;
  /// The writing end of the pipe to the thread.
  store::descriptor pipe_{-1};
  /// The thread reads no more.
  bool is_closed_ = false;
  std::thread unpacks_;
  /// Set by the thread at its end.
  std::optional<error> unpacking_failed_;
  std::optional<error> failure_;

  [[nodiscard]] expected<void> begin(const std::string& line);
  bool write(std::string_view bytes);
  void join();
};

} // namespace tune::cli
