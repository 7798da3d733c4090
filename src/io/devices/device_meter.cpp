// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/devices/device_meter.hpp"

#include "devices/gpu_usage.hpp"
#include "process/proc_files.hpp"

#include "tune/io/devices/package_energy.hpp"
#include "tune/io/process/process_meter.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace tune {

namespace {

using steady = std::chrono::steady_clock;

/// A driver that has not answered by then is not waited for at the end.
constexpr std::chrono::seconds patience{2};

instant now_of_machine() {
  return steady::now().time_since_epoch();
}

/// Whether this process sees all others by the numbers that the kernel itself uses.
bool is_in_first_space() {
  // PROC_PID_INIT_INO of the kernel's linux/proc_ns.h.
  constexpr std::uint64_t first_space = 0xEFFF'FFFC;
  return proc_files::namespace_of(::getpid(), "pid") == first_space;
}

bool exists(std::int64_t pid) {
  return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH;
}

/// One attempt.
class watched_attempt final : public gpu_watch {
public:
  watched_attempt(pid_t leader, std::vector<gpu_hold> held)
      : leader_{leader}, usage_{std::move(held)} {}

  [[nodiscard]] gpu_use use() const override {
    std::lock_guard guard{mutex_};
    return usage_.so_far();
  }
  [[nodiscard]] const std::vector<gpu_hold>& held() const { return usage_.held(); }

  /// For the meter's thread.
  void take(const gpu_readings& told) {
    const auto tree = processes_of(leader_);
    const std::set<std::int64_t> own{tree.begin(), tree.end()};
    std::lock_guard guard{mutex_};
    usage_.take(told, own);
  }

private:
  const pid_t leader_;
  mutable std::mutex mutex_;
  gpu_usage usage_;
};

using attempts = std::vector<std::shared_ptr<watched_attempt>>;

gpu_readings read_all(gpu_driver& from, const attempts& what) {
  gpu_readings result;
  for (const auto& one : what) {
    for (const auto& hold : one->held()) {
      if (result.count(hold.device) == 0)
        result[hold.device] = from.read(hold.device);
    }
  }
  static const bool sees_all = is_in_first_space();
  if (!sees_all)
    drop_foreign_numbers(result, exists);
  return result;
}

} // namespace

/// What the meter shares with its thread, which may outlive it.
struct device_meter::content {
  explicit content(options what) : how{std::move(what)}, packages{how.zones} {}

  options how;
  package_energy packages;

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable over;
  std::vector<std::weak_ptr<watched_attempt>> watched;
  bool is_new = false;
  bool ends = false;
  bool is_over = false;

  /// Nobody is told once the meter is gone.
  void tell(const std::string& text) {
    std::lock_guard guard{mutex};
    if (how.tell)
      how.tell(text);
  }

  attempts living() {
    attempts result;
    std::lock_guard guard{mutex};
    is_new = false;
    watched.erase(std::remove_if(watched.begin(), watched.end(),
                                 [&](const auto& x) {
                                   auto lives = x.lock();
                                   if (lives)
                                     result.push_back(lives);
                                   return lives == nullptr;
                                 }),
                  watched.end());
    return result;
  }

  std::unique_ptr<gpu_driver> open_driver() {
    if (how.gpus.empty())
      return nullptr;
    auto opened = gpu_driver::open(how.gpu_library, how.gpus);
    if (opened)
      return std::move(*opened);
    tell(opened.error().detail + "; memory and energy of GPUs are not measured");
    return nullptr;
  }

  void tell_troubles(gpu_driver* of) {
    if (of == nullptr)
      return;
    for (const auto& text : of->take_troubles())
      tell(text);
  }

  /// @returns how long to wait for the next measurement.
  std::chrono::nanoseconds measure(gpu_driver* driver) {
    const auto begun = steady::now();
    const auto all = living();
    if (driver != nullptr && !all.empty()) {
      const auto told = read_all(*driver, all);
      for (const auto& one : all)
        one->take(told);
      tell_troubles(driver);
    }
    static_cast<void>(packages.read(now_of_machine()));
    const auto took = steady::now() - begun;
    if (driver == nullptr || all.empty())
      return package_energy::most_pause;
    return std::clamp<std::chrono::nanoseconds>(took * (most_share - 1), least_pause,
                                                package_energy::most_pause);
  }

  void serve() {
    auto driver = open_driver();
    tell_troubles(driver.get());
    if (driver == nullptr && !packages.is_told())
      return;
    for (;;) {
      const auto pause = measure(driver.get());
      std::unique_lock lock{mutex};
      wake.wait_for(lock, pause, [this] { return ends || is_new; });
      if (ends)
        return;
    }
  }

  void finish() {
    std::lock_guard guard{mutex};
    is_over = true;
    over.notify_all();
  }
};

device_meter::device_meter(options how) : content_{std::make_shared<content>(std::move(how))} {
  content_->is_over = content_->how.gpus.empty() && !content_->packages.is_told();
  if (content_->is_over)
    return;
  try {
    std::thread{[shared = content_] {
      shared->serve();
      shared->finish();
    }}.detach();
  } catch (const std::system_error& why) {
    content_->is_over = true;
    content_->tell(std::string{"GPUs and energy are not measured: no thread can be started: "}
                   + why.what());
  }
}

device_meter::~device_meter() {
  std::unique_lock lock{content_->mutex};
  content_->ends = true;
  content_->how.tell = nullptr;
  content_->wake.notify_all();
  content_->over.wait_for(lock, patience, [this] { return content_->is_over; });
}

std::shared_ptr<const gpu_watch> device_meter::watch(pid_t leader, std::vector<gpu_hold> held) {
  const auto known = content_->how.gpus.size();
  held.erase(std::remove_if(held.begin(), held.end(),
                            [&](const gpu_hold& x) { return x.device >= known; }),
             held.end());
  if (held.empty())
    return nullptr;
  auto result = std::make_shared<watched_attempt>(leader, std::move(held));
  std::lock_guard guard{content_->mutex};
  if (content_->is_over)
    return nullptr;
  content_->watched.push_back(result);
  content_->is_new = true;
  content_->wake.notify_all();
  return result;
}

std::optional<machine_use> device_meter::processors() {
  return content_->packages.read(now_of_machine());
}

} // namespace tune
