/// Turns store items into rows, with statements prepared once and buffers used again.
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
/// All members return false where SQLite failed: the connection knows why.
class row_writer {
public:
  [[nodiscard]] static expected<row_writer> make(connection& in);

  /// The event, and what of nodes, checkpoints and the head follows from it.
  [[nodiscard]] bool write(const event& what);
  /// @param began When the trial was first written of. @param at Time of the change.
  [[nodiscard]] bool write(const cmd::trial_changed& what, instant began, instant at);
  [[nodiscard]] bool write(const cmd::trial_progressed& what);
  [[nodiscard]] bool write(const cmd::attempt_changed& what);
  [[nodiscard]] bool write(sequence seq, const cmd::decision_taken& what);
  [[nodiscard]] bool write(const cmd::finish& what, instant at);

private:
  statement event_, result_, trial_, progress_, attempt_, decision_, checkpoint_, bad_checkpoint_,
      checkpoint_state_, node_up_, node_down_, opened_, finish_;
  std::string body_, metrics_, more_, exceptions_;
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
  /// `text`, or its mended form kept until the row is written: readers choke on bad UTF-8.
  [[nodiscard]] std::string_view clean(std::string_view text);
};

} // namespace tune::store
