/// Implementation of `experiment`: its state, and what each event does to it.
///
/// One file per chapter: machine_supply (asks for suggestions and choices), machine_drafts (drafts
/// are reconsidered), machine_place (attempts begin), machine_report (reports), machine_save
/// (saves, pauses), machine_keep (which checkpoints stay), machine_decide (verdicts),
/// machine_client (orders of clients), machine_end (attempts and trials end), machine_open_end
/// (exports and checkpoints made after the end), machine_time (deadlines), machine_state (views
/// from outside), machine_describe (fingerprints).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "best_so_far.hpp"
#include "census.hpp"
#include "checkpoint_book.hpp"
#include "client_wishes.hpp"
#include "cluster_offer.hpp"
#include "deadline_book.hpp"
#include "head_terms.hpp"
#include "notices.hpp"
#include "open_end_queue.hpp"
#include "repeated_runs.hpp"
#include "run_clocks.hpp"
#include "run_ending.hpp"
#include "sample_book.hpp"
#include "scheduler_questions.hpp"
#include "searcher_dialogue.hpp"
#include "trial_table.hpp"

#include "tune/core/experiment/experiment.hpp"
#include "tune/core/experiment/lost_pauses.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace tune {

/// What the machine knows of scheduler, searcher and stop conditions.
struct machine_rules {
  scheduler_traits scheduler;
  searcher_traits searcher;
  std::vector<std::unique_ptr<stopper>> stoppers;
};

class machine {
public:
  machine(experiment_settings settings, scheduler_traits scheduler, searcher_traits searcher,
          std::vector<std::unique_ptr<stopper>> stoppers);

  std::vector<command> apply(const event& what);

  // machine_state
  void go_by(rule_change what);
  [[nodiscard]] std::optional<std::vector<command>> answer_known(const report& what) const;
  [[nodiscard]] bool is_stale(const event_body& what) const;
  [[nodiscard]] bool is_repeated(const open_attempt& attempt, const on::started& what) const;
  [[nodiscard]] std::optional<event_body> still_wanted(event_body what) const;
  [[nodiscard]] std::vector<command> outstanding() const;
  [[nodiscard]] order_verdict weigh(const event_body& what) const;
  [[nodiscard]] std::optional<cmd::launch> launch_of(trial_id id) const;
  [[nodiscard]] std::vector<std::pair<trial_id, attempt_id>> open_attempts() const;
  [[nodiscard]] std::optional<experiment::attempt_notes> notes_on(trial_id id) const;
  [[nodiscard]] experiment_view view() const;
  [[nodiscard]] std::optional<std::uint64_t> planned() const;
  [[nodiscard]] std::optional<trial_status> status_of(trial_id id) const;
  [[nodiscard]] attempt_id next_attempt() const { return head_.next_attempt(); }
  [[nodiscard]] event_body granted(trial_id id, lease what) const;
  [[nodiscard]] checkpoint_id next_checkpoint() const { return checkpoints_.next(); }
  [[nodiscard]] sequence last_seq() const { return seq_; }
  [[nodiscard]] bool is_finished() const { return ending_.is_finished(); }

  // machine_describe
  void describe(fingerprint& into) const;

  // machine_time
  [[nodiscard]] std::optional<instant> next_deadline() const;
  [[nodiscard]] std::vector<on::ticked> due(instant now) const;

private:
  using due_kind = on::ticked::due;

  // One overload per kind of event.
  void take(const on::opened& what);
  void take(const on::suggest_asked& what);
  void take(const on::suggested& what);
  void take(const on::decided& what);
  void take(const on::chosen& what);
  void take(const on::granted& what);
  void take(const on::placed& what);
  void take(const on::place_refused& what);
  void take(const on::started& what);
  void take(const on::reported& what);
  void take(const on::saved& what);
  void take(const on::save_failed& what);
  void take(const on::checkpoint_bad& what);
  void take(const on::checkpoints_doomed& what);
  void take(const on::checkpoint_gone& what);
  void take(const on::exported& what);
  void take(const on::ended& what);
  void take(const on::node_up& what);
  void take(const on::node_down& what);
  void take(const on::node_leaving& what);
  void take(const on::stop_asked& what);
  void take(const on::pause_asked& what);
  void take(const on::unpause_asked& what);
  void take(const on::add_asked& what);
  void take(const on::retry_asked& what);
  void take(const on::gathered& what);
  void take(const on::interrupted& what);
  void take(const on::ticked& what);

