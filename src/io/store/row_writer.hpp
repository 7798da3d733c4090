/// Writes store items as rows, with statements prepared once and reused buffers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sqlite.hpp"

#include "tune/io/store/store_item.hpp"

#include <deque>
#include <string>
#include <string_view>

namespace tune::store {

/// Writes single rows within the caller's transaction.
///
/// All members return false if SQLite failed; the connection has the reason.
class row_writer {
public:
  [[nodiscard]] static expected<row_writer> make(connection& in);

  /// Writes the event and its effects on nodes, checkpoints and the head row.
  [[nodiscard]] bool write(const event& what);
  /// @param began Time of the trial's first change in the batch. @param at Time of the last change.
  [[nodiscard]] bool write(const cmd::trial_changed& what, instant began, instant at);
  [[nodiscard]] bool write(const cmd::trial_progressed& what);
  [[nodiscard]] bool write(const cmd::attempt_changed& what);
  [[nodiscard]] bool write(sequence seq, const cmd::decision_taken& what);
  [[nodiscard]] bool write(const cmd::finish& what, instant at);

private:
  statement event_, result_, trial_, progress_, attempt_, decision_, checkpoint_, bad_checkpoint_,
      checkpoint_state_, node_up_, node_down_, opened_, finish_;
  std::string body_, metrics_, more_, exceptions_, labels_, taints_;
  std::deque<std::string> mended_;

  [[nodiscard]] bool write_result(const event& where, const report& what);
  [[nodiscard]] bool write_event(const event& what);
  [[nodiscard]] bool follow(const event& where, const on::opened& what);
  [[nodiscard]] bool follow(const event& where, const on::saved& what);
  [[nodiscard]] bool follow(const event& where, const on::checkpoint_bad& what);
  [[nodiscard]] bool follow(const event& where, const on::checkpoints_doomed& what);
  [[nodiscard]] bool follow(const event& where, const on::checkpoint_gone& what);
  [[nodiscard]] bool follow(const event& where, const on::node_up& what);
  [[nodiscard]] bool follow(const event& where, const on::node_down& what);
  template <class Other>
  [[nodiscard]] bool follow(const event&, const Other&) {
    return true;
  }
  /// `text`, or a corrected copy kept until the row is written: readers fail on invalid UTF-8.
  [[nodiscard]] std::string_view clean(std::string_view text);
};

} // namespace tune::store
