/// Writes to connections without a detour through the event loop. Private to net.
///
/// CAF asks the loop to tell when a socket can be written to, writes then, and tells the loop that
/// it needs to know no more: three system calls beside the one that writes. A socket that takes no
/// more is rare, so what is collected in one round of the loop is written at the end of the round,
/// and the loop is asked only for what is left.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/net/caf_streams.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tune::detail {

/// A connection with something to write.
class late_writer {
public:
  virtual ~late_writer() = default;
  virtual void write_now() = 0;
};

/// Connections that write at the end of this round of the loop. For the loop's thread.
class late_writes : public std::enable_shared_from_this<late_writes> {
public:
  explicit late_writes(caf::io::network::default_multiplexer& loop) : loop_{loop} {}

  /// @param alive Keeps `whom` alive until then.
  void add(caf::io::scribe_ptr alive, late_writer& whom) {
    due_.emplace_back(std::move(alive), &whom);
    if (due_.size() == 1)
      loop_.post([me = shared_from_this()] { me->write(); });
  }

private:
  using entry = std::pair<caf::io::scribe_ptr, late_writer*>;
  caf::io::network::default_multiplexer& loop_;
  std::vector<entry> due_;
  /// Its memory is used again.
  std::vector<entry> now_;

  void write() {
    now_.swap(due_);
    for (const auto& [alive, whom] : now_)
      whom->write_now();
    now_.clear();
  }
};

/// Like CAF's `stream_impl`, and writes at once. `Policy` is as there, and in addition tells
/// `is_ready` and `wants_write` of the handshake, and `has_more` of what it has read ahead.
template <class Policy>
class direct_stream : public caf::io::network::stream {
public:
  using manager = caf::io::network::stream::manager_ptr;
  using operation = caf::io::network::operation;
  using rw_state = caf::io::network::rw_state;

  direct_stream(caf::io::network::default_multiplexer& loop, caf::io::network::native_socket socket,
                Policy how)
      : stream{loop, socket}, policy_{std::move(how)} {}

  /// Begins the handshake: one of the two sides has to speak first.
  void shake(const manager& whose) {
    owner_ = whose.get();
    std::size_t none = 0;
    const auto how = policy_.write_some(none, fd(), nullptr, 0);
    // The loop meets the failure once more, and knows whom to tell.
    if (how == rw_state::failure || (!policy_.is_ready() && policy_.wants_write()))
      force_empty_write(whose);
  }

  /// Writes what was collected, as far as the socket takes it; the rest follows when it can.
  void write_now(const manager& whose) {
    // Waits for the peer's part of the handshake.
    if (!state_.writing && !policy_.is_ready() && !policy_.wants_write()) {
      waits_ = whose;
      return;
    }
    if (!state_.writing)
      keep_from(write_all());
    flush(whose);
  }

  void handle_event(operation what) override {
    handle_event_impl(what, policy_);
    if (waits_ && policy_.is_ready())
      write_now(std::exchange(waits_, nullptr));
    // Others come first; the socket has nothing to say of what was read ahead.
    if (what == operation::read && policy_.has_more())
      backend().post([this, alive = manager{owner_}] { read_on(); });
  }

  void removed_from_loop(operation what) override {
    if (what == operation::read)
      waits_ = nullptr;
    stream::removed_from_loop(what);
  }

private:
  Policy policy_;
  caf::io::network::stream_manager* owner_ = nullptr;
  /// What is being written.
  io_buffer now_;
  /// Set while the handshake lasts and there is something to write.
  manager waits_;

  void read_on() {
    if ((eventbf() & caf::io::network::input_mask) != 0)
      handle_event(operation::read);
  }

  /// @returns how much was written.
  std::size_t write_all() {
    now_.clear();
    now_.swap(wr_buf());
    std::size_t done = 0;
    while (done < now_.size()) {
      std::size_t count = 0;
      const auto how = policy_.write_some(count, fd(), now_.data() + done, now_.size() - done);
      if (how != rw_state::success || count == 0)
        break;
      done += count;
    }
    return done;
  }

  void keep_from(std::size_t done) {
    now_.erase(now_.begin(), now_.begin() + static_cast<std::ptrdiff_t>(done));
    if (!now_.empty())
      now_.swap(wr_buf());
  }
};

} // namespace tune::detail