  // machine_supply: steps that follow from the state after any event.
  void settle();
  [[nodiscard]] bool wants_suggestions() const;
  [[nodiscard]] std::uint64_t supply() const;
  [[nodiscard]] std::uint32_t suggestions_wanted() const;
  [[nodiscard]] bool asks_in_batches() const;
  [[nodiscard]] std::uint64_t room_for_suggestions() const;
  [[nodiscard]] std::string waits_for() const;
  [[nodiscard]] bool waits_for_retries() const;
  [[nodiscard]] std::string rest_text() const;
  [[nodiscard]] std::uint32_t choices_wanted() const;
  [[nodiscard]] bool stands_still() const;
  live_trial* add_trial(const suggestion& what);
  live_trial& add_runs(const config_ptr& config);
  void introduce(const live_trial& trial);
  bool start(trial_id id);
  [[nodiscard]] bool has_all_samples() const;
  void finish(experiment_status status, std::string why);
  void finish_as_complete();
  void wait_for_searcher();
  void fit_samples();
  [[nodiscard]] std::string too_many_text(std::uint64_t limit) const;
  [[nodiscard]] bool withdraw_newest(const std::string& why);
  void revive_withdrawn();

  // machine_drafts
  [[nodiscard]] drafting drafts_wanted() const;
  [[nodiscard]] bool thinks_over(trial_id id) const;
  [[nodiscard]] std::optional<trial_id> next_draft() const;
  void watch_places();
  [[nodiscard]] bool is_sketch_open() const;
  [[nodiscard]] std::optional<instant> sketch_due() const;
  [[nodiscard]] bool is_sketch_due() const;
  [[nodiscard]] bool gives_up(const on::suggest_asked& next) const;
  [[nodiscard]] bool waited_for_cluster(const live_trial& trial) const;
  [[nodiscard]] instant draft_deadline(const live_trial& trial) const;
  void replace_draft(trial_id id, const on::suggested& what, sequence asked);
  void keep_draft(live_trial& trial);
  void begin_granted(live_trial& trial);
  [[nodiscard]] lease take_grant(live_trial& trial);
  void stop_waiting(live_trial& trial);
  void return_lease(live_trial& trial);
  void lose_grants(const std::string& node);
  void forget_grants();

  // machine_place
  void open(live_trial& trial, const on::placed& what);
  [[nodiscard]] bool is_left_open(const live_trial& trial) const;
  void take_over(live_trial& trial, const on::placed& what);
  void make_attempt(live_trial& trial, const on::placed& what);
  [[nodiscard]] bool goes_back(const live_trial& trial) const;
  void launch(live_trial& trial);
  [[nodiscard]] checkpoint_id newest_good(const live_trial& trial) const;
  /// Checkpoint that an attempt on this lease starts from.
  [[nodiscard]] checkpoint_id start_of(const live_trial& trial, const lease& where) const;
  /// Whether the trial would have to begin from scratch, and must not.
  [[nodiscard]] bool has_only_bad(const live_trial& trial) const;
  [[nodiscard]] bool lacks_objective(const live_trial& trial) const;
  [[nodiscard]] cmd::launch launch_of(const live_trial& trial) const;
  void begin_steps(live_trial& trial);

