// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/program_attempt.hpp"

#include "tune/core/trial/automatic_metrics.hpp"

#include <utility>

namespace tune {

program_attempt::program_attempt(plan how, attempt_session session)
    : plan_{std::move(how)}
    , session_{session}
    , is_ending_{plan_.ends}
    , wants_exports_{plan_.ends} {}

// -- Reports and their answers.

program_commands program_attempt::reported(object metrics, bool done, bool hands_over, instant now,
                                           std::int64_t wall_ms) {
  program_commands out;
  if (!is_first()) {
    awaits_answer_ = true;
    is_halted_ ? stop(now, out) : train_on(now, out);
    return out;
  }
  // The program trains on although it had begun to export.
  if (std::exchange(announced_export_, false) && !is_ending_)
    ends_by_.reset();
  // The program trains on although it was asked to save: it will not.
  if (save_ != save_stage::none)
    fail_save("it reported again without having saved", false, out);
  // A value found in ordinary output only counts where it can.
  if (const auto* own = metrics.find("training_iteration");
      plan_.is_read && own != nullptr && !session_.may_follow(*own))
    metrics.erase("training_iteration");
  const auto has_objective
      = is_automatic(plan_.objective) || find_path(metrics, plan_.objective) != nullptr;
  auto made = session_.make(std::move(metrics), now, wall_ms);
  if (!made) {
    auto end = breaks_protocol(made.error().detail);
    out.insert(out.end(), end.begin(), end.end());
    return out;
  }
  plan_.saw_objective = plan_.saw_objective || has_objective;
  made->done = made->done || done;
  out.emplace_back(program_cmd::pass_on{std::move(*made), hands_over});
  awaits_answer_ = true;
  hands_over ? take_over(now, out) : proceed(now, out);
  return out;
}

/// Goes on after a report, once nothing holds it back.
void program_attempt::proceed(instant now, program_commands& out) {
  // The program was told to end in the middle of its step: nobody else will answer.
  if (is_halted_)
    stop(now, out);
  else if (held_)
    obey(*std::exchange(held_, std::nullopt), now, out);
  else if (session_.has_credit())
    train_on(now, out);
}

program_commands program_attempt::answered(const answer& what, instant now) {
  program_commands out;
  session_.allow(what.until);
  if (what.number > session_.number() || save_ != save_stage::none)
    return out;
  const auto is_passed = what.number < session_.number() || !awaits_answer_;
  const auto asks_to_save
      = what.what == answer_kind::save || what.what == answer_kind::save_and_end;
  const auto is_repeated = asks_to_save && what.checkpoint != 0
                           && what.checkpoint == asked_.checkpoint && what.number == asked_.number;
  // A head asks again once its worker is back, and one that took the place of another asks for what
  // the earlier one had asked for. If that save failed, this head may have heard so before it
  // asked: it hears it once more. Otherwise it hears how it ended, or has heard it.
  if (is_repeated && what.checkpoint == failed_)
    out.emplace_back(program_cmd::not_kept{what.checkpoint, "it had trained on", 0, false});
  if (is_passed || is_repeated)
    return out;
  if (copy_ != copy_stage::none)
    held_ = what;
  else
    obey(what, now, out);
  return out;
}

void program_attempt::obey(const answer& what, instant now, program_commands& out) {
  if (what.what == answer_kind::stop || is_halted_)
    stop(now, out);
  else if (what.what == answer_kind::go_on)
    train_on(now, out);
  else
    begin_save(what, now, out);
}

void program_attempt::train_on(instant now, program_commands& out) {
  awaits_answer_ = false;
  session_.go_on(now);
  out.emplace_back(program_cmd::go_on{});
}

// -- Checkpoints that the trial asks for.

void program_attempt::begin_save(const answer& what, instant now, program_commands& out) {
  asked_ = what;
  save_ = save_stage::opening;
  if (plan_.is_read || cannot_save_)
    return refuse_save("this program cannot save", true, now, out);
  out.emplace_back(program_cmd::begin_draft{what.in_memory});
}

program_commands program_attempt::draft_made(const std::string& why, instant now) {
  program_commands out;
  if (save_ != save_stage::opening || is_gone_)
    return out;
  if (!why.empty()) {
    refuse_save(why, false, now, out);
    return out;
  }
  save_ = save_stage::writing;
  awaits_answer_ = false;
  is_ending_ = is_ending_ || asks_to_end();
  wants_exports_ = wants_exports_ || asked_.exports;
  out.emplace_back(program_cmd::save{asks_to_end(), asked_.exports});
  return out;
}

/// Tells that the program cannot save; it trains on unless it was to end.
void program_attempt::refuse_save(const std::string& why, bool for_good, instant now,
                                  program_commands& out) {
  const auto ends = asks_to_end();
  fail_save(why, for_good, out);
  if (ends)
    session_.go_on(now);
  else
    train_on(now, out);
}

program_commands program_attempt::saved(instant now) {
  program_commands out;
  if (save_ != save_stage::writing)
    return out;
  save_ = save_stage::none;
  ++saves_;
  out.emplace_back(program_cmd::keep{asked_.checkpoint, asks_to_end()});
  session_.go_on(now);
  if (asks_to_end())
    arm(now, out);
  return out;
}

program_commands program_attempt::not_saved(std::string why, bool for_good, instant now) {
  program_commands out;
  if (save_ != save_stage::writing)
    return out;
  fail_save(std::move(why), for_good, out);
  session_.go_on(now);
  return out;
}

void program_attempt::fail_save(std::string why, bool for_good, program_commands& out) {
  if (save_ == save_stage::writing) {
    out.emplace_back(program_cmd::drop_draft{});
    // The program had its answer and trains on, even where it was to pause.
    if (asks_to_end() && !is_halted_)
      is_ending_ = plan_.ends;
  }
  save_ = save_stage::none;
  failed_ = asked_.checkpoint;
  out.emplace_back(program_cmd::not_kept{asked_.checkpoint, std::move(why), 0, for_good});
}

/// Drops a save if the program is told to end before it could be told where to save.
void program_attempt::drop_save(program_commands& out) {
  if (save_ != save_stage::opening)
    return;
  save_ = save_stage::none;
  out.emplace_back(program_cmd::drop_draft{});
}

// -- Directories that the program hands over.

/// Has the directory copied: until then the program gets no answer.
void program_attempt::take_over(instant now, program_commands& out) {
  if (is_killed_) {
    copy_ = copy_stage::waiting;
    return end_copy(dropped_text, now, out);
  }
  copy_ = saves_ < most_saves ? copy_stage::copying : copy_stage::waiting;
  if (copy_ == copy_stage::copying)
    out.emplace_back(program_cmd::copy{});
}

program_commands program_attempt::copied(const std::string& why, instant now) {
  program_commands out;
  if (copy_ == copy_stage::copying)
    end_copy(why, now, out);
  return out;
}

void program_attempt::end_copy(const std::string& why, instant now, program_commands& out) {
  const auto has_draft = std::exchange(copy_, copy_stage::none) == copy_stage::copying;
  if (why.empty()) {
    ++saves_;
    out.emplace_back(program_cmd::keep{0, false});
    if (is_killed_)
      out.emplace_back(program_cmd::drop_saves{});
  } else {
    if (has_draft)
      out.emplace_back(program_cmd::drop_draft{});
    out.emplace_back(program_cmd::not_kept{0, why, session_.iteration(), false});
  }
  if (!is_gone_)
    proceed(now, out);
  conclude_if_settled(out);
}

program_commands program_attempt::settled(instant now, std::uint64_t failed) {
  program_commands out;
  if (failed != 0)
    failed_ = failed;
  if (saves_ > 0)
    --saves_;
  if (copy_ == copy_stage::waiting)
    take_over(now, out);
  conclude_if_settled(out);
  return out;
}

// -- The end.

program_commands program_attempt::halt(halt_mode how, bool exports, instant now) {
  program_commands out;
  if (!breach_.empty() || is_parked_ || is_concluded_)
    return out;
  is_halted_ = true;
  drop_save(out);
  if (how == halt_mode::kill) {
    is_killed_ = true;
    if (ends_by_ && now + most_clock_lead >= *ends_by_)
      note_late();
    end_program(out);
    if (copy_ != copy_stage::none || saves_ > 0)
      out.emplace_back(program_cmd::drop_saves{});
    return out;
  }
  is_ending_ = true;
  wants_exports_ = wants_exports_ || exports;
  // In the middle of a step the program is told at its next report.
  const auto can_be_told = awaits_answer_ && copy_ == copy_stage::none;
  if (!is_first() || can_be_told || plan_.is_read)
    stop(now, out);
  return out;
}

/// Ends the program in order: it is told, and signalled only once its time is over.
void program_attempt::stop(instant now, program_commands& out) {
  awaits_answer_ = false;
  // The program is being killed already: its last report changes nothing about that.
  if (is_killed_)
    return;
  is_ending_ = true;
  if (plan_.is_read || plan_.is_mute)
    return end_program(out);
  out.emplace_back(program_cmd::stop{wants_exports_});
  arm(now, out);
}

/// Starts the time that the program has to end. Further reports gain it no more time.
void program_attempt::arm(instant now, program_commands& out) {
  if (!ends_by_)
    end_in(time_to_end(), now, out);
}

/// Time that the program has to end before SIGTERM; 0 = as long as it takes. Exports have a limit
/// of their own in any case.
std::chrono::nanoseconds program_attempt::time_to_end() const {
  if (!is_first())
    return wait_of_rank;
  const auto exports = wants_exports_ || announced_export_;
  return plan_.stop_grace + (exports ? plan_.export_time : std::chrono::nanoseconds{0});
}

void program_attempt::end_in(std::chrono::nanoseconds wait, instant now, program_commands& out) {
  if (wait.count() == 0)
    return;
  ends_by_ = now + wait;
  out.emplace_back(program_cmd::wake{wait});
}

program_commands program_attempt::exports(instant now) {
  program_commands out;
  if (ends_by_ || !plan_.has_exports)
    return out;
  announced_export_ = true;
  // The program gets no more time than one that is told to export.
  end_in(time_to_end(), now, out);
  out.emplace_back(program_cmd::announce_export{});
  return out;
}

program_commands program_attempt::woken(instant now) {
  program_commands out;
  if (is_parked_ || !ends_by_ || now < *ends_by_)
    return out;
  note_late();
  end_program(out);
  return out;
}

void program_attempt::note_late() {
  late_export_ = wants_exports_ || announced_export_;
  late_stop_ = is_first() && is_ending_ && !late_export_;
}

program_commands program_attempt::breaks_protocol(const std::string& why) {
  // A checkpoint is still to come from a program that is to pause, and was not signalled.
  const auto must_save = save_ == save_stage::writing && !is_halted_;
  if ((!is_ending_ || must_save) && !is_killed_ && breach_.empty())
    breach_ = "broke the command protocol: " + why;
  program_commands out;
  end_program(out);
  return out;
}

void program_attempt::end_program(program_commands& out) const {
  if (!is_parked_ && !is_gone_)
    out.emplace_back(program_cmd::end_program{});
}

program_commands program_attempt::gone() {
  program_commands out;
  is_gone_ = true;
  conclude_if_settled(out);
  return out;
}

void program_attempt::conclude_if_settled(program_commands& out) {
  if (!is_gone_ || copy_ != copy_stage::none || saves_ > 0 || is_concluded_)
    return;
  is_concluded_ = true;
  out.emplace_back(program_cmd::conclude{});
}

} // namespace tune
