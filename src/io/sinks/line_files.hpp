/// Sinks that write one file of lines for the whole experiment: CSV and JSON lines. Private to the
/// sinks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sinks/builtin_sink.hpp"
#include "sinks/sink_mark.hpp"

#include "tune/core/seam/trial_sink.hpp"
#include "tune/io/files/descriptor.hpp"

#include <optional>
#include <string>

namespace tune {

/// A file that grows at its end and never loses or doubles a line: what a crash left behind the
/// last mark is cut off.
class marked_file {
public:
  /// @param sink Names the mark.
  marked_file(const sink_context& with, std::string sink, const std::string& place);

  /// Finds out how far an earlier run of the experiment came.
  void look(const experiment_facts& of);
  /// Last event whose lines are there.
  [[nodiscard]] sequence cursor() const { return mark_ ? mark_->seq : 0; }
  /// What was kept beside; see `set_state`.
  [[nodiscard]] const object* state() const { return mark_ ? &mark_->state : nullptr; }
  /// Kept beside the mark from the next `store` on.
  void set_state(std::string_view name, value what) { state_.set(name, std::move(what)); }

  void add(std::string_view lines) { gathered_ += lines; }
  /// Writes what was gathered.
  /// @param sync Whether to make it durable.
  /// @errors `ec::unreachable` with path and reason: may be called again. `ec::refused` if the file
  ///         is there and not the sink's own.
  [[nodiscard]] expected<void> store(sequence place, bool sync);

private:
  std::filesystem::path path_;
  bool is_export_;
  sink_mark_file marks_;
  std::string experiment_;
  std::optional<sink_mark> mark_;
  object state_;
  std::string gathered_;
  /// Bytes of the file that hold.
  std::uint64_t length_ = 0;
  std::optional<store::descriptor> to_;

  [[nodiscard]] expected<void> open();
  [[nodiscard]] expected<void> refuse_others() const;
};

/// Factories of the two sinks.
[[nodiscard]] builtin_sink jsonl_entry();
[[nodiscard]] builtin_sink csv_entry();

} // namespace tune
