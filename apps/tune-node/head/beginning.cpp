// SPDX-License-Identifier: BSD-3-Clause
#include "head/beginning.hpp"

#include "console/stderr_queue.hpp"
#include "console/text.hpp"
#include "exit_code.hpp"
#include "head/resumption.hpp"
#include "run/interrupts.hpp"
#include "tune/actors/job.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/files/job_directories.hpp"
#include "tune/io/process/service_notice.hpp"
#include "tune/net/submission_words.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Waits; a signal ends the process, as nothing has begun yet.
void wait_unless_told(instant how_long) {
  constexpr instant pace = std::chrono::milliseconds{100};
  for (auto left = how_long; left.count() > 0; left -= std::min(left, pace)) {
    if (auto number = take_held_signal())
      ::_exit(128 + *number);
    std::this_thread::sleep_for(std::min(left, pace));
  }
}

using teller = std::function<void(const std::string&)>;

expected<std::unique_ptr<head_lead>> take_lead(const fs::path& storage, const head_request& what,
                                               const teller& say) {
  if (what.stands_by)
    notify_service_manager("READY=1\nSTATUS=standing by");
  head_lead::settings how;
  how.storage = storage;
  how.most_silence = what.liveness.lost_after;
  how.stands_by = what.stands_by;
  how.tell = [say](const std::string& text) { say(printable(text)); };
  how.wait = wait_unless_told;
  // At once: the head that leads now counts on what this one has written so far, and on no more.
  how.fenced = [say](const std::string& why) {
    say(printable(why) + "; this head ends, and what it did since counts for nothing");
    // Not for long, if nobody reads it: until then this head could still do something.
    settle_stderr(std::chrono::milliseconds{200});
    ::_exit(static_cast<int>(exit_code::refused));
  };
  return head_lead::take(std::move(how));
}

/// Makes an experiment of the head before this one ready to go on here.
expected<void> take_over(running_submission& what, const fs::path& storage, const fs::path& work,
                         bool by_force) {
  if (by_force) {
    if (auto released = release_record(storage, what); !released)
      return released;
  }
  return bring_files(what, work);
}

/// @errors `ec::storage`.
expected<void> follow_head(beginning& to, const fs::path& storage, const fs::path& work,
                           const teller& say) {
  auto begun = begin_head(storage, {});
  if (!begun)
    return begun.error();
  to.mark = begun->mark;
  if (begun->follows)
    to.resumed = find_resumptions(storage, begun->mark.name, say);
  std::erase_if(to.resumed, [&](running_submission& x) {
    const auto name = "experiment " + printable(x.words.experiment);
    const auto doing = ", " + doing_of(x.claim);
    if (!to.lead->by_force() && is_led(storage / x.words.experiment)) {
      to.kept.insert(x.found.job);
      say(name + doing
          + " when the head died, is left to the process that goes on with it now, and so are its"
            " files");
      return true;
    }
    const auto done = take_over(x, storage, work, to.lead->by_force());
    if (!done)
      say(name + doing
          + " when the head died, cannot go on by itself: " + printable(done.error().detail));
    else if (has_ended(storage / x.words.experiment))
      say(name + doing + " when the head before this one died, has ended since");
    else
      say("goes on with " + name + doing + " when the head before this one died");
    return !done;
  });
  return {};
}

} // namespace

expected<beginning> begin_to_lead(const fs::path& storage, const fs::path& work,
                                  const head_request& what,
                                  const std::function<void(const std::string&)>& say) {
  beginning result;
  if (what.liveness.head_grace.count() == 0) {
    if (auto removed = remove_head_mark(storage); !removed)
      return removed.error();
  } else {
    auto lead = take_lead(storage, what, say);
    if (!lead)
      return lead.error();
    result.lead = std::move(*lead);
    if (auto done = follow_head(result, storage, work, say); !done)
      return done.error();
  }
  // Files of other interrupted experiments are removed: their clients bring them again.
  result.kept.merge(jobs_of(result.resumed));
  if (auto swept = sweep_job_directories(work, job{}.kill_grace, say, result.kept); !swept)
    return swept.error();
  return result;
}

} // namespace tune::cli
