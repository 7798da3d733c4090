// SPDX-License-Identifier: BSD-3-Clause
#include "output_thread.hpp"

#include "tune/io/process/shortage.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace tune {

namespace {

using clock = std::chrono::steady_clock;

/// Limit on waiting bytes of one file, not counting those being written. The last write may exceed
/// it by as much as is read at once.
constexpr std::size_t most_unwritten = 128 * 1024;
constexpr std::size_t buffer_size = most_unwritten + 64 * 1024;
/// Spare buffers of a thread: files with nothing waiting have no buffer.
constexpr std::size_t most_spare = 2;

} // namespace

/// The state of one file, shared by stream and thread.
struct output_thread::file {
  output_file_stream::target target;
  /// Used by the writer thread only.
  std::unique_ptr<output_sink> sink;
  // The rest is guarded by the thread's mutex.
  std::string waiting;
  /// True once there were bytes to write.
  bool begun = false;
  /// True while the file is in the queue.
  bool queued = false;
  /// True once no more bytes will come.
  bool ends = false;
  bool finished = false;
  /// True while somebody waits for room.
  bool is_awaited = false;
  std::string trouble;

  explicit file(output_file_stream::target to) : target{std::move(to)} {}

  /// Call it without the mutex: it may block.
  void write(std::string_view bytes) {
    if (bytes.empty())
      return;
    if (!sink)
      sink = target.make(target.path, target.cap);
    sink->write(bytes);
  }
  std::string finish() {
    auto result = sink ? sink->finish() : std::string{};
    sink.reset();
    return result;
  }
};

struct output_thread::state {
  /// A file to be written, or finished; or other work.
  struct piece {
    std::shared_ptr<file> what;
    std::function<void()> work;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<piece> queue;
  std::vector<std::string> spare;
  bool busy = false;
  bool closed = false;
  bool gone = false;
  clock::time_point moved = clock::now();

  [[nodiscard]] bool is_idle() const { return !busy && queue.empty(); }

  // `take_buffer` and `enqueue` are called under the mutex.

  [[nodiscard]] std::string take_buffer() {
    std::string result;
    if (!spare.empty()) {
      result = std::move(spare.back());
      spare.pop_back();
    }
    // Unused parts of the reservation cost no memory.
    result.reserve(buffer_size);
    return result;
  }

  void enqueue(const std::shared_ptr<file>& what) {
    if (std::exchange(what->queued, true))
      return;
    enqueue(piece{what, {}});
  }

  void enqueue(piece what) {
    queue.push_back(std::move(what));
    changed.notify_all();
  }

  void serve() {
    std::unique_lock lock{mutex};
    for (;;) {
      changed.wait(lock, [this] { return closed || !queue.empty(); });
      if (queue.empty())
        break;
      auto next = std::move(queue.front());
      queue.pop_front();
      busy = true;
      if (next.what)
        serve(*next.what, lock);
      else
        serve(next.work, lock);
      // Release it without the lock: this may be the last reference.
      lock.unlock();
      next = {};
      lock.lock();
    }
    gone = true;
    changed.notify_all();
  }

  void serve(const std::function<void()>& work, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    work();
    lock.lock();
    be_done();
  }

  /// Called before `moved`, so that whoever is notified finds the thread idle.
  void be_done() {
    busy = false;
    moved = clock::now();
  }

