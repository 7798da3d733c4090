// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/sinks/trial_files/trial_files.hpp"

#include "trial_folder.hpp"

#include "posix/posix.hpp"
#include "process/proc_files.hpp"
#include "sinks/silent_ends.hpp"

#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/experiment_directory.hpp"
#include "tune/io/store/store_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tune {

namespace {

namespace fs = std::filesystem;

// Limits of the part of the log that is read at once.
// A part is large, since each file that it concerns is opened once for it.
constexpr std::size_t events_at_once = 32768;
constexpr std::size_t bytes_at_once = 8 * 1024 * 1024;
constexpr std::size_t trials_at_once = 1000;
constexpr std::size_t most_warnings = 100;
const std::string mark_name = ".trial_files";
constexpr std::size_t longest_mark = 4096;

/// The mark file: how far the last process wrote the files.
struct mark {
  sequence seq = 0;
  std::string boot;
  /// True if everything up to `seq` was on disk, not only written.
  bool synced = false;
  /// Checksum of the event `seq`. A different one reveals that the log was cut back since.
  std::int64_t sum = 0;
};

mark read_mark(const fs::path& trials) {
  auto where = guarded_directory::open(trials);
  auto text = where ? where->text(mark_name, longest_mark) : where.error();
  if (!text || !*text)
    return {};
  auto read = object_from_json(**text);
  if (!read)
    return {};
  const auto* seq = read->find("seq");
  const auto* boot = read->find("boot");
  const auto* synced = read->find("synced");
  const auto* sum = read->find("sum");
  if (seq == nullptr || seq->as_int() == nullptr || *seq->as_int() < 0 || boot == nullptr
      || boot->as_string() == nullptr || synced == nullptr || synced->as_bool() == nullptr
      || sum == nullptr || sum->as_int() == nullptr)
    return {};
  return {static_cast<sequence>(*seq->as_int()), *boot->as_string(), *synced->as_bool(),
          *sum->as_int()};
}

std::string text_of(const mark& x) {
  return to_json(object{{"seq", static_cast<std::int64_t>(x.seq)},
                        {"boot", x.boot},
                        {"synced", x.synced},
                        {"sum", x.sum}})
         + "\n";
}

void sort_in(const event& what, std::map<trial_id, trial_news>& to) {
  if (const auto* x = std::get_if<on::reported>(&what.what))
    to[x->what->trial].reports.push_back(x->what);
  else if (const auto* placed = std::get_if<on::placed>(&what.what))
    to[placed->trial];
  else if (const auto* ended = std::get_if<on::ended>(&what.what)) {
    if (is_failure(ended->how))
      to[ended->trial].failures.push_back(*ended);
    else if (ended->how == end_class::interrupted)
      to[ended->trial]; // the trial's files may be ahead of a log that was cut back
  }
}

} // namespace

class trial_files::impl {
public:
  impl(fs::path trials, store_reader from, std::uint32_t epoch, sequence cursor, sequence horizon,
       std::string boot, warn_function warn)
      : trials_{std::move(trials)}
      , from_{std::move(from)}
      , epoch_{epoch}
      , cursor_{cursor}
      , horizon_{horizon}
      , is_unseen_{cursor > 0}
      , boot_{std::move(boot)}
      , warn_{std::move(warn)} {}

  [[nodiscard]] sequence cursor() const { return cursor_; }

  expected<void> catch_up(sequence committed) {
    if (auto ours = check_epoch(); !ours)
      return ours;
    while (cursor_ < committed) {
      if (auto done = advance(committed); !done) {
        // A part of it may be written already.
        horizon_ = std::max(horizon_, committed);
        return done;
      }
    }
    auto mended = is_unseen_ ? mend() : expected<void>{};
    is_unseen_ = is_unseen_ && !mended;
    return mended;
  }

  expected<void> close() {
    if (auto ours = check_epoch(); !ours)
      return ours;
    auto opened = store::open_file(trials_, O_RDONLY | O_DIRECTORY, "open the directory");
    if (!opened)
      return opened.error();
    if (::syncfs(opened->number()) != 0)
      return store::system_error(trials_, "sync", errno);
    return write_mark(true);
  }

private:
  fs::path trials_;
  store_reader from_;
  std::uint32_t epoch_;
  sequence cursor_;
  /// Last event that an earlier process, or a failed call, may have written.
  sequence horizon_;
  /// True until the files of an earlier process have been checked: they may have been removed
  /// since.
  bool is_unseen_;
  std::string boot_;
  /// Trials whose results this process has checked, by number.
  std::vector<bool> seen_;
  warn_function warn_;
  std::set<std::string> told_;

  void warn(const std::string& text) {
    if (warn_ && told_.size() < most_warnings && told_.insert(text).second)
      warn_(text);
  }

  /// Whether the files of a trial may differ from what they should hold. Files of an earlier
  /// process may even be ahead of the log, if the log was cut back.
  bool is_in_doubt(trial_id trial, const trial_news& what) {
    if (cursor_ < horizon_ || what.reports.empty())
      return true;
    if (trial.number >= seen_.size())
      seen_.resize(trial.number + 1);
    const bool first = !seen_[trial.number];
    seen_[trial.number] = true;
    return first;
  }

  /// Prevents a head that was suspended while another took over from writing at the same time.
  expected<void> check_epoch() {
    auto newest = from_.epoch();
    if (!newest)
      return newest.error();
    if (*newest == epoch_)
      return {};
    return error{ec::refused, trials_.string() + ": another head has taken over (epoch "
                                  + std::to_string(*newest) + ", ours is " + std::to_string(epoch_)
                                  + ")"};
  }

