// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/head_lead.hpp"

#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/kill_holder.hpp"
#include "tune/io/process/process_mark.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr const char* lead_directory = ".tune_lead";
/// Where the one that waits keeps others from waiting beside it.
constexpr const char* next_directory = "next";
constexpr const char* beat_file = "beat";
/// A beat has less than 300 characters. [bytes]
constexpr std::size_t longest_beat = 4096;
/// A process is gone within this time after a KILL, unless the kernel holds it.
constexpr std::chrono::seconds killing_takes{2};
constexpr ::mode_t for_owner_only = 0700;

instant now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

std::uint64_t count_in(const object& from, const char* name) {
  const auto* found = from.find(name);
  const auto* number = found == nullptr ? nullptr : std::get_if<std::int64_t>(&found->content());
  return number == nullptr || *number < 0 ? 0 : static_cast<std::uint64_t>(*number);
}

expected<fs::path> made(const fs::path& directory) {
  if (::mkdir(directory.c_str(), for_owner_only) == 0 || errno == EEXIST)
    return directory;
  return error{ec::storage, "cannot make " + directory.string() + ": " + std::strerror(errno)};
}

/// @returns nothing if there is none that makes sense.
std::optional<object> read_beat(const fs::path& directory) {
  // Opened anew each time: file servers show new content to those who open a file.
  auto place = guarded_directory::open(directory);
  auto text = place ? place->text(beat_file, longest_beat)
                    : expected<std::optional<std::string>>{place.error()};
  if (!text || !*text)
    return std::nullopt;
  auto all = object_from_json(**text);
  return all ? std::optional{std::move(*all)} : std::nullopt;
}

/// @returns nothing if nobody is known to have led.
std::optional<lead_sign> read_sign(const fs::path& directory) {
  const auto all = read_beat(directory);
  if (!all)
    return std::nullopt;
  return lead_sign{count_in(*all, "epoch"), count_in(*all, "beat")};
}

/// The mark of the process that leads; empty if it left none.
std::string process_in(const fs::path& directory) {
  const auto all = read_beat(directory);
  const auto* found = all ? all->find("process") : nullptr;
  const auto* text = found == nullptr ? nullptr : std::get_if<std::string>(&found->content());
  return text == nullptr ? std::string{} : *text;
}

expected<void> write_sign(const fs::path& directory, const lead_sign& sign,
                          const std::string& process) {
  object all;
  all.set("epoch", value{static_cast<std::int64_t>(sign.epoch)});
  all.set("beat", value{static_cast<std::int64_t>(sign.beat)});
  all.set("process", value{process});
  auto place = guarded_directory::open(directory);
  if (!place)
    return error{ec::storage, place.error().detail};
  // A head that was put out of the lead may write at the same time.
  const auto beside = std::string{beat_file} + "." + std::to_string(sign.epoch) + ".new";
  auto done = place->replace(beat_file, to_json(all) + "\n", beside);
  return done ? expected<void>{} : error{ec::storage, done.error().detail};
}

bool trusts_locks(const fs::path& directory) {
  const auto kind = journal_for(directory);
  return kind && *kind == journal_kind::wal;
}

/// The way to the lead: looks again and again until it is free.
class waiting {
public:
  waiting(const head_lead::settings& how, fs::path directory)
      : how_{how}
      , directory_{std::move(directory)}
      , watch_{how.most_silence, trusts_locks(directory_)} {}

  struct outcome {
    directory_lock lock;
    bool by_force = false;
  };
  expected<outcome> wait() {
    // Two that wait may not put each other out of a lead that one of them has just taken.
    std::optional<directory_lock> next;
    for (;;) {
      if (how_.stands_by && !next) {
        auto mine = directory_lock::take(directory_ / next_directory);
        if (!mine && mine.error().code != ec::refused)
          return mine.error();
        if (!mine) {
          tell("stands by, behind another head that does");
          how_.wait(watch_.pace());
          continue;
        }
        next = std::move(*mine);
      }
      if (auto done = look())
        return std::move(*done);
      how_.wait(watch_.pace());
    }
  }

private:
  const head_lead::settings& how_;
  fs::path directory_;
  standby_watch watch_;
  std::string told_;
  bool killed_ = false;

  void tell(const std::string& text) {
    if (text != std::exchange(told_, text))
      how_.tell(text);
  }

