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

/// The way a head begins.
enum class opening : std::uint8_t {
  at_once,
  /// Nothing is done before `on::gathered`: the events before it say what is to run.
  gathers,
  /// An executor runs the trials, and they go on when a new head starts: waiting ones keep the
  /// order that they would have had without a break, and no place is kept.
  executed,
};

/// Prefix of a checkpoint's location if an external executor keeps it: there is no directory.
inline constexpr std::string_view kept_outside = "executor:";

/// Prefix of a checkpoint's location if it lies in the memory of the node that wrote it, and is
/// lost with that node or its head. The rest is as on disk.
inline constexpr std::string_view kept_in_memory = "memory:";

/// Prefix of the reason of a trial that was drawn ahead and withdrawn, since fewer samples are
/// wanted now.
inline constexpr std::string_view withdrawn_reason = "withdrawn before it began: ";

/// Outcome of one format in which a trainable was to export what it has learned.
struct exported_format {
  std::string format;
  /// A file or directory, relative to the experiment's directory; empty: there is no export.
  std::string path;
  /// The reason why there is no export.
  std::string why;
};

namespace on {

/// Versions of how rules draw and judge: replaying the record of an earlier head must give the
/// answers of its version again.
///
/// 0: draws of an exploit depended on the judged event. 1: they depend on the trial, and on its
/// lineage and iteration or the round.
/// `judged_afresh`: in addition, retention keeps the checkpoint of the best report, not the newest
/// of the best trial; a donor of `pbt` gives its newest checkpoint; `median_stopping` stops trials
/// without any number; reaching `max_t` is completion; superfluous samples are withdrawn.
/// `ends_whole`: in addition, a trial that completes while it does not run, or whose node or head
/// is lost before its export or its last checkpoint is safe, gets an attempt that makes them.
/// `due_at_end`: in addition, a trial that completes when a checkpoint is due is saved first.
/// `keeps_places`: in addition, trials that ran, or waited for resources, when the last head was
/// lost are chosen again in their old places, before everything drawn since.
/// `names_who_ends`: in addition, when a condition for the whole experiment ends it, the reason
/// names the trial that met it.
/// `dooms_all_named`: in addition, a checkpoint in a node's memory that an attempt was restoring is
/// removed when its head is lost, and `checkpoints_doomed` names nothing that stays.
/// `answers_stalls_anew`: in addition, the scheduler's answer to a stall counts only if nothing has
/// happened since it was asked; a checkpoint that a trial took over may be its best once an attempt
/// has begun from it, but its own one wins if both are equally good; reasons of plateaus have six
/// digits.
/// `names_first_failure`: in addition, the reason of a `fail_fast` names the trial that failed, and
/// a warning names the first trial that ends by itself without the checkpoint that `at_end` asks
/// for.
/// `heeds_clients`: in addition, trials that the scheduler does not name do not keep the searcher
/// from being asked; ASHA's promotion form runs a waiting trial that a client lets go on or
/// retries; ASHA and `median_stopping` judge a trial afresh that a client begins from scratch; the
/// searcher hears a trial's last report with the configuration that it was made with.
/// `forgets_lineages`: in addition, a trial that is retried goes on from no checkpoint of before a
/// retry from scratch.
/// `bounds_model_waits`: in addition, a free place that has waited for a model for `max_wait` gets
/// a configuration that is drawn at once; if the searcher ended the experiment, the reason is the
/// searcher's.
/// `keeps_ends`: in addition, a head that finds nothing left to run leaves the experiment's end as
/// it was, and a reason that counts failures in a row says if they are those since a resume.
/// `sees_last_reports`: in addition, conditions of the experiment are looked at for a trial's last
/// report, too, which says that it is done.
/// `undoes_exploits`: in addition, a trial whose donor's checkpoint turns out to be bad before it
/// has trained from that goes on with its own configuration.
/// `folds_failures`: in addition, failures in a row are compared by `failure_form`, and a single
/// one that ends the experiment is not said to be alike. `says_lowest`: in addition, the reason of
/// an experiment's plateau says whether it is the lowest or the highest values, and that of a
/// withdrawn sample counts a single one as one. `clones_named`: in addition, no trial goes on from
/// another's checkpoint that an executor kept without a name.
/// `notes_stops_once`: in addition, a stop of a trial that is to stop already is no decision of its
/// own, unless it ends the experiment. `forces_once`: in addition, `hyperband` and `hb_bohb` tell
/// no second verdict on a round that they had decided because nothing else could run.
/// `blames_nodes`: in addition, an attempt that was being ended for lack of progress when its node
/// was lost counts as lost with the node. `learns_divergence`: in addition, searchers hear which
/// trials diverged, and failures in a row that end the experiment are said to be the first only
/// where no others came before; iterations run again count where the trial never had a number.
inline constexpr std::uint32_t judged_afresh = 2;
inline constexpr std::uint32_t ends_whole = 3;
inline constexpr std::uint32_t due_at_end = 4;
inline constexpr std::uint32_t keeps_places = 5;
inline constexpr std::uint32_t names_who_ends = 6;
inline constexpr std::uint32_t dooms_all_named = 7;
inline constexpr std::uint32_t answers_stalls_anew = 8;
inline constexpr std::uint32_t names_first_failure = 9;
inline constexpr std::uint32_t heeds_clients = 10;
inline constexpr std::uint32_t forgets_lineages = 11;
inline constexpr std::uint32_t bounds_model_waits = 11;
inline constexpr std::uint32_t keeps_ends = 12;
inline constexpr std::uint32_t sees_last_reports = 12;
inline constexpr std::uint32_t undoes_exploits = 12;
inline constexpr std::uint32_t folds_failures = 13;
inline constexpr std::uint32_t says_lowest = 13;
inline constexpr std::uint32_t clones_named = 13;
inline constexpr std::uint32_t notes_stops_once = 14;
inline constexpr std::uint32_t forces_once = 14;
inline constexpr std::uint32_t blames_nodes = 15;
inline constexpr std::uint32_t learns_divergence = 15;
inline constexpr std::uint32_t present_draws = blames_nodes;

/// A head took the experiment over. First event of each epoch.
struct opened {
  std::uint32_t epoch = 1;
  std::string build;
  /// The whole configuration as JSON.
  std::string spec;
  std::uint64_t seed = 0;
  opening how = opening::at_once;
  /// Version of how this head's rules draw and judge: `present_draws`, or less for a head of an
  /// earlier version.
  std::uint32_t draws = 0;
  /// When, in Unix time, for those who date what is in the log; no rule reads it. 0: not told, as
  /// by heads of earlier versions.
  std::int64_t wall_ms = 0;
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
/// The scheduler chose the trials to run next.
struct chosen {
  choice what;
};
/// The cluster granted a trial's request: an attempt opens. Also: a trial that ran under an earlier
/// head and was left open is granted again: that attempt ends interrupted, and another opens.
struct placed {
  trial_id trial;
  attempt_id attempt;
  lease what;
};
/// The cluster granted the request of a trial whose configuration is a draft: `placed` follows once
/// the draft has been thought over.
struct granted {
  trial_id trial;
  lease what;
};
/// The cluster can never grant the trial's request.
struct place_refused {
  trial_id trial;
  std::string why;
};
/// The trainable is set up (and restored) and trains. If sent later: it now exports.
struct started {
  trial_id trial;
  attempt_id attempt;
  std::int64_t pid = 0;
  /// True if it exports of its own accord, within its node's limits: it makes progress without
  /// reports.
  bool exports = false;
};
/// The trainable reported. Rows of `results` are these events.
struct reported {
  std::shared_ptr<const report> what;
};
/// A checkpoint was written and is safe on disk: this event registers it.
struct saved {
  trial_id trial;
  attempt_id attempt;
  /// The id in `cmd::save`. For a checkpoint that the trainable handed over unasked the engine
  /// fills in the next number.
  checkpoint_id checkpoint;
  std::uint64_t iteration = 0;
  std::chrono::nanoseconds time_total{0};
  /// Relative to the experiment's directory. If an external executor keeps the checkpoint:
  /// `kept_outside`, followed by the executor's name for it.
  std::string location;
  std::uint64_t bytes = 0;
};
struct save_failed {
  trial_id trial;
  attempt_id attempt;
  /// The id in `cmd::save`; 0 if the trainable handed one over unasked that could not be taken
  /// over.
  checkpoint_id checkpoint;
  std::string why;
  /// For a checkpoint handed over unasked: iteration of the report that it came with.
  std::uint64_t iteration = 0;
  /// True if asking again is pointless: the trainable saves by itself, with its reports, or never.
  bool unable = false;
};
/// A registered checkpoint could not be restored; an older one will be tried.
struct checkpoint_bad {
  trial_id trial;
  attempt_id attempt;
  checkpoint_id checkpoint;
  std::string why;
};
/// These checkpoints are given to nobody any more: their directories are removed once this is on
/// disk.
struct checkpoints_doomed {
  std::vector<checkpoint_id> which;
};
/// The directory of a doomed checkpoint is removed.
struct checkpoint_gone {
  checkpoint_id checkpoint;
};
/// The exports that were requested of a trainable at the end of its trial are safe on disk, or will
/// never be.
struct exported {
  trial_id trial;
  /// None: no attempt can make the exports any more.
  attempt_id attempt;
  /// The directory of the exports, relative to the experiment's; empty: nothing was exported.
  std::string location;
  std::uint64_t bytes = 0;
  /// All requested formats, in the order of the request.
  std::vector<exported_format> formats;
};
/// The attempt is over: its processes are gone.
struct ended {
  trial_id trial;
  attempt_id attempt;
  end_class how = end_class::finished;
  /// Text of the error, or other useful details.
  std::string detail;
  /// Exit status of the process, where there was one; negative: the signal.
  std::optional<std::int32_t> exit_status;
  /// True if all of its reports came at once, as it ended: no decision about them saved anything.
  bool came_late = false;
  /// What the attempt has cost, by short names: see `cost_sheet`. Null: nothing is known.
  metrics_ptr costs = {};
};
/// A node offers resources, or changed its offer.
struct node_up {
  std::string node;
  resources capacity;
  /// Its labels and taints as people gave them: NAME=VALUE, and NAME or NAME=VALUE.
  std::vector<std::string> labels = {};
  std::vector<std::string> taints = {};
};
struct node_down {
  std::string node;
  std::string why;
  /// True if it did not go by itself: it was silent for too long, or killed. Heads of earlier
  /// versions did not say so.
  bool is_lost = false;
};
/// A node is about to leave: it takes no more, and programs running there have a little time left.
struct node_leaving {
  std::string node;
};
/// A client wants a trial, or everything, to end.
struct stop_asked {
  /// None: all trials.
  std::optional<trial_id> trial;
  std::string why;
};
/// A client wants a trial to give its resources back until it is told to go on, or no further trial
/// to begin.
struct pause_asked {
  /// None: no further trial begins; running ones go on.
  std::optional<trial_id> trial;
};
/// A client takes a `pause_asked` back.
struct unpause_asked {
  std::optional<trial_id> trial;
};
/// A client wants its own configuration to be tried.
struct add_asked {
  /// Names the request, so that it is granted once even if repeated. May be empty: then each
  /// request counts.
  std::string key;
  config_ptr config;
};
/// A client, or a head that resumes, wants a trial that has ended to run again.
struct retry_asked {
  trial_id trial;
  /// The trial's configuration when it ended: the experiment keeps none of ended trials.
  config_ptr config;
  std::string origin;
  /// Forget its checkpoints, and judge it from the beginning.
  bool from_scratch = false;
};
/// The head has named what it wants to run again: the experiment begins now. See
/// `opening::gathers`.
struct gathered {
  /// True if only that is to run, and whatever clients ask for in the meantime.
  bool only = false;
};
/// The run must stop in order and stay resumable (Ctrl-C, SIGTERM).
struct interrupted {
  std::string why;
};
/// Something is due because time has passed.
struct ticked {
  enum class due : std::uint8_t {
    time_limit,
    progress_timeout,
    stop_grace,
    retry,
    ask_again,
    kill_time,
    draft,
    free_place
  };
  due what = due::time_limit;
  /// The trial concerned; unused for `time_limit`, `ask_again` and `free_place`.
  trial_id trial;
  /// For `time_limit`: the experiment was in its head's queue all the time.
  bool is_queued = false;
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
