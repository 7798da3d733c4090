/// The allocations of one node: which of them begin, run, end and are told to the head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/ids.hpp"
#include "tune/core/trial/end_class.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace tune {

/// How far an allocation has come on its node.
///
///              order           found          started         gone           heard
///   absent ------> fetching ------> preparing ------> running ------> closing ------> absent
///      |              ^                |                 |               ^
///      | order        | room           | unwanted        | unwanted      | gone
///      +--------> blocked              v      started    v               |
///                                  cancelled ---------> ending ----------+
///
/// Where nothing has to be fetched, an order leads to `preparing` at once. What cannot begin, for
/// whatever reason, goes to `closing`; what is unwanted before it began to `absent`.
enum class allocation_stage : std::uint8_t {
  /// Nothing of it is here.
  absent,
  /// The files of its job are on their way.
  fetching,
  /// It waits until all is gone that the head has given up.
  blocked,
  /// Its checkpoint is brought and its trainable is started.
  preparing,
  /// Like `preparing`, but nobody wants it any more.
  cancelled,
  /// Its trainable runs.
  running,
  /// Its trainable was told to end.
  ending,
  /// Its trainable is gone, and the head may not have heard of its end yet.
  closing,
};

/// What happens to an allocation.
enum class allocation_event : std::uint8_t {
  /// The head asks for it; its job is not here, or is.
  ordered,
  ordered_ready,
  /// The head asks for it while others have to go first.
  ordered_blocked,
  /// The files of its job are here.
  found,
  /// All is gone that the head had given up.
  room,
  /// Its trainable runs, or never will.
  started,
  not_started,
  /// What was brought for its job is not there any more.
  files_gone,
  /// Nobody wants it any more.
  unwanted,
  /// Its trainable is gone.
  gone,
  /// The head has heard of its end.
  heard,
};

/// Where `event` leads; the stage itself where it changes nothing. Total.
[[nodiscard]] allocation_stage next(allocation_stage from, allocation_event what);

[[nodiscard]] std::string_view to_text(allocation_stage x);

/// What a node has to do about its allocations.
namespace node_cmd {

/// Bring the job and its files; answer with `job_found` or `job_missing`.
struct fetch {
  std::string job;
};
/// Make ready what the allocation needs and start its trainable; answer with `started` or
/// `not_started`.
struct prepare {
  lease_id lease;
};
/// Its trial speaks from another place: hand over what it has not heard.
struct meet {
  lease_id lease;
};
/// Tell the trainable to end at once; answer with `gone`.
struct kill {
  lease_id lease;
};
/// Why a node is not ready for an allocation.
struct not_ready {
  /// In words for people; they name neither node nor trial.
  std::string why;
  /// The node may have again in a moment what it lacks: processes, descriptors, memory.
  bool is_passing = false;
};
/// Tell the head that the node is not ready for it. Comes before the end of its attempt.
struct decline {
  lease_id lease;
  not_ready what;
};
/// Tell the trial that its attempt is over.
struct tell_end {
  lease_id lease;
  end_class how = end_class::preempted;
  std::string why;
};
/// Answer with `heard` once the trial has heard all of its attempt.
struct await_hearing {
  lease_id lease;
};
/// Tell the head, unless it is out of reach, that the allocation is free.
struct report_over {
  lease_id lease;
};
/// Nothing is said of the allocation any more: forget whom to speak with.
struct forget {
  lease_id lease;
};
/// Nothing of the job runs here any more, and it is over: what was brought for it may go.
struct leave_job {
  std::string job;
};
/// What trials paused with in memory goes: the head counts on none of it.
struct drop_pauses {};
/// The node may speak: its head has said what goes on.
struct open {};
/// Nothing is left to do.
struct quit {};

} // namespace node_cmd

using node_command
    = std::variant<node_cmd::fetch, node_cmd::prepare, node_cmd::meet, node_cmd::kill,
                   node_cmd::decline, node_cmd::tell_end, node_cmd::await_hearing,
                   node_cmd::report_over, node_cmd::forget, node_cmd::leave_job,
                   node_cmd::drop_pauses, node_cmd::open, node_cmd::quit>;
using node_commands = std::vector<node_command>;

/// What a node says of itself when it comes back to its head.
struct node_holdings {
  /// The session in which this node came in first. A process whose node ended everything and began
  /// anew says another one: nothing of what the head launched there is left.
  std::uint64_t incarnation = 0;
  /// Launches up to this one reached it.
  std::uint64_t turn = 0;
  /// The allocations of these that are not over, in order.
  std::vector<lease_id> leases;
};

