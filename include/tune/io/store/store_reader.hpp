/// Reads an experiment's database, while it is written or afterwards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/event.hpp"
#include "tune/io/store/rows.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tune {

/// Which trials to list, and in which order.
struct trial_query {
  enum class order : std::uint8_t {
    number,
    created,
    /// Those that have not ended come last.
    ended,
    iterations,
    /// By `metric` of the best report; those without that number come last either way.
    metric,
  };

  std::optional<trial_status> status{};
  order by = order::number;
  /// A name at the top level of the metrics.
  std::string metric{};
  bool descending = false;
  std::size_t limit = 100;
  std::size_t offset = 0;
};

/// A read-only connection. Every call is one short transaction, so that the write-ahead log can be
/// cut back. For one thread; any number of readers may be open.
///
/// @errors of all members: `ec::storage` with file, or with table and row where a checksum does not
/// fit or an event is missing.
class store_reader {
public:
  /// @errors `ec::unreadable` where `directory` holds no experiment; `ec::refused` where it was
  ///         made by a newer version.
  [[nodiscard]] static expected<store_reader> open(const std::filesystem::path& directory);

  store_reader(store_reader&&) noexcept;
  store_reader& operator=(store_reader&&) noexcept;
  ~store_reader();

  /// From now on sees what is there now, however much is written meanwhile: for a look at the whole
  /// of an experiment that runs. Its write-ahead log is not cut back before this reader is gone.
  [[nodiscard]] expected<void> hold();

  /// What is wrong with the files themselves, past what is in the rows: the first few words of
  /// SQLite's own check, and a write-ahead log whose end would be lost. Reads all of it; meant for
  /// an experiment at rest.
  [[nodiscard]] expected<std::vector<std::string>> faults();
  /// Place of the last committed event.
  [[nodiscard]] expected<sequence> last_seq();
  /// Generation of the newest head.
  [[nodiscard]] expected<std::uint32_t> epoch();
  [[nodiscard]] expected<experiment_row> experiment();
  /// How each head took the experiment over, oldest first. Looks at all events where there was more
  /// than one.
  [[nodiscard]] expected<std::vector<on::opened>> openings();
  /// Whether a client paused the whole experiment and none took that back: it outlives heads. Looks
  /// at all events.
  [[nodiscard]] expected<bool> stands_paused();

  [[nodiscard]] expected<std::vector<trial_row>> trials(const trial_query& which = {});
  [[nodiscard]] expected<std::optional<trial_row>> trial(trial_id which);
  /// In the order of the log, those after `after`. @param limit At most so many.
  [[nodiscard]] expected<std::vector<result_row>> results(trial_id of, sequence after,
                                                          std::size_t limit);
  /// The reports of a trial with which a checkpoint was made that can be restored, in the order of
  /// the log. @param iteration Those alone.
  [[nodiscard]] expected<std::vector<std::shared_ptr<const report>>>
  saved_reports(trial_id of, std::optional<std::uint64_t> iteration = std::nullopt);
  /// The checksum of an event's row; nothing where there is none.
  [[nodiscard]] expected<std::optional<std::int64_t>> event_sum(sequence seq);
  /// How many results of the trial are committed up to and with event `until`.
  [[nodiscard]] expected<std::uint64_t> count_results(trial_id of, sequence until);
  /// Oldest first.
  [[nodiscard]] expected<std::vector<attempt_row>> attempts(trial_id of);
  [[nodiscard]] expected<std::optional<attempt_row>> attempt(attempt_id which);
  /// The attempts that ended in one of the classes of failure.
  [[nodiscard]] expected<std::vector<attempt_row>> failures(trial_id of);
  [[nodiscard]] expected<std::vector<decision_row>> decisions(trial_id of);
  [[nodiscard]] expected<std::vector<checkpoint_row>> checkpoints(trial_id of);
  /// Those of all trials that can be restored, as far as anybody knows.
  [[nodiscard]] expected<std::vector<checkpoint_row>> good_checkpoints();
  /// Oldest first.
  [[nodiscard]] expected<std::vector<export_row>> exports(trial_id of);
  [[nodiscard]] expected<export_counts> count_exports();
  /// What is noteworthy of all trials that have ended.
  [[nodiscard]] expected<trial_tally> tally();
  [[nodiscard]] expected<std::vector<node_row>> nodes();

  /// The events after `after`, without gaps, exactly as they were written.
  /// @param limit At most so many. @param bytes Ends after the event that fills so many bytes.
  [[nodiscard]] expected<std::vector<event>> events_after(sequence after, std::size_t limit,
                                                          std::size_t bytes = 8 * 1024 * 1024);

private:
  class impl;
  std::unique_ptr<impl> impl_;
  explicit store_reader(std::unique_ptr<impl> parts);
};

} // namespace tune
