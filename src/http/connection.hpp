/// One client's connection: reads requests one by one, and sends their responses. Private to the
/// server; included by one source only, since Beast's headers are heavy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "response_text.hpp"
#include "server_core.hpp"
#include "tune/http/byte_pipe.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>

#include <sys/socket.h>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace tune::http {

namespace asio = boost::asio;
namespace beast = boost::beast;

using plain_stream = beast::tcp_stream;
using tls_stream = beast::ssl_stream<beast::tcp_stream>;

/// Largest body that any parser takes; what a route takes is checked besides. [bytes]
inline constexpr std::uint64_t largest_body = 64 * 1024 * 1024;
/// Most bytes of a piece that is sent or received at once.
inline constexpr std::size_t piece_size = 64 * 1024;

/// All functions are called by the server's thread.
template <class Stream>
class connection final : public client_base,
                         public std::enable_shared_from_this<connection<Stream>> {
public:
  connection(server_core& core, client_id who, Stream stream)
      : core_{core}, who_{who}, stream_{std::move(stream)} {}

  void begin() override {
    if constexpr (std::is_same_v<Stream, tls_stream>) {
      expire_in(core_.how.limits.head_time);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](beast::error_code why) {
                                if (why)
                                  return self->drop();
                                self->await_request();
                              });
    } else {
      await_request();
    }
  }

  void drop() override {
    if (std::exchange(is_gone_, true))
      return;
    if (pipe_)
      pipe_->close();
    end_large_body();
    core_.forget(who_);
    beast::get_lowest_layer(stream_).close();
  }

