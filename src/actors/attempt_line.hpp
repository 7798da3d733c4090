/// What an attempt said while its head was away, for its trial. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "attempt_word.hpp"

#include "tune/core/trial/report_line.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tune {

/// A `report_line` of messages.
class attempt_line {
public:
  /// Whether the message may be taken in at once; if not, it waits.
  template <class Message>
  bool passes(std::uint64_t number, const Message& what) {
    if (may_pass(what))
      return true;
    report_line<attempt_word>::waiting next{number, what, {}, iteration_of(what)};
    if constexpr (std::is_same_v<Message, attempt_report>)
      next.of = {{what.number, what.trained_on}};
    line_.add(std::move(next));
    return false;
  }

  void answered(const attempt_answer& what) {
    if (what.kind == answer_kind::go_on)
      line_.answered(what.number);
  }

  /// Takes in what need not wait any longer, by `take`; this object may be reset meanwhile.
  /// @param heard As in `taken`.
  /// @returns as `taken`; nothing if all that waits still does.
  template <class Take>
  std::optional<std::uint64_t> go_on(std::uint64_t heard, Take take) {
    auto moved = false;
    for (; auto next = line_.next(); moved = true)
      std::visit(take, *next);
    return moved ? std::optional{taken(heard)} : std::nullopt;
  }

  /// The trial was told to end. @returns a text for people if that cost reports; otherwise empty.
  std::string drop_reports() {
    const auto dropped = line_.drop_reports();
    if (dropped == 0)
      return {};
    return "it had trained on while its head was away, and ends before that: "
           + std::to_string(dropped) + (dropped == 1 ? " report counts" : " reports count")
           + " for nothing";
  }

  /// Number of the last message that was taken in with all before it. @param heard Of the last one
  /// that came.
  [[nodiscard]] std::uint64_t taken(std::uint64_t heard) const {
    return line_.first() ? *line_.first() - 1 : heard;
  }

private:
  report_line<attempt_word> line_;

  template <class Message>
  bool may_pass(const Message& what) {
    if constexpr (std::is_same_v<Message, attempt_report>)
      return line_.passes({what.number, what.trained_on});
    else if constexpr (std::is_same_v<Message,
                                      attempt_exported> || std::is_same_v<Message, attempt_ended>)
      return line_.is_empty();
    else
      return iteration_of(what) == 0 || !line_.has(iteration_of(what));
  }

  /// The iteration of a report, or of what was handed over with one; 0: none.
  template <class Message>
  static std::uint64_t iteration_of(const Message& what) {
    if constexpr (std::is_same_v<Message, attempt_report>)
      return what.iteration;
    else if constexpr (std::is_same_v<
                           Message, attempt_saved> || std::is_same_v<Message, attempt_save_failed>)
      return what.checkpoint == 0 ? what.iteration : 0;
    else
      return 0;
  }
};

} // namespace tune
