/// Writes an experiment's database, the record of all its events.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_item.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

namespace tune {

struct store_options {
  /// How long to wait for another process's lock on the database.
  std::chrono::milliseconds busy_timeout{10'000};
  /// Empty to choose by the file system.
  std::optional<journal_kind> journal;
};

/// Owns `experiment.db`; one per directory at a time. For use by one thread; blocks on the disk.
class experiment_store {
public:
  /// Starts an experiment in exactly `directory`, which is created if missing; the epoch is 1.
  /// @errors `ec::refused` if it has an experiment or another head holds it; `ec::storage`.
  [[nodiscard]] static expected<experiment_store> create(const std::filesystem::path& directory,
                                                         const store_options& options = {});
  /// Resumes an experiment. The new epoch is durable on return.
  /// @errors `ec::refused` if another head holds it; `ec::unreadable` if there is no experiment;
  ///         `ec::storage`.
  [[nodiscard]] static expected<experiment_store> open(const std::filesystem::path& directory,
                                                       const store_options& options = {});

  experiment_store(experiment_store&&) noexcept;
  experiment_store& operator=(experiment_store&&) noexcept;
  ~experiment_store();

  /// Writes all items in one transaction. After success they are on disk and survive power loss.
  ///
  /// Events must follow the log without gaps. Any failure is final: this and every later call
  /// returns that first error, and nothing of the batch is kept.
  /// @errors `ec::refused` if another head has taken over; `ec::storage`; `ec::bad_option` for
  ///         metrics nested too deeply to be read back; `ec::internal` for a gap in the log.
  [[nodiscard]] expected<void> write(std::span<const store_item> items);

  /// The epoch of this head.
  [[nodiscard]] std::uint32_t epoch() const;
  /// The last event on disk; 0 if there is none.
  [[nodiscard]] sequence last_seq() const;
  [[nodiscard]] const std::filesystem::path& directory() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit experiment_store(std::unique_ptr<impl> parts);
};

} // namespace tune