  /// @returns nothing if it is to look again.
  std::optional<expected<outcome>> look() {
    auto lock = directory_lock::take(directory_);
    if (!lock && lock.error().code != ec::refused)
      return expected<outcome>{lock.error()};
    const auto what = watch_.look(read_sign(directory_), static_cast<bool>(lock), now());
    if (what == standby_watch::verdict::leads)
      return expected<outcome>{outcome{std::move(*lock)}};
    if (!how_.stands_by && !lock)
      return expected<outcome>{error{
          ec::refused, holder_of(directory_) + " leads the experiments in "
                           + directory_.parent_path().string()
                           + ": wait for its end; head --standby waits, and takes its place then"}};
    if (what == standby_watch::verdict::leads_by_force)
      return force();
    tell("stands by: " + holder_of(directory_) + " leads");
    return std::nullopt;
  }

  /// Ends the head that is silent. One that cannot be ended from here is put out of its lock, and
  /// finds that when it wakes.
  std::optional<expected<outcome>> force() {
    const auto who = holder_of(directory_);
    const auto killed = kill_holder(process_in(directory_), directory_ / "lock", killing_takes);
    if (killed && !std::exchange(killed_, true)) {
      how_.tell("takes over by force: killed " + who
                + ", which was silent and might have kept records locked");
      return take_lock(false);
    }
    how_.tell("takes over by force: " + who + " is silent, but not gone, and is not ended from"
              + " here: " + (killed ? "another process has its lock" : killed.error().detail));
    auto place = guarded_directory::open(directory_);
    auto removed = place ? place->remove("lock") : expected<void>{place.error()};
    if (!removed)
      return expected<outcome>{error{ec::storage, removed.error().detail}};
    return take_lock(true);
  }

  std::optional<expected<outcome>> take_lock(bool by_force) {
    auto lock = directory_lock::take(directory_);
    if (lock)
      return expected<outcome>{outcome{std::move(*lock), by_force}};
    if (lock.error().code == ec::refused)
      return std::nullopt;
    return expected<outcome>{lock.error()};
  }
};

} // namespace

class head_lead::impl {
public:
  impl(settings how, fs::path directory, directory_lock lock, bool by_force)
      : how_{std::move(how)}
      , directory_{std::move(directory)}
      , lock_{std::move(lock)}
      , by_force_{by_force} {}

  expected<void> begin() {
    const auto before = read_sign(directory_);
    sign_ = {before ? before->epoch + 1 : 1, 1};
    if (auto written = write_sign(directory_, sign_, process_); !written)
      return written;
    thread_ = std::thread{[this] { beat_on(); }};
    return {};
  }
  ~impl() {
    {
      std::lock_guard guard{mutex_};
      ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable())
      thread_.join();
  }
  impl(const impl&) = delete;
  impl& operator=(const impl&) = delete;

  [[nodiscard]] bool by_force() const { return by_force_; }

private:
  settings how_;
  fs::path directory_;
  directory_lock lock_;
  bool by_force_;
  std::string process_ = mark_of_this_process();
  lead_sign sign_;
  bool told_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;

  void beat_on() {
    const auto pace = standby_watch{how_.most_silence, true}.pace();
    std::unique_lock guard{mutex_};
    while (!changed_.wait_for(guard, pace, [this] { return ends_; })) {
      guard.unlock();
      auto why = beat();
      if (!why.empty()) {
        how_.fenced(why);
        return;
      }
      guard.lock();
    }
  }

  /// @returns why it does not lead any more; empty if it does.
  std::string beat() {
    const auto seen = read_sign(directory_);
    if (seen && seen->epoch > sign_.epoch)
      return holder_of(directory_) + " has taken over the experiments in "
             + directory_.parent_path().string() + " (epoch " + std::to_string(seen->epoch)
             + ", ours is " + std::to_string(sign_.epoch) + ")";
    auto kept = lock_.keep();
    if (!kept && kept.error().code == ec::refused)
      return kept.error().detail;
    ++sign_.beat;
    auto written = kept ? write_sign(directory_, sign_, process_) : kept;
    // The disk may come back; if another head takes over meanwhile, that is seen then.
    if (!written && !std::exchange(told_, true))
      how_.tell("cannot show that this head lives, so another one may take over: "
                + written.error().detail);
    return {};
  }
};

expected<std::unique_ptr<head_lead>> head_lead::take(settings how) {
  auto directory = made(how.storage / lead_directory);
  if (!directory)
    return directory.error();
  if (auto next = made(*directory / next_directory); !next)
    return next.error();
  auto found = waiting{how, *directory}.wait();
  if (!found)
    return found.error();
  auto result = std::make_unique<impl>(std::move(how), std::move(*directory),
                                       std::move(found->lock), found->by_force);
  if (auto begun = result->begin(); !begun)
    return begun.error();
  return std::unique_ptr<head_lead>{new head_lead{std::move(result)}};
}

head_lead::head_lead(std::unique_ptr<impl> what) : impl_{std::move(what)} {}

head_lead::~head_lead() = default;

bool head_lead::by_force() const {
  return impl_->by_force();
}

} // namespace tune