  void serve(file& one, std::unique_lock<std::mutex>& lock) {
    one.queued = false;
    auto bytes = std::exchange(one.waiting, {});
    const auto ends = one.ends;
    const auto had_no_room = std::exchange(one.is_awaited, false);
    lock.unlock();
    if (had_no_room)
      one.target.moved();
    one.write(bytes);
    auto trouble = ends ? one.finish() : std::string{};
    lock.lock();
    if (!bytes.empty() && spare.size() < most_spare) {
      bytes.clear();
      spare.push_back(std::move(bytes));
    }
    be_done();
    if (!ends)
      return;
    one.trouble = std::move(trouble);
    one.finished = true;
    lock.unlock();
    one.target.moved();
    lock.lock();
  }
};

expected<std::shared_ptr<output_thread>> output_thread::begin() {
  auto made = std::make_shared<state>();
  try {
    std::thread{[made] { made->serve(); }}.detach();
  } catch (const std::system_error& why) {
    const auto reason = why.code().value();
    return error{fault_of(reason, ec::shortage),
                 "cannot start a thread that writes output: " + text_of_shortage(reason)};
  }
  return std::shared_ptr<output_thread>{new output_thread{std::move(made)}};
}

output_thread::~output_thread() {
  std::unique_lock lock{state_->mutex};
  state_->closed = true;
  state_->changed.notify_all();
  state_->changed.wait(lock, [this] { return state_->gone || !state_->is_idle(); });
}

void output_thread::run(std::function<void()> work) {
  std::lock_guard lock{state_->mutex};
  state_->enqueue(state::piece{nullptr, std::move(work)});
}

bool output_thread::is_idle() const {
  std::lock_guard lock{state_->mutex};
  return state_->is_idle();
}

clock::time_point output_thread::moved() const {
  std::lock_guard lock{state_->mutex};
  return state_->moved;
}

expected<std::shared_ptr<output_thread>> output_threads::of(const std::string& job) {
  auto found = std::find_if(all_.begin(), all_.end(), [&](const entry& x) { return x.job == job; });
  if (found == all_.end()) {
    found = std::find_if(all_.begin(), all_.end(), [](const entry& x) {
      return x.whom.use_count() == 1 && x.whom->is_idle();
    });
  }
  if (found == all_.end()) {
    auto made = output_thread::begin();
    if (!made)
      return made.error();
    found = all_.insert(all_.end(), entry{job, std::move(*made)});
  }
  found->job = job;
  return found->whom;
}

output_file_stream::output_file_stream(std::shared_ptr<output_thread> by, target to)
    : by_{std::move(by)}, file_{std::make_shared<output_thread::file>(std::move(to))} {}

output_file_stream::~output_file_stream() {
  end();
}

output_file_stream::output_file_stream(output_file_stream&& other) noexcept
    : by_{std::move(other.by_)}
    , file_{std::move(other.file_)}
    , trouble_{std::move(other.trouble_)} {}

output_file_stream& output_file_stream::operator=(output_file_stream&& other) noexcept {
  if (this != &other) {
    end();
    by_ = std::move(other.by_);
    file_ = std::move(other.file_);
    trouble_ = std::move(other.trouble_);
  }
  return *this;
}

void output_file_stream::end() {
  if (file_)
    finish();
  file_.reset();
}

void output_file_stream::write(std::string_view bytes) {
  if (!file_ || bytes.empty())
    return;
  std::lock_guard lock{by_->state_->mutex};
  if (file_->ends)
    return;
  file_->begun = true;
  auto& state = *by_->state_;
  if (file_->waiting.empty())
    file_->waiting = state.take_buffer();
  file_->waiting.append(bytes);
  state.enqueue(file_);
}

bool output_file_stream::is_full() {
  if (!file_)
    return false;
  std::lock_guard lock{by_->state_->mutex};
  file_->is_awaited = !file_->ends && file_->waiting.size() >= most_unwritten;
  return file_->is_awaited;
}

bool output_file_stream::finish() {
  if (!file_)
    return true;
  std::lock_guard lock{by_->state_->mutex};
  // Without a byte there is nothing to do, even if the disk blocks the thread.
  if (!file_->begun)
    file_->finished = true;
  else if (!file_->ends)
    by_->state_->enqueue(file_);
  file_->ends = true;
  if (file_->finished)
    trouble_ = file_->trouble;
  return file_->finished;
}

void output_file_stream::give_up(const std::string& why) {
  if (finish())
    return;
  trouble_ = "cannot write " + file_->target.path.string() + ": " + why;
  file_.reset();
}

} // namespace tune