  // machine_report
  [[nodiscard]] std::shared_ptr<const report>
  with_measured(const std::shared_ptr<const report>& what) const;
  void judge_report(live_trial& trial);
  static void set_last(live_trial& trial, std::shared_ptr<const report> what);
  void count(live_trial& trial, const std::shared_ptr<const report>& what);
  [[nodiscard]] std::vector<needed_metric> needed_metrics() const;
  void note_best(live_trial& trial, const std::shared_ptr<const report>& what);
  void note_run(const live_trial& trial);
  void end_run(trial_id trial);
  void name_best_run();
  void set_best(trial_id trial, const best_report& what, merit how);
  void ask_verdict(live_trial& trial);
  [[nodiscard]] std::optional<stop_verdict> ask_stopper(stopper& whom, const report& about);
  [[nodiscard]] bool stop_condition(live_trial& trial);
  [[nodiscard]] std::vector<double> scores_of(const report& what) const;
  [[nodiscard]] bool has_diverged(const report& newest, outcome how) const;
  [[nodiscard]] double violation_of(const report& what) const;
  [[nodiscard]] double time_of(const report& what) const;
  void note_exports(const live_trial& trial, const on::exported& what);

  // machine_save
  /// Whether the attempt can be asked to save.
  [[nodiscard]] bool obeys(const open_attempt& attempt) const;
  bool want_checkpoint(live_trial& trial, bool then_pause);
  void begin_pause(live_trial& trial);
  bool pauses_here(live_trial& trial);
  void note_waiting(live_trial& trial);
  void begin_save(live_trial& trial, bool then_end);
  [[nodiscard]] cmd::save save_of(const live_trial& trial) const;
  [[nodiscard]] bool exports_at_end(const live_trial& trial) const;
  /// Whether the settings want a checkpoint at this iteration.
  [[nodiscard]] bool is_due(std::uint64_t iteration) const;
  [[nodiscard]] bool saves_at_end(const live_trial& trial) const;
  void pause_on_disk(live_trial& trial, const std::string& why);
  void settle_handover(live_trial& trial, std::uint64_t iteration, bool kept);
  void end_save(live_trial& trial);
  void halt_at_work(live_trial& trial, std::string why);
  void fail_pause(live_trial& trial, const std::string& why);
  [[nodiscard]] bool is_doubled(const open_attempt& attempt, const on::saved& what) const;
  [[nodiscard]] static bool is_doubled(const open_attempt& attempt, const on::save_failed& what);

  // machine_keep
  void borrow(trial_id who, checkpoint_id from);
  void note_bad(checkpoint_id id);
  void note_marks(open_attempt& attempt) const;
  [[nodiscard]] static report_marks marks_of(const open_attempt& attempt, checkpoint_id id,
                                             std::uint64_t iteration);
  [[nodiscard]] bool is_better(checkpoint_id one, checkpoint_id other) const;
  void offer_for_best(const live_trial& trial, checkpoint_id id);
  void find_best_checkpoint();
  [[nodiscard]] std::vector<checkpoint_id> all_of(trial_id trial) const;
  void go_on_from(const live_trial& trial, checkpoint_id others);
  void set_best_checkpoint(checkpoint_id id);
  [[nodiscard]] bool went_with_its_head(const open_attempt& attempt) const;
  [[nodiscard]] bool needs(trial_id who, checkpoint_id id) const;
  /// Whether the trial could go on from the checkpoint, now or later.
  [[nodiscard]] bool may_use(trial_id who, checkpoint_id id) const;
  [[nodiscard]] bool is_best_of_run(trial_id of, checkpoint_id id) const;
  [[nodiscard]] bool is_pinned(checkpoint_id id, const checkpoint_entry& x) const;
  [[nodiscard]] bool may_be_named(const checkpoint_entry& x) const;
  void review_named();
  void review(trial_id of);
  void review_all();
  void propose_to_doom(std::vector<checkpoint_id> which);
  void forget(checkpoint_id id, const checkpoint_entry& x);
  void keep_on_disk(live_trial& trial, checkpoint_id id, checkpoint_entry what);
  void set_aside(live_trial& trial, checkpoint_id id, checkpoint_entry what);
  void drop_aside(live_trial& trial);
  [[nodiscard]] lost_pauses::turn turn_after_loss(const live_trial& trial) const;
  void lose_aside(live_trial& trial, const std::string& how, lost_pauses::turn when,
                  lost_pauses& lost);
  void lose_asides_of(const std::string& node);
  void lose_all_asides();
  void leave_aside(live_trial& trial);
  void warn_of(const lost_pauses& lost, const std::string& how, bool is_of_one = false);

