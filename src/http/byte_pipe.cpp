// SPDX-License-Identifier: BSD-3-Clause
#include "tune/http/byte_pipe.hpp"

#include <utility>

namespace tune::http {

void byte_pipe::tell() const {
  // Still locked: once `close` has returned, nobody calls any more.
  if (ready_)
    ready_();
}

bool byte_pipe::write(std::string_view bytes) {
  std::unique_lock held{mutex_};
  changed_.wait(held, [&] { return closed_ || bytes_.size() < most; });
  if (closed_)
    return false;
  bytes_.append(bytes);
  tell();
  return true;
}

bool byte_pipe::offer(std::string_view bytes) {
  std::lock_guard held{mutex_};
  if (closed_ || bytes_.size() + bytes.size() > most)
    return false;
  bytes_.append(bytes);
  tell();
  return true;
}

void byte_pipe::finish(bool whole) {
  std::lock_guard held{mutex_};
  if (state_ == state::open)
    state_ = whole ? state::whole : state::broken;
  tell();
}

void byte_pipe::close() {
  std::lock_guard held{mutex_};
  closed_ = true;
  bytes_.clear();
  ready_ = nullptr;
  changed_.notify_all();
}

bool byte_pipe::is_closed() const {
  std::lock_guard held{mutex_};
  return closed_;
}

std::string byte_pipe::take(std::size_t limit) {
  std::lock_guard held{mutex_};
  std::string result;
  if (bytes_.size() <= limit) {
    result = std::exchange(bytes_, {});
  } else {
    result = bytes_.substr(0, limit);
    bytes_.erase(0, limit);
  }
  changed_.notify_all();
  return result;
}

byte_pipe::state byte_pipe::how() const {
  std::lock_guard held{mutex_};
  return bytes_.empty() ? state_ : state::open;
}

void byte_pipe::when_ready(std::function<void()> call) {
  std::lock_guard held{mutex_};
  ready_ = std::move(call);
  if (!bytes_.empty() || state_ != state::open)
    tell();
}

} // namespace tune::http
