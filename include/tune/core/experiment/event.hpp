/// The events of an experiment: its log, and its only input.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/resource/ledger.hpp"
#include "tune/core/schedule/action.hpp"
#include "tune/core/search/searcher.hpp"
#include "tune/core/trial/end_class.hpp"
#include "tune/core/trial/report.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tune {

/// How a head begins.
enum class opening : std::uint8_t {
  at_once,
  /// Nothing is done before `on::gathered`: events that say what is to run come before it.
  gathers,
};

/// How the location of a checkpoint begins that an external executor keeps: there is no directory.
inline constexpr std::string_view kept_outside = "executor:";

/// How the location of a checkpoint begins that lies in the memory of the node that wrote it, and
/// lives no longer than that node and its head. What follows is as on disk.
inline constexpr std::string_view kept_in_memory = "memory:";

/// How the reason of a trial begins that was drawn ahead and taken back, since fewer samples are
/// wanted now.
inline constexpr std::string_view withdrawn_reason = "withdrawn before it began: ";

/// What became of one format in which a trainable was to export what it has learned.
struct exported_format {
  std::string format;
  /// A file or directory, relative to the experiment's directory; empty: there is none.
  std::string path;
  /// Why there is none.
  std::string why;
};

namespace on {

/// How rules draw and judge: what they said under a head of an earlier version must come out again
/// when its record is read.
///
/// 0: exploits were drawn by the event that was judged. 1: by what is drawn about.
/// `judged_afresh`: besides, retention keeps the checkpoint of the best report, not the newest of
/// the best trial; a donor of `pbt` gives its newest checkpoint; `median_stopping` stops trials
/// without any number; reaching `max_t` is completion; superfluous samples are withdrawn.
/// `ends_whole`: besides, a trial that completes while it does not run, or whose node or head is
/// lost before its export or its last checkpoint is safe, gets an attempt that makes them.
/// `due_at_end`: besides, a trial that completes where a checkpoint is due is saved first.
/// `keeps_places`: besides, what ran, or waited for resources, when the last head went is chosen
/// anew where it stood, before all that was drawn since.
/// `names_who_ends`: besides, what a condition for the whole experiment ends says which trial met
/// it.
/// `dooms_all_named`: besides, what an attempt was restoring from a node's memory goes when its
/// head is lost, and nothing is named in `checkpoints_doomed` that stays.
/// `answers_stalls_anew`: besides, what the scheduler says of a stall counts only where nothing has
/// happened since it was asked; a checkpoint that a trial took over may be its best once an attempt
/// has begun from it, its own before it where both are equally good; reasons of plateaus have six
/// digits.
/// `names_first_failure`: besides, the reason of a `fail_fast` names the trial that failed, and the
/// first trial is warned of that ends by itself without the checkpoint that `at_end` asks for.
/// `heeds_clients`: besides, trials that the scheduler lets wait do not keep the searcher from
/// being asked; ASHA's promotion form lets a trial go on that a client wants to; ASHA and
/// `median_stopping` judge a trial afresh that a client begins from scratch; the searcher is told a
/// trial's last report with the configuration that it was made with.
inline constexpr std::uint32_t judged_afresh = 2;
inline constexpr std::uint32_t ends_whole = 3;
inline constexpr std::uint32_t due_at_end = 4;
inline constexpr std::uint32_t keeps_places = 5;
inline constexpr std::uint32_t names_who_ends = 6;
inline constexpr std::uint32_t dooms_all_named = 7;
inline constexpr std::uint32_t answers_stalls_anew = 8;
inline constexpr std::uint32_t names_first_failure = 9;
inline constexpr std::uint32_t heeds_clients = 10;
inline constexpr std::uint32_t present_draws = heeds_clients;

/// A head took the experiment over. First event of each epoch.
struct opened {
  std::uint32_t epoch = 1;
  std::string build;
  /// The whole configuration as JSON.
  std::string spec;
  std::uint64_t seed = 0;
  opening how = opening::at_once;
  /// How this head's rules draw and judge: `present_draws`, or less for a head of an earlier
  /// version.
  std::uint32_t draws = 0;
};
/// Configurations were asked for.
struct suggest_asked {
  std::uint64_t ask = 0;
  std::uint32_t count = 1;
  drafting drafts = drafting::none;
  /// See `ask::trial`.
  std::optional<trial_id> trial = {};
};
/// The searcher answered an ask.
struct suggested {
  std::uint64_t ask = 0;
  proposal what;
};
/// The scheduler answered reports, or a stall. A batch of answers is one event.
struct decided {
  std::vector<decision> answers;
};
/// The scheduler chose what runs next.
struct chosen {
  choice what;
};
/// The cluster granted a trial's request: an attempt opens. Or a trial is given anew that ran under
/// an earlier head and was left open: that attempt ends interrupted, and another opens.
struct placed {
  trial_id trial;
  attempt_id attempt;
  lease what;
};
/// The cluster granted the request of a trial whose configuration is a draft: `placed` follows once
/// that has been thought over.
struct granted {
  trial_id trial;
  lease what;
};
/// The cluster can never grant the trial's request.
struct place_refused {
  trial_id trial;
  std::string why;
};
/// The trainable is set up (and restored): it trains. Or it has done so, and says that it exports.
struct started {
  trial_id trial;
  attempt_id attempt;
  std::int64_t pid = 0;
  /// It exports of its own accord, as its node limits: it makes progress without reports.
  bool exports = false;
};
/// The trainable reported. Rows of `results` are these events.
struct reported {
  std::shared_ptr<const report> what;
};
/// A checkpoint was written and is safe on disk: it is registered by this event.
struct saved {
  trial_id trial;
  attempt_id attempt;
  /// As in `cmd::save`, or the next number where the trainable handed one over unasked: the engine
  /// fills it in.
  checkpoint_id checkpoint;
  std::uint64_t iteration = 0;
  std::chrono::nanoseconds time_total{0};
  /// Relative to the experiment's directory; of one that somebody outside keeps: `kept_outside` and
  /// what that somebody calls it.
  std::string location;
  std::uint64_t bytes = 0;
};
struct save_failed {
  trial_id trial;
  attempt_id attempt;
  /// As in `cmd::save`; 0 where the trainable handed one over unasked that could not be taken over.
  checkpoint_id checkpoint;
  std::string why;
  /// Of one that was handed over unasked: it came with the report of this iteration.
  std::uint64_t iteration = 0;
  /// It need not be asked again: it saves by itself, with its reports, or never.
  bool unable = false;
};
/// A registered checkpoint could not be restored; an older one will be tried.
struct checkpoint_bad {
  trial_id trial;
  attempt_id attempt;
  checkpoint_id checkpoint;
  std::string why;
};
/// These checkpoints are given to nobody any more: their directories go once this is on disk.
struct checkpoints_doomed {
  std::vector<checkpoint_id> which;
};
/// The directory of a doomed checkpoint is removed.
struct checkpoint_gone {
  checkpoint_id checkpoint;
};
/// What a trainable was asked to export at the end of its trial is safe on disk, or will never be.
struct exported {
  trial_id trial;
  /// None: no attempt can make it any more.
  attempt_id attempt;
  /// The directory they lie in, relative to the experiment's; empty: nothing was exported.
  std::string location;
  std::uint64_t bytes = 0;
  /// All that were asked for, in that order.
  std::vector<exported_format> formats;
};
/// The attempt is over: its processes are gone.
struct ended {
  trial_id trial;
  attempt_id attempt;
  end_class how = end_class::finished;
  /// Text of the error, or what is worth knowing.
  std::string detail;
  /// Exit status of the process, where there was one; negative: the signal.
  std::optional<std::int32_t> exit_status;
  /// All of its reports came at once, as it ended: whatever was decided saved nothing.
  bool came_late = false;
};
/// A node offers resources, or changed them.
struct node_up {
  std::string node;
  resources capacity;
};
struct node_down {
  std::string node;
  std::string why;
};
/// A node is about to go: it takes no more, and what runs there has a little time left.
struct node_leaving {
  std::string node;
};
/// A client wants a trial, or everything, to end.
struct stop_asked {
  /// None: all trials.
  std::optional<trial_id> trial;
  std::string why;
};
/// A client wants a trial to give its resources back until it is told to go on, or nothing more to
/// be started.
struct pause_asked {
  /// None: no further trial begins; those that run go on.
  std::optional<trial_id> trial;
};
/// A client takes such a wish back.
struct unpause_asked {
  std::optional<trial_id> trial;
};
/// A client wants a configuration of its own to be tried.
struct add_asked {
  /// Names the wish, so that it is granted once however often it comes. May be empty: each counts.
  std::string key;
  config_ptr config;
};
/// A client, or a head that goes on, wants a trial that has ended to run again.
struct retry_asked {
  trial_id trial;
  /// What it had when it ended: the experiment keeps no configurations of trials that have.
  config_ptr config;
  std::string origin;
  /// Forget its checkpoints, and judge it afresh.
  bool from_scratch = false;
};
/// The head said what it wants to run again: now it begins. See `opening::gathers`.
struct gathered {
  /// It runs nothing but that, and what clients ask for while it runs.
  bool only = false;
};
/// The run must leave off in order and stay resumable (Ctrl-C, SIGTERM).
struct interrupted {
  std::string why;
};
/// Time passed and something was due.
struct ticked {
  enum class due : std::uint8_t {
    time_limit,
    progress_timeout,
    stop_grace,
    retry,
    ask_again,
    kill_time,
    draft
  };
  due what = due::time_limit;
  /// Whom it concerns; unused for `time_limit` and `ask_again`.
  trial_id trial;
};

} // namespace on

using event_body
    = std::variant<on::opened, on::suggest_asked, on::suggested, on::decided, on::chosen,
                   on::placed, on::place_refused, on::started, on::reported, on::saved,
                   on::save_failed, on::checkpoint_bad, on::ended, on::node_up, on::node_down,
                   on::stop_asked, on::interrupted, on::ticked, on::checkpoints_doomed,
                   on::checkpoint_gone, on::pause_asked, on::unpause_asked, on::add_asked,
                   on::retry_asked, on::gathered, on::exported, on::node_leaving, on::granted>;

/// One event with its place in the log and its time.
struct event {
  sequence seq = 0;
  instant at{0};
  event_body what;
};

/// "opened", "suggest_asked", "suggested", … as stored in the log.
[[nodiscard]] std::string_view name_of(const event_body& x);

} // namespace tune
