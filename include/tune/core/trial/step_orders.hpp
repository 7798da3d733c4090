/// Leads a trainable through an attempt by orders: one at a time, each answered before the next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/experiment/command.hpp"
#include "tune/core/trial/end_class.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tune {

/// Commands of `step_orders` to its owner.
namespace step_cmd {

/// Orders. Each is concluded by `carried_out`, `stepped`, `refused` or `gone`.
struct set_up {
  friend bool operator==(const set_up&, const set_up&) = default;
};
/// Load the checkpoint that the attempt goes on from.
struct load {
  friend bool operator==(const load&, const load&) = default;
};
struct step {
  friend bool operator==(const step&, const step&) = default;
};
/// Save a checkpoint into a directory that the owner makes.
struct save {
  std::uint64_t checkpoint = 0;
  /// True if the attempt ends with it.
  bool ends = false;
  bool in_memory = false;
  friend bool operator==(const save&, const save&) = default;
};
/// Export in one of the wanted formats, given by its index.
struct export_model {
  std::size_t format = 0;
  friend bool operator==(const export_model&, const export_model&) = default;
};

/// Training begins.
struct begun {
  friend bool operator==(const begun&, const begun&) = default;
};
/// The checkpoint of the last `save` order is written.
struct keep {
  std::uint64_t checkpoint = 0;
  bool ends = false;
  bool in_memory = false;
  friend bool operator==(const keep&, const keep&) = default;
};
/// The checkpoint of the last `save` order is not written.
struct not_kept {
  std::uint64_t checkpoint = 0;
  std::string why;
  friend bool operator==(const not_kept&, const not_kept&) = default;
};
struct not_exported {
  std::size_t format = 0;
  std::string why;
  friend bool operator==(const not_exported&, const not_exported&) = default;
};
/// Make the trainable leave: tell it to, or end it at once. `gone` or `late` follows.
struct dismiss {
  bool by_force = false;
  friend bool operator==(const dismiss&, const dismiss&) = default;
};
/// The attempt is over. Nothing follows.
struct over {
  end_class how = end_class::finished;
  std::string why;
  friend bool operator==(const over&, const over&) = default;
};

} // namespace step_cmd

using step_command
    = std::variant<step_cmd::set_up, step_cmd::load, step_cmd::step, step_cmd::save,
                   step_cmd::export_model, step_cmd::begun, step_cmd::keep, step_cmd::not_kept,
                   step_cmd::not_exported, step_cmd::dismiss, step_cmd::over>;
using step_commands = std::vector<step_command>;

/// The rules of an attempt whose trainable takes orders, as a value: events in, commands out.
///
/// Set-up, then the checkpoint, if there is one, then steps; each step's report is judged before
/// the next, and may be followed by a save. At the end the requested formats are exported, and the
/// trainable is told to leave. A failing step fails the attempt, a failing save or export only
/// itself.
///
/// Its promises: **there is one order at a time; a trainable that is not gone is told to leave, and
/// forced to if it stays; the attempt is over once, and stays as it is whatever comes later.**
class step_orders {
public:
  struct plan {
    /// True if it goes on from a checkpoint.
    bool restores = false;
    bool can_save = true;
    /// Number of formats to export at the end of the trial.
    std::size_t formats = 0;
    /// True if its trial has come to its end: it only exports.
    bool ends = false;
  };

  explicit step_orders(plan what) : plan_{what}, exports_{what.ends} {}

  /// The trainable exists.
  [[nodiscard]] step_commands begin();
  /// The trainable carried out its order; for a step see below.
  [[nodiscard]] step_commands carried_out();
  /// The report of its step was passed on.
  /// @param done      Whether it is the last one.
  /// @param is_judged Whether an answer to it will come.
  [[nodiscard]] step_commands stepped(bool done, bool is_judged);
  /// The trainable did not carry out its order, or made an invalid report, or there is no place for
  /// its checkpoint.
  [[nodiscard]] step_commands refused(std::string why);
  /// The trainable has ended, asked to or not.
  [[nodiscard]] step_commands gone(std::string why);
  /// The trainable's report was judged. Answers without a waiting report are ignored.
  [[nodiscard]] step_commands go_on();
  [[nodiscard]] step_commands save(step_cmd::save what, bool exports);
  [[nodiscard]] step_commands stop(bool exports);
  /// The attempt is told to end: at once if `how` says so, else after the present order.
  [[nodiscard]] step_commands halt(halt_mode how, bool exports);
  /// The trainable was told to leave, and is still there after the time allowed.
  [[nodiscard]] step_commands late();

  /// Whether the trainable's report waits for an answer.
  [[nodiscard]] bool awaits_answer() const { return now_ == stage::reported; }
  [[nodiscard]] bool is_over() const { return now_ == stage::over; }
  /// The present order, for people; empty: there is none.
  [[nodiscard]] std::string doing() const;

private:
  enum class stage : std::uint8_t {
    absent,
    setting_up,
    loading,
    stepping,
    reported,
    saving,
    exporting,
    leaving,
    over,
  };

  plan plan_;
  stage now_ = stage::absent;
  bool halted_ = false;
  bool done_ = false;
  bool exports_ = false;
  bool forced_ = false;
  step_cmd::save saving_;
  std::size_t format_ = 0;
  step_cmd::over end_;

  [[nodiscard]] step_commands train();
  [[nodiscard]] step_commands resume();
  [[nodiscard]] step_commands finish(end_class how);
  [[nodiscard]] step_commands export_next();
  [[nodiscard]] step_commands fail(end_class how, std::string why);
  [[nodiscard]] step_commands leave(bool by_force);
  [[nodiscard]] step_commands conclude();
  [[nodiscard]] step_commands lose_exports(const std::string& why);
};

} // namespace tune
