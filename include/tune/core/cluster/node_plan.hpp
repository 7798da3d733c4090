/// The allocations of one node: which of them begin, run, end, and are reported to the head.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/core/cluster/allocation_stage.hpp"
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

/// The commands that tell a node what to do about its allocations.
namespace node_cmd {

/// Fetch the job and its files; answer with `job_found` or `job_missing`.
struct fetch {
  std::string job;
};
/// Make ready what the allocation needs and start its trainable; answer with `started` or
/// `not_started`.
struct prepare {
  lease_id lease;
};
/// The trial speaks from another place: hand over everything that it has not heard.
struct meet {
  lease_id lease;
};
/// Tell the trainable to end at once; answer with `gone`.
struct kill {
  lease_id lease;
};
/// The reason why a node is not ready for an allocation.
struct not_ready {
  /// Text for people; names neither the node nor the trial.
  std::string why;
  /// True if the shortage may pass in a moment: processes, descriptors, memory.
  bool is_passing = false;
};
/// Tell the head that the node is not ready for the allocation. Precedes the end of its attempt.
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
/// Answer with `heard` once the trial has heard everything from its attempt.
struct await_hearing {
  lease_id lease;
};
/// Tell the head, unless it is out of reach, that the allocation is free.
struct report_over {
  lease_id lease;
};
/// Nothing more is said of the allocation: forget its contact.
struct forget {
  lease_id lease;
};
/// Nothing of the job runs here any more, and the job is over: its fetched files may be removed.
struct leave_job {
  std::string job;
};
/// Drop the checkpoints that trials paused with in memory: the head counts on none of them.
struct drop_pauses {};
/// The node may speak: its head has said which allocations go on.
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

/// The node's own account of itself when it returns to its head.
struct node_holdings {
  /// The session in which this node first arrived. A process whose node ended everything and began
  /// anew gives a different one: nothing that the head launched there is left.
  std::uint64_t incarnation = 0;
  /// Number of the last launch that reached the node.
  std::uint64_t turn = 0;
  /// The allocations of these launches that are not over, in order.
  std::vector<lease_id> leases;
};

/// The rules of a node, as a value: events in, commands out. It has no clock and no connection.
///
/// Its promise: **a launch begins once.** The head numbers its launches on each node (`turn`) and
/// repeats those that may not have arrived. A repeated launch that is known here goes on; an
/// earlier one that is no longer known is over, and the head is told so.
class node_plan {
public:
  struct settings {
    std::string name;
    /// True if the head is elsewhere: there are sessions, and an end counts once it was heard.
    bool is_remote = false;
    /// True if unknown jobs can be fetched.
    bool fetches_jobs = false;
    /// The session in which the node arrives; 0 if there are no sessions.
    std::uint64_t session = 0;
  };

  struct order {
    lease_id lease;
    attempt_id attempt;
    std::string job;
    /// Number of this launch among the head's launches on this node, from 1.
    std::uint64_t turn = 0;
    /// The session for which the order is meant.
    std::uint64_t session = 0;
  };

  explicit node_plan(settings how);

  // -- From the head.

  /// @param may_speak Whether the session lease of this node runs. Otherwise nothing begins: the
  ///                  head asks again when the node is back.
  [[nodiscard]] node_commands launch(const order& what, bool may_speak);
  /// The allocation is no longer wanted.
  [[nodiscard]] node_commands revoke(lease_id which);
  /// The head counts on these allocations and on no others.
  /// @param is_new True if the head knows nothing of what this node had before.
  [[nodiscard]] node_commands keep_only(std::uint64_t session, const std::vector<lease_id>& kept,
                                        bool is_new);
  /// The job is over: no further order for it comes.
  [[nodiscard]] node_commands end_job(const std::string& job);

  // -- From the node itself.

  /// The node returns to its head in another session: messages of earlier sessions no longer count.
  [[nodiscard]] node_holdings rejoin(std::uint64_t session);
  [[nodiscard]] node_holdings holdings() const;
  [[nodiscard]] std::uint64_t incarnation() const { return how_.session; }
  void know(const std::string& job) { known_jobs_.insert(job); }
  [[nodiscard]] node_commands job_found(const std::string& job);
  [[nodiscard]] node_commands job_missing(const std::string& job, const node_cmd::not_ready& why);
  /// The trainable of the allocation exists. It is told to end if it is no longer wanted.
  [[nodiscard]] node_commands started(lease_id which);
  /// The allocation is about to begin. @returns whether it is still wanted.
  [[nodiscard]] bool is_wanted(lease_id which) const;
  /// The node is not ready for the allocation, which is not the trial's fault. Also called if this
  /// shows in the first moment of its trainable, which is then gone.
  [[nodiscard]] node_commands not_ready(lease_id which, const node_cmd::not_ready& why);
  /// Files that were fetched for its job are missing. They are fetched once more for each
  /// allocation; if that does not help, the node is not ready for it.
  [[nodiscard]] node_commands files_gone(lease_id which, const std::string& why);
  /// The allocation does not begin, for a reason that lies in the attempt itself.
  [[nodiscard]] node_commands not_begun(lease_id which, end_class how, const std::string& why);
  /// The trainable is gone, and with it its thread or process.
  [[nodiscard]] node_commands gone(lease_id which);
  [[nodiscard]] node_commands heard(lease_id which);
  /// The node takes no more allocations, and quits when all have ended.
  [[nodiscard]] node_commands leave();
  /// The node hands back what runs, ends it and quits. An attempt that ends on the way is not a
  /// failure.
  [[nodiscard]] node_commands drain();

  [[nodiscard]] allocation_stage stage_of(lease_id which) const;
  [[nodiscard]] bool is_draining() const { return draining_; }
  /// Number of allocations that are not absent.
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  /// "node NAME is not ready for it: WHY".
  [[nodiscard]] std::string text_of_refusal(const std::string& why) const;

private:
  struct allocation {
    order what;
    allocation_stage at = allocation_stage::absent;
    /// The head has given it up: nothing more is said of it.
    bool is_given_up = false;
    bool is_fetched_anew = false;
  };
  using allocations = std::map<lease_id, allocation>;

  settings how_;
  std::uint64_t session_;
  std::uint64_t turn_ = 0;
  allocations all_;
  std::set<std::string> known_jobs_;
  /// Jobs that are over but still have something running.
  std::set<std::string> over_;
  /// Epoch of the newest head that launched something, by job.
  std::map<std::string, std::uint32_t> epochs_;
  /// Number of allocations that the head has given up.
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