/// The rules of a node, as a value: events in, commands out. It has no clock and no connection.
///
/// Its promise: **a launch begins once.** The head numbers its launches on each node (`turn`) and
/// repeats those that may not have arrived. A repeated launch that is known here goes on; one that
/// came before and is not known is over, and the head is told so.
class node_plan {
public:
  struct settings {
    std::string name;
    /// Its head is elsewhere: there are sessions, and an end counts when it was heard.
    bool is_remote = false;
    /// Jobs that are not known can be asked for.
    bool fetches_jobs = false;
    /// The session in which it comes in; 0 where there are none.
    std::uint64_t session = 0;
  };

  struct order {
    lease_id lease;
    attempt_id attempt;
    std::string job;
    /// Counts what the head launches on this node, from 1.
    std::uint64_t turn = 0;
    /// The session for which it is meant.
    std::uint64_t session = 0;
  };

  explicit node_plan(settings how);

  // -- From the head.

  /// @param may_speak Whether the lease of this node runs. Otherwise nothing begins: the head asks
  ///                  again when the node is back.
  [[nodiscard]] node_commands launch(const order& what, bool may_speak);
  /// Nobody wants it any more.
  [[nodiscard]] node_commands revoke(lease_id which);
  /// The head counts on these allocations and on no others.
  /// @param is_new It knows nothing of what this node had before.
  [[nodiscard]] node_commands keep_only(std::uint64_t session, const std::vector<lease_id>& kept,
                                        bool is_new);
  /// No more of this job comes.
  [[nodiscard]] node_commands end_job(const std::string& job);

  // -- From the node itself.

  /// It comes back to its head in another session: what comes of those before counts no more.
  [[nodiscard]] node_holdings rejoin(std::uint64_t session);
  [[nodiscard]] node_holdings holdings() const;
  [[nodiscard]] std::uint64_t incarnation() const { return how_.session; }
  void know(const std::string& job) { known_jobs_.insert(job); }
  [[nodiscard]] node_commands job_found(const std::string& job);
  [[nodiscard]] node_commands job_missing(const std::string& job, const node_cmd::not_ready& why);
  /// Its trainable is there. One that nobody wants any more is told to end.
  [[nodiscard]] node_commands started(lease_id which);
  /// The allocation is to be begun now. @returns whether it is still wanted.
  [[nodiscard]] bool is_wanted(lease_id which) const;
  /// The node is not ready for it: none of the trial's fault. Also where that shows in the first
  /// moment of its trainable, which is gone then.
  [[nodiscard]] node_commands not_ready(lease_id which, const node_cmd::not_ready& why);
  /// Files that were brought for its job are gone. They are fetched once more for each allocation;
  /// where that does not help, the node is not ready for it.
  [[nodiscard]] node_commands files_gone(lease_id which, const std::string& why);
  /// It does not begin, for a reason that is the attempt's own.
  [[nodiscard]] node_commands not_begun(lease_id which, end_class how, const std::string& why);
  /// Its trainable is gone, and with it its thread or process.
  [[nodiscard]] node_commands gone(lease_id which);
  [[nodiscard]] node_commands heard(lease_id which);
  /// It takes no more, and quits when all has ended.
  [[nodiscard]] node_commands leave();
  /// It hands back what runs, ends it and quits. How it ends on the way is nobody's failure.
  [[nodiscard]] node_commands drain();

  [[nodiscard]] allocation_stage stage_of(lease_id which) const;
  [[nodiscard]] bool is_draining() const { return draining_; }
  /// Allocations that are not absent.
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  /// "node NAME is not ready for it: WHY".
  [[nodiscard]] std::string text_of_refusal(const std::string& why) const;

private:
  struct allocation {
    order what;
    allocation_stage at = allocation_stage::absent;
    /// The head has given it up: nothing is said of it any more.
    bool is_given_up = false;
    bool is_fetched_anew = false;
  };
  using allocations = std::map<lease_id, allocation>;

  settings how_;
  std::uint64_t session_;
  std::uint64_t turn_ = 0;
  allocations all_;
  std::set<std::string> known_jobs_;
  /// Jobs that are over while something of them still runs.
  std::set<std::string> over_;
  /// The newest head that launched something of each job.
  std::map<std::string, std::uint32_t> epochs_;
  /// Allocations that the head has given up.
  std::size_t given_up_ = 0;
  bool leaving_ = false;
  bool draining_ = false;

  void admit(allocation& what, node_commands& out);
  void refuse(allocation& what, const std::string& why, node_commands& out);
  void take_job(allocation& what, node_commands& out);
  void settle(lease_id which, end_class how, const std::string& why, node_commands& out);
  void close(lease_id which, node_commands& out);
  void free(lease_id which, node_commands& out);
  void erase(lease_id which, node_commands& out);
  void give_up(lease_id which, node_commands& out);
  void admit_blocked(node_commands& out);
  void leave_job(const std::string& job, node_commands& out);
  void quit_if_done(node_commands& out) const;
  [[nodiscard]] bool is_stale(const order& what) const;
  [[nodiscard]] std::vector<lease_id> in_stage(allocation_stage at, const std::string& job) const;
};

} // namespace tune