  // machine_decide
  [[nodiscard]] bool is_overtaken(const decision& answer) const;
  void take_answer(const decision& answer);
  [[nodiscard]] bool act(sequence cause, const action& what);
  [[nodiscard]] bool stops_already(const live_trial& trial) const;
  void stop_by(live_trial& trial, const stop& what, const object& reason);
  void reconfigure_by(live_trial& trial, const reconfigure& what);
  [[nodiscard]] bool awaits(const decision& answer) const;
  [[nodiscard]] bool allow_on(live_trial& trial, std::string reason = "unpaused");
  [[nodiscard]] bool exploit_into(live_trial& trial, const exploit& what);
  void set_intent(live_trial& trial, intent what);
  void forget_verdict(open_attempt& attempt);
  void enact(live_trial& trial);
  void proceed(live_trial& trial, std::uint64_t until);
  void halt(live_trial& trial, halt_mode how, std::string why);
  void bound_the_end(live_trial& trial);
  void hurry(live_trial& trial);
  [[nodiscard]] bool is_in_a_hurry(const live_trial& trial) const;
  void decide_stop(live_trial& trial, std::string why, fact::end_kind kind);

  // machine_client
  [[nodiscard]] order_verdict weigh_stop(trial_id id) const;
  [[nodiscard]] order_verdict weigh_pause(trial_id id) const;
  [[nodiscard]] order_verdict weigh_unpause(trial_id id) const;
  [[nodiscard]] order_verdict weigh_late(const event_body& what) const;
  [[nodiscard]] order_verdict weigh_all(const event_body& what) const;
  [[nodiscard]] order_verdict weigh_add(const on::add_asked& what) const;
  [[nodiscard]] order_verdict weigh_retry(trial_id id) const;
  void let_wake(live_trial& trial);
  void set_hold(live_trial& trial, hold to);
  void shelve(live_trial& trial);
  void hold_pending(live_trial& trial);
  void place(live_trial& trial);
  [[nodiscard]] std::vector<trial_id> awaiting() const;
  [[nodiscard]] cmd::halt halt_of(const live_trial& trial) const;
  [[nodiscard]] cmd::place place_of(const live_trial& trial) const;
  void suspend();
  void unsuspend();
  void settle_narrowed();
  void ask_for(live_trial& trial);
  void tell_of_rest();

  // machine_end
  void lose_offer(const std::string& node);
  void hand_back(live_trial& trial);
  void lose_node(trial_id id, const on::node_down& what);
  void leave_node(live_trial& trial);
  void give_up(live_trial& trial);
  void close_attempt(live_trial& trial, const on::ended& what, end_class how,
                     const std::string& detail);
  void after_attempt(live_trial& trial, end_class how, const std::string& detail);
  void warn_of_unsaved_end(const live_trial& trial);
  void fail(live_trial& trial, end_class how, const std::string& detail);
  [[nodiscard]] std::string fail_fast_reason(trial_id which, const std::string& detail) const;
  /// The end of an attempt as the trial is judged by it.
  struct attempt_end {
    end_class how = end_class::finished;
    std::string detail;
  };
  [[nodiscard]] attempt_end end_of(const live_trial& trial, const on::ended& what) const;
  void go_on_without_aside(live_trial& trial, const std::string& why);
  void take_over_due_exploit(live_trial& trial);
  void undo_exploit(live_trial& trial);
  void requeue(live_trial& trial, std::string reason, bool keeps_place = false);
  void tell_added(live_trial& trial, comeback how = comeback::last);
  void leave_queue(live_trial& trial);
  void end_trial(live_trial& trial, status_event event, std::string reason, fact::end_kind kind);
  void end_without_running(live_trial& trial, std::string reason, fact::end_kind kind);
  void tell_end(live_trial& trial, fact::end_kind kind);

