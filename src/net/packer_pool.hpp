/// The PACKERS of a checkpoint client, one for each job. Private to the checkpoint client.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "packer_actor.hpp"

#include "tune/actors/job_servers.hpp"

#include <memory>
#include <string>
#include <utility>

namespace tune {

/// A disk that stands still blocks one packer, and no other job. Lives in the state of its
/// checkpoint client, whose end also ends the packers.
class packer_pool {
public:
  void init(const checkpoint_client_settings& how) {
    own_thread_ = how.own_thread;
    limits_ = {how.piece_bytes, how.credit};
    copies_ = std::make_shared<shared_copies>(how.copy_bytes);
  }

  /// Returns the packer of a job, which serves no other job until the job ends.
  /// @errors `ec::shortage` if there is no thread for one now.
  template <class Self>
  expected<packer_actor> take(Self* self, const std::string& job) {
    return server_of(self, all_, job, own_thread_, [this, self] {
      auto& system = self->system();
      packer_actor made{own_thread_ ? system.template spawn<caf::detached>(packer, limits_, copies_)
                                    : system.spawn(packer, limits_, copies_)};
      if (has_left_)
        send(self, made, leave_atom_v);
      return made;
    });
  }
  /// The job's packer; null if nothing was done for the job yet.
  [[nodiscard]] const packer_actor* of(const std::string& job) { return all_.of(job); }

  /// Sends work that nobody waits for to the job's packer, if there is one.
  template <class Self, class... Words>
  void tell(Self* self, const std::string& job, Words... words) {
    if (const auto* whom = all_.of(job))
      send(self, *whom, std::move(words)...);
  }
  /// Like `tell`, but spawns a packer if needed. Without a thread for one, leftovers are swept
  /// later.
  template <class Self, class... Words>
  void order(Self* self, const std::string& job, Words... words) {
    if (auto whom = take(self, job))
      send(self, *whom, std::move(words)...);
  }

  /// Has the job's packer answer, spawning one if needed.
  /// @param take_answer Called with it.
  /// @param fail Called with the reason if none can answer, and whether that is for want of a
  ///             thread.
  template <class Answer, class Self, class Order, class Take, class Fail>
  void ask(Self* self, const std::string& job, Order what, Take take_answer, Fail fail) {
    auto whom = take(self, job);
    if (!whom)
      return fail(to_text(whom.error()), true);
    request(self, *whom, caf::infinite, std::move(what))
        .then([take_answer](const Answer& x) mutable { take_answer(x); },
              [self, fail](const caf::error& why) mutable {
                fail(render(self->system(), why), false);
              });
  }

  template <class Self>
  void copy(Self* self, const copy_draft& what, caf::typed_response_promise<draft_copied> asker) {
    pass_on(self, what, asker,
            [](const copy_draft&, const std::string& why) { return draft_copied{why}; });
  }
  template <class Self>
  auto answer(Self* self, const gather_exported& what) {
    auto asker = self->template make_response_promise<exports_gathered>();
    pass_on(self, what, asker, [](const gather_exported& of, const auto& why) {
      exports_gathered result;
      for (const auto& format : of.what.formats)
        result.what.failed.emplace(format, why);
      return result;
    });
    return asker;
  }

  template <class Self>
  void end_job(Self* self, const job_over& what) {
    end_service(self, all_, what.job, what);
  }

  /// Work for no job, or for one that is over, is done once by a packer that is free.
  template <class Self>
  void forget(Self* self, const forget_paused& what) {
    static const std::string nobody = "*";
    if (!what.job.empty() && all_.of(what.job) != nullptr)
      return tell(self, what.job, what);
    order(self, nobody, what);
    end_job(self, job_over{nobody});
  }

  /// Fails all work under way, and all that comes later.
  template <class Self>
  void leave(Self* self) {
    has_left_ = true;
    all_.for_each([self](const packer_actor& x) { send(self, x, leave_atom_v); });
  }

private:
  job_pool<packer_actor> all_;
  bool own_thread_ = true;
  bool has_left_ = false;
  incoming_limits limits_;
  std::shared_ptr<shared_copies> copies_;

  /// Has the job's packer answer; if none can, answers with the result of `lost` for the reason.
  template <class Answer, class Self, class Question, class Lost>
  void pass_on(Self* self, const Question& what, caf::typed_response_promise<Answer> asker,
               Lost lost) {
    auto fail = [what, lost, asker](const std::string& why, bool) mutable {
      asker.deliver(lost(what, why));
    };
    ask<Answer>(
        self, what.who.job, what, [asker](const Answer& x) mutable { asker.deliver(x); }, fail);
  }
};

} // namespace tune
