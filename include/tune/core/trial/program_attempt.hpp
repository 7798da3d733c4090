/// Leads a program through an attempt: answers its reports, has it save and end.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/error.hpp"
#include "tune/core/experiment/command.hpp"
#include "tune/core/trial/attempt_session.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tune {

/// How a trial answers a report.
enum class answer_kind : std::uint8_t { go_on, save, save_and_end, stop };

/// Commands of `program_attempt` to its owner.
namespace program_cmd {

/// Answers to the program's last report: train on; save into the open draft; end in order.
struct go_on {
  friend bool operator==(const go_on&, const go_on&) = default;
};
struct save {
  /// True if the program is to end once it has saved.
  bool ends = false;
  /// True if it is to export as well.
  bool exports = false;
  friend bool operator==(const save&, const save&) = default;
};
struct stop {
  bool exports = false;
  friend bool operator==(const stop&, const stop&) = default;
};
/// End the program by signals.
struct end_program {
  friend bool operator==(const end_program&, const end_program&) = default;
};

/// Pass the report on to the trial.
struct pass_on {
  report what;
  bool has_checkpoint = false;
};
/// Tell the trial that the program exports of its own accord.
struct announce_export {
  friend bool operator==(const announce_export&, const announce_export&) = default;
};

/// Open a draft of a checkpoint. `draft_made` follows, unless `drop_draft` comes first.
struct begin_draft {
  bool in_memory = false;
  friend bool operator==(const begin_draft&, const begin_draft&) = default;
};
/// Give up the open draft.
struct drop_draft {
  friend bool operator==(const drop_draft&, const drop_draft&) = default;
};
/// Copy the directory that the program handed over into a new draft. `copied` follows.
struct copy {
  friend bool operator==(const copy&, const copy&) = default;
};
/// The open draft is written: make it safe. `settled` follows.
struct keep {
  /// 0: the program handed it over unasked.
  std::uint64_t checkpoint = 0;
  /// True if the attempt ends with it.
  bool ends = false;
  friend bool operator==(const keep&, const keep&) = default;
};
/// Tell the trial that there is no such checkpoint.
struct not_kept {
  std::uint64_t checkpoint = 0;
  std::string why;
  /// The iteration of a checkpoint that the program handed over; 0 for one that was asked for.
  std::uint64_t iteration = 0;
  /// True if the program need not be asked again.
  bool for_good = false;
  friend bool operator==(const not_kept&, const not_kept&) = default;
};
/// Nobody waits for the checkpoints that are being made safe: they may fail soon.
struct drop_saves {
  friend bool operator==(const drop_saves&, const drop_saves&) = default;
};

/// Call `woken` after this long.
struct wake {
  std::chrono::nanoseconds after{0};
  friend bool operator==(const wake&, const wake&) = default;
};
/// The program is gone and all its checkpoints are settled. Nothing follows.
struct conclude {
  friend bool operator==(const conclude&, const conclude&) = default;
};

} // namespace program_cmd

using program_command
    = std::variant<program_cmd::go_on, program_cmd::save, program_cmd::stop,
                   program_cmd::end_program, program_cmd::pass_on, program_cmd::announce_export,
                   program_cmd::begin_draft, program_cmd::drop_draft, program_cmd::copy,
                   program_cmd::keep, program_cmd::not_kept, program_cmd::drop_saves,
                   program_cmd::wake, program_cmd::conclude>;
using program_commands = std::vector<program_command>;

/// The rules of an attempt whose trainable is a program, as a value: events in, commands out. It
/// has no clock and no process; the owner passes the time of each event.
///
/// A report is held until the trial has answered it; the program then trains on, saves or ends. A
/// directory that the program hands over is copied before its report is answered, since the
/// program may write to it again afterwards. The attempt is over once the program is gone and
/// every checkpoint is safe or has failed.
class program_attempt {
public:
  /// Most checkpoints of one attempt that are being made safe at a time: the next one waits.
  static constexpr std::size_t most_saves = 2;
  /// The machine times a trial's end as well, equally long. If its time ends no more than this
  /// before the time here, the time here is over, too.
  static constexpr std::chrono::seconds most_clock_lead{1};
  /// Time that a further rank has to end once rank 0 has ended: without its peer it may hang.
  static constexpr std::chrono::seconds wait_of_rank{1};
  /// Why a checkpoint fails that nobody waits for any longer.
  static constexpr const char* dropped_text
      = "the attempt was ended before its checkpoint was safe";

  struct plan {
    /// False for a further rank, which neither reports nor saves and ends when rank 0 has.
    bool is_first = true;
    /// True if metrics are read from the program's output: it gets no answers and cannot save.
    bool is_read = false;
    /// True for a further rank of such a program.
    bool is_mute = false;
    /// True if the trial has formats to export.
    bool has_exports = false;
    /// True if the attempt is there only to export: the program may end by itself.
    bool ends = false;
    /// The metric that the program must report, and whether it has done so already.
    std::string objective = {};
    bool saw_objective = false;
    /// Time to end after `stop`; 0: as long as it takes. Exports have `export_time` on top.
    std::chrono::nanoseconds stop_grace{0};
    std::chrono::nanoseconds export_time{0};
  };

  /// An answer of the trial.
  struct answer {
    /// The number of the report that it answers.
    std::uint64_t number = 0;
    answer_kind what = answer_kind::go_on;
    /// Reports up to this iteration need no answer.
    std::uint64_t until = 0;
    /// The checkpoint to write, for the two kinds of save.
    std::uint64_t checkpoint = 0;
    bool in_memory = false;
    bool exports = false;
  };