  // machine_open_end: exports and checkpoints that are made after the end of a trial.
  [[nodiscard]] bool wants_export() const;
  [[nodiscard]] checkpoint_id last_kept(const live_trial& trial) const;
  [[nodiscard]] bool lacks_last_checkpoint(const live_trial& trial, std::uint64_t at) const;
  [[nodiscard]] bool leaves_end_open(const live_trial& trial, fact::end_kind kind) const;
  [[nodiscard]] bool loses_its_end(const live_trial& trial, end_class how) const;
  void open_the_end(live_trial& trial, std::string reason, fact::end_kind kind,
                    end_class how = end_class::preempted, const std::string& detail = {});
  void await_end(live_trial& trial);
  void place_open_ends();
  void begin_end(live_trial& trial);
  void report_at_end(live_trial& trial);
  void after_end(live_trial& trial, bool exported, end_class how, const std::string& detail);
  void give_up_end(live_trial& trial, std::string why);
  void close_the_end(live_trial& trial);
  [[nodiscard]] bool is_given_up(trial_id id) const;
  [[nodiscard]] static on::exported export_lost(const live_trial& trial,
                                                const std::vector<std::string>& formats);
  void note_refused_handover(live_trial& trial, const std::string& why);
  void warn_of_lost_save(const live_trial& trial, const std::string& which, const std::string& why);
  void note_missing_objective(const live_trial& trial, std::string& reason);
  void note_missing_checkpoint(const live_trial& trial, std::string& reason);
  void note_opening_failure(end_class how, const std::string& detail);
  [[nodiscard]] std::string opening_failure_reason(std::uint32_t count) const;
  void end_all(live_trial& trial, const std::string& why);
  void begin_drain(drain how);
  void drain_trial(live_trial& trial);

  // machine_time
  [[nodiscard]] bool has_trained_enough() const;
  void leave_off_in_time(bool is_queued);
  /// Whether the trial waits, after a failure, for the time to run again.
  [[nodiscard]] bool backs_off(const live_trial& trial) const {
    return deadlines_.has(trial.id, due_kind::retry);
  }

  // machine_describe: the parts of a fingerprint.
  void describe_trials(fingerprint& into) const;
  void describe_supply(fingerprint& into) const;
  void describe_clients(fingerprint& into) const;
  void describe_questions(fingerprint& into) const;
  void describe_notices(fingerprint& into) const;

  // Common.
  live_trial* live(trial_id id);
  [[nodiscard]] const live_trial* live(trial_id id) const;
  live_trial* live(trial_id id, attempt_id attempt);
  trial_entry& entry(trial_id id) { return trials_[id]; }
  [[nodiscard]] const trial_entry& entry_of(trial_id id) const { return trials_[id]; }
  standing& standing_of(const live_trial& x) { return trials_[x.id].stands; }
  [[nodiscard]] const standing& standing_of(const live_trial& x) const {
    return trials_[x.id].stands;
  }
  /// Changes the status through the one transition table. @returns whether it changed.
  bool move(live_trial& trial, status_event event);
  void emit(command_body what, sequence gate = 0);
  void tell_scheduler(decltype(scheduler_fact::what) what);
  void tell_searcher(const live_trial& trial, outcome how);
  void row(const live_trial& trial, std::string reason = {});
  /// Row of the trial's open attempt, as far as it is known while the attempt runs.
  [[nodiscard]] static cmd::attempt_changed attempt_row(const live_trial& trial);
  void note_decision(const live_trial& trial, std::string_view action, object reason);

  experiment_settings settings_;
  machine_rules rules_;

  sequence seq_ = 0;
  instant now_{0};
  head_terms head_;
  cluster_offer offer_;
  trial_table trials_;
  census census_;
  sample_book samples_;
  checkpoint_book checkpoints_;
  best_so_far best_;
  repeated_runs runs_;

  /// Requests for resources so far.
  std::uint64_t places_ = 0;
  open_end_queue open_ends_;
  client_wishes clients_;

  scheduler_questions asked_;
  searcher_dialogue dialogue_;
  idle_wait idle_;
  /// Trials whose drafts are reconsidered while they hold a lease, in that order.
  std::vector<trial_id> granted_;
  training_time training_;

  notices notices_;
  /// Failures of trials before any trial has reported.
  alike_failures opening_failures_;

  deadline_book deadlines_;
  run_ending ending_;

  std::vector<command> commands_;
};

} // namespace tune