  expected<void> advance(sequence committed) {
    const auto limit = std::min<sequence>(events_at_once, committed - cursor_);
    auto some = from_.events_after(cursor_, static_cast<std::size_t>(limit), bytes_at_once);
    if (!some)
      return some.error();
    if (some->empty())
      return error{ec::internal, "the log ends at event " + std::to_string(cursor_)
                                     + ", before event " + std::to_string(committed)};
    std::map<trial_id, trial_news> news;
    for (auto& what : *some) {
      if (auto* ended = std::get_if<on::ended>(&what.what)) {
        if (auto known = put_right(*ended); !known)
          return known;
      }
      sort_in(what, news);
      auto silent = silent_ends(from_, what);
      if (!silent)
        return silent.error();
      for (auto& x : *silent) {
        if (is_failure(x.how))
          news[x.trial].failures.push_back(std::move(x));
      }
    }
    for (const auto& [trial, what] : news) {
      if (auto written = write(trial, what); !written)
        return written;
    }
    cursor_ = some->back().seq;
    return write_mark(false);
  }

  expected<void> write(trial_id trial, const trial_news& what) {
    trial_folder folder{trials_, trial, cursor_, from_};
    return judge(trial, folder, folder.write(what, is_in_doubt(trial, what)));
  }

  /// Checks the files of all trials that have ever run.
  expected<void> mend() {
    // The database may hold a failure from a part of the log that was not read yet.
    auto last = from_.last_seq();
    if (!last)
      return last.error();
    horizon_ = std::max(horizon_, *last);
    trial_query some;
    some.limit = trials_at_once;
    for (std::size_t count = some.limit; count == some.limit; some.offset += count) {
      auto rows = from_.trials(some);
      if (!rows)
        return rows.error();
      count = rows->size();
      for (const auto& row : *rows) {
        if (auto done = mend(row.trial); !done)
          return done;
      }
    }
    return {};
  }

  expected<void> mend(trial_id trial) {
    auto attempts = from_.attempts(trial);
    if (!attempts)
      return attempts.error();
    if (attempts->empty())
      return {};
    trial_folder folder{trials_, trial, cursor_, from_};
    return judge(trial, folder, folder.mend());
  }

  /// Turns an error that concerns only this trial's files into a warning; returns all others.
  expected<void> judge(trial_id trial, const trial_folder& folder, expected<void> written) {
    for (const auto& text : folder.notes())
      warn("trial " + to_text(trial) + ": " + text);
    if (written)
      return written;
    const auto code = written.error().code;
    if (code != ec::refused && (code != ec::storage || !folder.is_set_apart()))
      return written;
    // Other trials' files are not affected; this trial's files are checked again with its next
    // news.
    warn("trial " + to_text(trial) + ": its files are not written: " + written.error().detail);
    if (trial.number < seen_.size())
      seen_[trial.number] = false;
    return {};
  }

  /// Takes the reason for an end from the experiment's row. The row says why the experiment had a
  /// process killed; the process's exit does not.
  expected<void> put_right(on::ended& what) {
    auto row = from_.attempt(what.attempt);
    if (!row)
      return row.error();
    if (*row && (*row)->finished) {
      what.how = (*row)->how;
      what.detail = std::move((*row)->detail);
    }
    return {};
  }

  expected<void> write_mark(bool synced) {
    auto sum = from_.event_sum(cursor_);
    if (!sum)
      return sum.error();
    const auto text = text_of({cursor_, boot_, synced, sum->value_or(0)});
    auto where = guarded_directory::open(trials_);
    auto done = where ? where->replace(mark_name, text, mark_name + ".new") : where.error();
    if (!done && done.error().code != ec::refused)
      return done.error();
    // Without the mark, all files are checked again when the experiment is resumed.
    if (!done)
      warn(done.error().detail);
    else if (!done->empty())
      warn(replaced_text(trials_ / mark_name, *done));
    return {};
  }
};

trial_files::trial_files(std::unique_ptr<impl> parts) : impl_{std::move(parts)} {}
trial_files::~trial_files() = default;

expected<std::unique_ptr<trial_files>> trial_files::open(const fs::path& directory,
                                                         warn_function warn) {
  auto from = store_reader::open(directory);
  if (!from)
    return from.error();
  auto epoch = from->epoch();
  if (!epoch)
    return epoch.error();
  auto last = from->last_seq();
  if (!last)
    return last.error();
  const auto trials = trials_directory(directory);
  const auto left = read_mark(trials);
  auto boot = proc_files::boot_id();
  auto sum = from->event_sum(left.seq);
  if (!sum)
    return sum.error();
  // The files are checked again if their content is uncertain: if the machine went down before they
  // were synced, or if the log was cut back since and may have grown again.
  const bool trusted = *sum == left.sum && (left.synced || (!boot.empty() && left.boot == boot));
  auto parts = std::make_unique<impl>(trials, std::move(*from), *epoch, trusted ? left.seq : 0,
                                      *last, std::move(boot), std::move(warn));
  return std::unique_ptr<trial_files>{new trial_files{std::move(parts)}};
}

sequence trial_files::cursor() const {
  return impl_->cursor();
}

expected<void> trial_files::catch_up(sequence committed) {
  return impl_->catch_up(committed);
}

expected<void> trial_files::close() {
  return impl_->close();
}

} // namespace tune