  program_attempt(plan how, attempt_session session);

  // -- From the program.

  /// The program runs: training begins.
  void started(instant now) { session_.go_on(now); }
  /// @param can_save False if the program says that it cannot save when it is asked.
  void greeted(bool can_save) { cannot_save_ = !can_save; }
  /// @param hands_over True if the program names a directory that is a checkpoint.
  [[nodiscard]] program_commands reported(object metrics, bool done, bool hands_over, instant now,
                                          std::int64_t wall_ms);
  /// The program has written the open draft, or has not.
  [[nodiscard]] program_commands saved(instant now);
  [[nodiscard]] program_commands not_saved(std::string why, bool for_good, instant now);
  /// The program begins to export of its own accord.
  [[nodiscard]] program_commands exports(instant now);
  /// The program breaks the protocol. Counts as a breach unless it was to end anyway, since SIGTERM
  /// may cut a line.
  [[nodiscard]] program_commands breaks_protocol(const std::string& why);
  /// The process serves other trials from now on: nothing more is said to it.
  void parked() { is_parked_ = true; }
  /// The program is gone, and its end is judged.
  [[nodiscard]] program_commands gone();

  // -- From the trial and from the owner.

  [[nodiscard]] program_commands answered(const answer& what, instant now);
  /// @param exports True if the program is to export before it ends.
  [[nodiscard]] program_commands halt(halt_mode how, bool exports, instant now);
  /// The draft is open, unless `why` says why not.
  [[nodiscard]] program_commands draft_made(const std::string& why, instant now);
  /// The directory is copied, unless `why` says why not.
  [[nodiscard]] program_commands copied(const std::string& why, instant now);
  /// A checkpoint is safe or has failed.
  /// @param failed Then its number, if it was asked for.
  [[nodiscard]] program_commands settled(instant now, std::uint64_t failed = 0);
  [[nodiscard]] program_commands woken(instant now);

  // -- What is known, for those who judge the end.

  [[nodiscard]] bool has_reported() const { return session_.number() > 0; }
  [[nodiscard]] bool saw_objective() const { return plan_.saw_objective; }
  /// Whether the program was told to end; the way it ends is then no failure.
  [[nodiscard]] bool is_ending() const { return is_ending_; }
  [[nodiscard]] bool is_killed() const { return is_killed_; }
  [[nodiscard]] bool is_parked() const { return is_parked_; }
  /// Whether it was ended because it exported for too long, or took too long to end.
  [[nodiscard]] bool exported_too_long() const { return late_export_; }
  [[nodiscard]] bool stopped_too_late() const { return late_stop_; }
  /// Whether the program was to export.
  [[nodiscard]] bool wants_exports() const { return wants_exports_; }
  /// The breach of the protocol that the program is ended for; empty: none.
  [[nodiscard]] const std::string& breach() const { return breach_; }
  [[nodiscard]] const attempt_session& session() const { return session_; }

private:
  /// Stage of a checkpoint that the trial asked for.
  enum class save_stage : std::uint8_t { none, opening, writing };
  /// Stage of a directory that the program handed over.
  enum class copy_stage : std::uint8_t { none, waiting, copying };

  plan plan_;
  attempt_session session_;
  /// The program's last report is not answered yet.
  bool awaits_answer_ = false;
  bool cannot_save_ = false;
  bool is_halted_ = false;
  bool is_ending_ = false;
  bool is_killed_ = false;
  bool is_parked_ = false;
  bool is_gone_ = false;
  bool is_concluded_ = false;
  bool wants_exports_ = false;
  /// It exports of its own accord.
  bool announced_export_ = false;
  bool late_export_ = false;
  bool late_stop_ = false;
  std::string breach_;
  save_stage save_ = save_stage::none;
  /// The answer that asked for the save.
  answer asked_;
  /// The checkpoint of the last save on request that failed; 0: none.
  std::uint64_t failed_ = 0;
  copy_stage copy_ = copy_stage::none;
  /// The answer to the report, held back until the copy is done.
  std::optional<answer> held_;
  /// Number of checkpoints that are being made safe.
  std::size_t saves_ = 0;
  /// When the program is ended by force if it still runs; empty: never.
  std::optional<instant> ends_by_;

  [[nodiscard]] bool is_first() const { return plan_.is_first; }
  [[nodiscard]] bool asks_to_end() const { return asked_.what == answer_kind::save_and_end; }
  [[nodiscard]] std::chrono::nanoseconds time_to_end() const;
  void note_late();
  void train_on(instant now, program_commands& out);
  void proceed(instant now, program_commands& out);
  void obey(const answer& what, instant now, program_commands& out);
  void begin_save(const answer& what, instant now, program_commands& out);
  void refuse_save(const std::string& why, bool for_good, instant now, program_commands& out);
  void fail_save(std::string why, bool for_good, program_commands& out);
  void drop_save(program_commands& out);
  void take_over(instant now, program_commands& out);
  void end_copy(const std::string& why, instant now, program_commands& out);
  void stop(instant now, program_commands& out);
  void arm(instant now, program_commands& out);
  void end_in(std::chrono::nanoseconds wait, instant now, program_commands& out);
  void end_program(program_commands& out) const;
  void conclude_if_settled(program_commands& out);
};

} // namespace tune
