// SPDX-License-Identifier: BSD-3-Clause
#include "console/stderr_queue.hpp"

#include "tune/core/program_name.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <mutex>
#include <streambuf>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace tune::cli {

namespace {

/// Writes all of the text; what cannot be written is lost.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto done = ::write(descriptor, text.data(), text.size());
    if (done > 0) {
      text.remove_prefix(static_cast<std::size_t>(done));
    } else if (errno == EAGAIN) {
      pollfd room{descriptor, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

/// The waiting text, shared with the writer thread, which may outlive the queue.
class waiting_text {
public:
  explicit waiting_text(int descriptor) : descriptor_{descriptor} {}

  void add(std::string_view text) {
    std::lock_guard guard{mutex_};
    if (text_.size() + text.size() > stderr_queue::most_waiting)
      dropped_ += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    else
      text_ += text;
    changed_.notify_all();
  }

  /// Writes until it is closed and nothing waits.
  void work() {
    std::unique_lock guard{mutex_};
    for (;;) {
      changed_.wait(guard, [this] { return closed_ || has_text(); });
      if (!has_text())
        break;
      const auto now = take();
      writing_ = true;
      guard.unlock();
      write_all(descriptor_, now);
      guard.lock();
      writing_ = false;
      changed_.notify_all();
    }
    ended_ = true;
    changed_.notify_all();
  }

  bool settle(std::chrono::milliseconds patience) {
    std::unique_lock guard{mutex_};
    return changed_.wait_for(guard, patience, [this] { return !writing_ && !has_text(); });
  }

  /// @returns whether the writing has ended.
  bool close(std::chrono::milliseconds patience) {
    std::unique_lock guard{mutex_};
    closed_ = true;
    changed_.notify_all();
    return changed_.wait_for(guard, patience, [this] { return ended_; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int descriptor_;
  std::string text_;
  std::size_t dropped_ = 0;
  bool writing_ = false;
  bool closed_ = false;
  bool ended_ = false;

  [[nodiscard]] bool has_text() const { return !text_.empty() || dropped_ > 0; }

  std::string take() {
    auto result = std::exchange(text_, {});
    if (const auto lines = std::exchange(dropped_, 0); lines > 0)
      result += program_name() + ": " + std::to_string(lines)
                + " further lines are missing here: nobody read what was written\n";
    return result;
  }
};

/// A stream buffer without a buffer of its own, so that any thread may write.
class queue_buffer : public std::streambuf {
public:
  explicit queue_buffer(std::shared_ptr<waiting_text> to) : to_{std::move(to)} {}

protected:
  int_type overflow(int_type c) override {
    if (!traits_type::eq_int_type(c, traits_type::eof())) {
      const auto letter = traits_type::to_char_type(c);
      to_->add({&letter, 1});
    }
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* text, std::streamsize length) override {
    to_->add({text, static_cast<std::size_t>(length)});
    return length;
  }

private:
  std::shared_ptr<waiting_text> to_;
};

/// The queue that `write_stderr` uses.
std::atomic<waiting_text*> current{nullptr};

/// Whether the address space is limited: then trials need it more than a further thread does.
bool has_little_memory() {
  rlimit most{};
  return ::getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
}

/// Starts the writer with all signals blocked: they go to the threads that wait for them.
std::thread start_without_signals(const std::shared_ptr<waiting_text>& text) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  struct mask_again {
    const sigset_t& mask;
    ~mask_again() { ::pthread_sigmask(SIG_SETMASK, &mask, nullptr); }
  } const last{before};
  return std::thread{[text] { text->work(); }};
}

} // namespace

struct stderr_queue::parts {
  std::shared_ptr<waiting_text> text;
  queue_buffer buffer;
  std::chrono::milliseconds patience;
  std::thread writer;
  std::streambuf* before;

  parts(int descriptor, std::chrono::milliseconds how_long)
      : text{std::make_shared<waiting_text>(descriptor)}
      , buffer{text}
      , patience{how_long}
      , writer{start_without_signals(text)}
      , before{std::cerr.rdbuf(&buffer)} {
    current = text.get();
  }

  ~parts() {
    current = nullptr;
    std::cerr.rdbuf(before);
    text->close(patience) ? writer.join() : writer.detach();
  }
};

stderr_queue::stderr_queue(int descriptor, std::chrono::milliseconds patience) {
  if (has_little_memory())
    return;
  try {
    parts_ = std::make_unique<parts>(descriptor, patience);
  } catch (const std::system_error&) {
    // No thread can be started: text is written at once.
  }
}

stderr_queue::~stderr_queue() = default;

void write_stderr(std::string_view text) {
  if (auto* queue = current.load())
    queue->add(text);
  else
    write_all(STDERR_FILENO, text);
}

bool settle_stderr(std::chrono::milliseconds patience) {
  auto* queue = current.load();
  return queue == nullptr || queue->settle(patience);
}

} // namespace tune::cli