private:
  using parser = beast::http::request_parser<beast::http::string_body>;

  server_core& core_;
  client_id who_;
  Stream stream_;
  beast::flat_buffer buffer_{piece_size};
  std::optional<parser> parser_;
  std::size_t served_ = 0;
  bool is_gone_ = false;
  bool has_large_body_ = false;
  /// The request at work.
  std::optional<admitted> admitted_;
  std::chrono::steady_clock::time_point body_until_;
  // The response that is sent: its head and body, then what comes by a pipe.
  std::string head_;
  std::string body_;
  std::string_view fixed_;
  std::shared_ptr<byte_pipe> pipe_;
  body_end end_ = body_end::none;
  bool closes_ = false;
  bool awaits_pipe_ = false;
  bool watches_ = false;

  void expire_in(std::chrono::milliseconds time) {
    beast::get_lowest_layer(stream_).expires_after(time);
  }

  auto self() { return this->shared_from_this(); }

  // -- The head of a request.

  void await_request() {
    if (is_gone_)
      return;
    admitted_.reset();
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(core_.how.limits.head));
    parser_->body_limit(largest_body);
    if (buffer_.size() > 0)
      return read_head();
    buffer_.shrink_to_fit();
    expire_in(core_.how.limits.idle_time);
    stream_.async_read_some(buffer_.prepare(1024),
                            [self = self()](beast::error_code why, std::size_t count) {
                              if (why)
                                return self->drop();
                              self->buffer_.commit(count);
                              self->read_head();
                            });
  }

  void read_head() {
    expire_in(core_.how.limits.head_time);
    beast::http::async_read_header(stream_, buffer_, *parser_,
                                   [self = self()](beast::error_code why, std::size_t) {
                                     if (why)
                                       return self->fail_to_read(why);
                                     self->judge(false);
                                   });
  }

  void fail_to_read(beast::error_code why) {
    using beast::http::error;
    if (is_gone_ || why == error::end_of_stream || why == asio::error::eof
        || why == asio::error::connection_reset)
      return drop();
    // A body may be cut off anywhere: nothing that follows can be believed.
    closes_ = true;
    if (why == beast::error::timeout)
      // The stream is closed by the time-out.
      return drop();
    if (why == error::header_limit || why == error::buffer_overflow)
      return refuse({431, "too_long", "the head of the request is too long"});
    if (why == error::body_limit)
      return refuse({413, "too_long", "the body is too long"});
    if (why == error::bad_version)
      return refuse({505, "bad_version", "this server speaks HTTP/1.1"});
    refuse({400, "bad_syntax", "this is no HTTP request"});
  }

  [[nodiscard]] request_head head_of_request() const {
    const auto& message = parser_->get();
    request_head result{std::string{message.method_string()}, std::string{message.target()}, {}};
    for (const auto& x : message)
      result.headers.add(std::string{x.name_string()}, std::string{x.value()});
    return result;
  }

  /// @param is_sure Whether the token was read a moment ago.
  void judge(bool is_sure) {
    if (is_gone_)
      return;
    core_.refresh_now_and_then();
    const auto unix_now = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now().time_since_epoch());
    auto verdict = core_.door.admit(head_of_request(), core_.how.token->token(), is_sure, unix_now,
                                    std::chrono::steady_clock::now());
    if (std::holds_alternative<token_in_doubt>(verdict))
      return look_at_token_again();
    if (const auto* why = std::get_if<problem>(&verdict))
      return refuse(*why);
    admitted_ = std::move(std::get<admitted>(verdict));
    if (admitted_->is_proven)
      core_.book.prove(who_);
    take_body();
  }

  /// Not by the threads of quick requests: the file may lie where reading takes long, and strangers
  /// may ask as often as they like.
  void look_at_token_again() {
    const auto posted = core_.slow->post([self = self(), &core = core_] {
      core.how.token->refresh();
      asio::post(core.io, [self] { self->judge(true); });
    });
    if (!posted)
      refuse(too_busy());
  }

  static problem too_busy() { return {503, "busy", "too many requests wait: try again"}; }

  // -- Its body.

  /// @returns false if too many large bodies are here already.
  [[nodiscard]] bool begin_large_body() {
    const auto& limits = core_.how.limits;
    if (admitted_->where->body <= limits.large_body)
      return true;
    if (core_.large_bodies >= limits.large_bodies)
      return false;
    ++core_.large_bodies;
    has_large_body_ = true;
    return true;
  }

  void end_large_body() {
    if (std::exchange(has_large_body_, false))
      --core_.large_bodies;
  }

  void take_body() {
    if (!begin_large_body())
      return refuse(too_busy());
    parser_->body_limit(admitted_->where->body);
    const auto expect = admitted_->what.headers.only("Expect");
    if (expect
        && !beast::iequals(beast::string_view{expect->data(), expect->size()}, "100-continue"))
      return refuse({417, "bad_expectation", "100-continue is the only expectation here"});
    // One second more for each 64 KiB.
    const auto more = std::chrono::seconds{admitted_->where->body / piece_size};
    body_until_ = std::chrono::steady_clock::now() + core_.how.limits.stall_time + more;
    if (parser_->is_done() || !expect)
      return read_body();
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    expire_in(core_.how.limits.stall_time);
    asio::async_write(stream_, asio::buffer(go_on.data(), go_on.size()),
                      [self = self()](beast::error_code why, std::size_t) {
                        if (why)
                          return self->drop();
                        self->read_body();
                      });
  }

  void read_body() {
    if (is_gone_)
      return;
    if (parser_->is_done())
      return dispatch();
    if (std::chrono::steady_clock::now() > body_until_)
      return drop();
    expire_in(core_.how.limits.stall_time);
    beast::http::async_read_some(stream_, buffer_, *parser_,
                                 [self = self()](beast::error_code why, std::size_t) {
                                   if (why)
                                     return self->fail_to_read(why);
                                   self->read_body();
                                 });
  }

  // -- The answer.

  void dispatch() {
    core_.book.serve(who_, true, std::chrono::steady_clock::now());
    beast::get_lowest_layer(stream_).expires_never();
    auto& what = admitted_->what;
    what.body = std::move(parser_->get().body());
    const auto* where = admitted_->where;
    auto task = [self = self(), &core = core_, where, what] {
      auto told = std::make_shared<response>(answer_safely(core.how.answer, what, *where));
      asio::post(core.io, [self, told] { self->respond(std::move(*told)); });
    };
    if (!core_.pool_of(*where).post(std::move(task)))
      refuse(too_busy());
  }

  static response answer_safely(const request_handler& answer, const request& what,
                                const route& where) {
    try {
      return answer(what, where);
    } catch (const std::exception&) {
      // The text may hold anything; it is of no use to a client.
      return to_response({500, "internal", "the program itself is at fault"});
    }
  }

  void refuse(const problem& why) {
    auto told = to_response(why);
    if (!parser_->is_done())
      told.closes = true;
    respond(std::move(told));
  }

  [[nodiscard]] bool is_head_request() const {
    return parser_->get().method() == beast::http::verb::head;
  }

  /// Decides how the body of a response ends.
  [[nodiscard]] body_end end_of(const response& what) const {
    if (what.status == 204 || what.status == 304)
      return body_end::none;
    if (!what.stream || what.stream_size)
      return body_end::length;
    return parser_->get().version() >= 11 ? body_end::chunks : body_end::connection;
  }

  void respond(response what) {
    if (is_gone_) {
      if (what.stream)
        what.stream->close();
      return;
    }
    end_large_body();
    ++served_;
    core_.book.serve(who_, true, std::chrono::steady_clock::now());
    if (core_.how.answered)
      core_.how.answered(method_from(std::string_view{parser_->get().method_string().data(),
                                                      parser_->get().method_string().size()}),
                         admitted_ ? admitted_->where->id : std::string{}, what.status);
    end_ = end_of(what);
    closes_ = closes_ || what.closes || end_ == body_end::connection || !parser_->is_done()
              || !parser_->get().keep_alive()
              || served_ >= core_.how.limits.requests_per_connection;
    const auto size
        = what.stream ? what.stream_size.value_or(0) : what.fixed.size() + what.body.size();
    head_ = head_text(what, end_, size, closes_);
    send(std::move(what));
  }

  void send(response what) {
    const auto has_body = end_ != body_end::none && !is_head_request();
    body_ = has_body ? std::move(what.body) : std::string{};
    fixed_ = has_body ? what.fixed : std::string_view{};
    if (what.stream && !has_body)
      what.stream->close();
    pipe_ = has_body ? std::move(what.stream) : nullptr;
    if (pipe_ && end_ == body_end::chunks && !body_.empty())
      body_ = chunk_of(body_);
    if (pipe_)
      pipe_->when_ready([weak = this->weak_from_this(), &io = core_.io] {
        asio::post(io, [weak] {
          if (auto self = weak.lock())
            self->go_on_with_pipe();
        });
      });
    write(head_, 0);
  }

  /// Writes the rest of a text, and then what comes after it.
  void write(std::string_view text, std::size_t from) {
    if (is_gone_)
      return;
    if (from == text.size())
      return after(text);
    expire_in(core_.how.limits.stall_time);
    const auto piece = text.substr(from, piece_size);
    stream_.async_write_some(asio::buffer(piece.data(), piece.size()),
                             [self = self(), text, from](beast::error_code why, std::size_t count) {
                               if (why)
                                 return self->drop();
                               self->write(text, from + count);
                             });
  }

  void after(std::string_view text) {
    if (text.data() == head_.data() && !head_.empty()) {
      head_.clear();
      return write(body_, 0);
    }
    body_.clear();
    if (!fixed_.empty()) {
      const auto next = std::exchange(fixed_, {});
      return write(next, 0);
    }
    if (pipe_)
      return pump();
    end_response();
  }

  // -- A body that comes bit by bit.

  void go_on_with_pipe() {
    if (std::exchange(awaits_pipe_, false))
      pump();
  }

  void pump() {
    if (is_gone_)
      return;
    auto bytes = pipe_->take(piece_size);
    if (!bytes.empty()) {
      body_ = end_ == body_end::chunks ? chunk_of(bytes) : std::move(bytes);
      return write(body_, 0);
    }
    switch (pipe_->how()) {
      case byte_pipe::state::broken:
        return drop();
      case byte_pipe::state::whole:
        pipe_.reset();
        if (end_ == body_end::chunks)
          body_ = "0\r\n\r\n";
        return write(body_, 0);
      case byte_pipe::state::open:
        awaits_pipe_ = true;
        beast::get_lowest_layer(stream_).expires_never();
        return watch_for_end();
    }
  }

  /// Notices a client that goes while there is nothing to send to it.
  void watch_for_end() {
    if (std::exchange(watches_, true))
      return;
    auto& socket = beast::get_lowest_layer(stream_).socket();
    socket.async_wait(asio::socket_base::wait_read, [self = self()](beast::error_code why) {
      self->watches_ = false;
      if (why || self->is_gone_ || !self->pipe_)
        return;
      char byte = 0;
      const auto number = beast::get_lowest_layer(self->stream_).socket().native_handle();
      if (::recv(number, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
        self->drop();
    });
  }

  // -- Its end.

  void end_response() {
    if (closes_)
      return leave();
    core_.book.serve(who_, false, std::chrono::steady_clock::now());
    await_request();
  }

  /// Closes in such a way that the client gets the whole response, although it may still be
  /// sending.
  void leave() {
    constexpr std::chrono::seconds patience{2};
    core_.book.serve(who_, false, std::chrono::steady_clock::now());
    expire_in(patience);
    if constexpr (std::is_same_v<Stream, tls_stream>) {
      stream_.async_shutdown([self = self()](beast::error_code) { self->drop(); });
    } else {
      beast::error_code ignored;
      stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
      discard(0);
    }
  }

  void discard(std::size_t so_far) {
    constexpr std::size_t most = 1024 * 1024;
    if (is_gone_ || so_far > most)
      return drop();
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(16 * 1024),
                            [self = self(), so_far](beast::error_code why, std::size_t count) {
                              if (why)
                                return self->drop();
                              self->discard(so_far + count);
                            });
  }
};

} // namespace tune::http
