/// What all connections of a server share. Private to the server.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/http/admission.hpp"
#include "tune/http/client_book.hpp"
#include "tune/http/http_server.hpp"
#include "tune/http/worker_pool.hpp"

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <map>
#include <memory>

namespace tune::http {

/// One connection, as the server sees it.
class client_base {
public:
  client_base() = default;
  client_base(const client_base&) = delete;
  client_base& operator=(const client_base&) = delete;
  virtual ~client_base() = default;

  virtual void begin() = 0;
  /// Closes it at once.
  virtual void drop() = 0;
};

/// Used by the server's own thread, except for the pools.
struct server_core {
  boost::asio::io_context& io;
  const server_settings& how;
  doorman door;
  client_book book;
  std::map<client_id, std::weak_ptr<client_base>> clients = {};
  std::unique_ptr<worker_pool> quick = {};
  std::unique_ptr<worker_pool> slow = {};
  /// Whether the token's file is being read again.
  std::atomic<bool> is_refreshing = false;
  std::atomic<std::uint64_t> connections = 0;
  std::atomic<std::uint64_t> evicted = 0;
  /// Large bodies that are coming, or at work.
  std::size_t large_bodies = 0;

  [[nodiscard]] worker_pool& pool_of(const route& where) const {
    return where.is_slow ? *slow : *quick;
  }

  void add(client_id who, const std::shared_ptr<client_base>& client) {
    book.add(who, std::chrono::steady_clock::now());
    clients[who] = client;
    connections = book.size();
  }

  void forget(client_id who) {
    book.remove(who);
    clients.erase(who);
    connections = book.size();
  }

  /// Notices a token that was replaced, even if nobody shows the new one.
  void refresh_now_and_then() {
    constexpr std::chrono::seconds pace{1};
    if (how.token->age() < pace || is_refreshing.exchange(true))
      return;
    const auto posted = quick->post([this] {
      how.token->refresh();
      is_refreshing = false;
    });
    if (!posted)
      is_refreshing = false;
  }
};

} // namespace tune::http
