// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/output_client.hpp"

#include "tune/actors/firm.hpp"
#include "tune/io/files/guarded_directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace tune {

namespace {

/// Asks for a part of a file.
struct read_order {
  std::filesystem::path file;
  std::uint64_t offset = 0;
};

/// Bytes that were read, or why they cannot be.
struct read_bytes {
  std::string bytes;
  std::string why;
};

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_output)
TUNE_LOCAL_TYPE(tune_output, tune::read_order)
TUNE_LOCAL_TYPE(tune_output, tune::read_bytes)
TUNE_END_LOCAL_TYPES(tune_output)

namespace tune {

namespace {

using output_client_impl
    = extend<output_client_actor, caf::result<void>(piece_taken), caf::result<void>(tick_atom),
             caf::result<void>(output_server_actor)>;

/// Checks per `patience` whether the head took something.
constexpr unsigned ticks_of_patience = 10;

/// Blocks on the disk, so only its output client knows it: see docs/decisions/0005.
using reader_actor = typed_actor<
    // Answers with the next bytes, at most a piece.
    caf::result<read_bytes>(read_order),
    // Removes the file.
    caf::result<void>(std::string)>;

/// @returns an empty text if there is no such file, or no more of it.
expected<std::string> read_piece(const read_order& what) {
  auto directory = guarded_directory::holding(what.file);
  if (!directory)
    return directory.error();
  const auto name = what.file.filename().string();
  if (directory->oddity(name).empty() && !directory->has_file(name))
    return std::string{};
  auto opened = directory->read(name);
  if (!opened)
    return opened.error();
  std::string result(output_piece_bytes, '\0');
  ::ssize_t count = 0;
  do
    count = ::pread(opened->number(), result.data(), result.size(),
                    static_cast<::off_t>(what.offset));
  while (count < 0 && errno == EINTR);
  if (count < 0)
    return error{ec::unreadable, "cannot read " + what.file.string() + ": " + std::strerror(errno)};
  result.resize(static_cast<std::size_t>(count));
  return result;
}

reader_actor::behavior_type reader(reader_actor::pointer) {
  return {
      [](const read_order& what) {
        auto read = read_piece(what);
        return read ? read_bytes{std::move(*read), {}} : read_bytes{{}, read.error().detail};
      },
      [](const std::string& file) {
        if (auto directory = guarded_directory::holding(file))
          static_cast<void>(directory->remove(std::filesystem::path{file}.filename()));
      },
  };
}

/// One of the two output files of an attempt.
struct stream {
  std::filesystem::path file;
  /// Bytes that the head has.
  std::uint64_t done = 0;
  /// Where they begin in the head's file; absent until the head has said so.
  std::optional<std::uint64_t> begin;
  /// True while a piece is being read, or is on its way.
  bool busy = false;
  /// True if the file grew while it was busy.
  bool again = false;
  /// True once all of it is at the head, and the head knows the end.
  bool over = false;
  /// Why no more of it goes to the head; empty: it does.
  std::string broken;
};

/// A piece on its way.
struct sent_piece {
  output_key whose;
  std::size_t index = 0;
  std::size_t size = 0;
  bool is_question = false;
};

struct attempt_output {
  std::uint64_t trial = 0;
  std::array<stream, 2> streams;
  bool closing = false;
  /// Ticks since the head last took a piece.
  unsigned idle = 0;
  std::optional<caf::typed_response_promise<output_settled>> asker;
};

struct output_client_state {
  static inline const char* name = "tune.output_client";

  std::map<output_key, attempt_output> attempts;
  output_client_impl::pointer self = nullptr;
  /// Pieces on their way, by number.
  std::map<std::uint64_t, sent_piece> pieces;
  std::uint64_t last_number = 0;
  bool ticking = false;
  /// True once nothing goes to the head any more.
  bool lost = false;
  std::chrono::milliseconds patience{0};
  output_server_actor output_server;
  reader_actor reads;
  monitors watched;
  std::shared_ptr<const session_fence> gate;
  /// Counts output servers: what was read for an earlier one is read again.
  unsigned round = 0;

  void open(const output_opened& what) {
    if (lost)
      return;
    auto& fresh = attempts[what.whose];
    fresh.trial = what.trial;
    fresh.streams[0].file = what.out;
    fresh.streams[1].file = what.err;
  }

  void grow(const output_key& which) {
    auto known = attempts.find(which);
    if (known == attempts.end())
      return;
    for (std::size_t i = 0; i < 2; ++i)
      look(known->first, i);
  }

  /// Reads on from the end of what the head has.
  void look(const output_key& which, std::size_t index) {
    auto& from = attempts.at(which).streams[index];
    if (from.over || !from.broken.empty())
      return;
    if (std::exchange(from.busy, true)) {
      from.again = true;
      return;
    }
    from.again = false;
    request(self, reads, caf::infinite, read_order{from.file, from.done})
        .then([this, which, index,
               of = round](read_bytes& read) { pass(which, index, of, std::move(read)); },
              [this, which, index](const caf::error& why) {
                fail(which, index, render(self->system(), why));
              });
  }

  void pass(const output_key& which, std::size_t index, unsigned of, read_bytes read) {
    auto known = attempts.find(which);
    if (known == attempts.end() || of != round)
      return;
    if (!read.why.empty())
      return fail(which, index, read.why);
    auto& bytes = read.bytes;
    auto& [id, all] = *known;
    auto& from = all.streams[index];
    // The bytes are read again once the head is there.
    if (gate && !gate->is_open()) {
      from.busy = false;
      return;
    }
    if (bytes.empty() && !(all.closing && !from.again)) {
      from.busy = false;
      if (from.again)
        look(which, index);
      return;
    }
    output_piece piece;
    piece.number = ++last_number;
    piece.job = which.job;
    piece.trial = all.trial;
    piece.attempt = which.attempt;
    piece.rank = which.rank;
    piece.stream = index == 0 ? output_stream::out : output_stream::err;
    piece.offset = from.done;
    piece.begin = from.begin.value_or(0);
    // A stream in which nothing was printed has no place in the head's file. The bytes are read
    // again once the head has said where they belong.
    piece.is_question = !from.begin && !bytes.empty();
    if (!piece.is_question)
      piece.bytes = std::move(bytes);
    pieces[piece.number] = {which, index, piece.bytes.size(), piece.is_question};
    send(self, output_server, std::move(piece),
         output_sender_actor{caf::actor_cast<output_client_impl>(self)});
  }

  void hear(const piece_taken& what) {
    auto known = pieces.extract(what.number);
    if (known.empty())
      return;
    const auto& [which, index, size, is_question] = known.mapped();
    auto of = attempts.find(which);
    // The attempt was given up meanwhile.
    if (of == attempts.end())
      return;
    auto& from = of->second.streams[index];
    of->second.idle = 0;
    if (!what.why.empty())
      return fail(which, index, what.why);
    from.busy = false;
    from.done += size;
    from.over = size == 0 && !is_question;
    from.begin = what.begin;
    if (from.over)
      settle(which);
    else
      look(which, index);
  }

  void fail(const output_key& which, std::size_t index, const std::string& why) {
    auto known = attempts.find(which);
    if (known == attempts.end())
      return;
    known->second.streams[index].broken = why.empty() ? "unknown" : why;
    settle(which);
  }

  void close(const output_key& which, attempt_output& all) {
    all.closing = true;
    for (std::size_t i = 0; i < 2; ++i)
      look(which, i);
    settle(which);
    tick_later();
  }

  void tick_later() {
    if (!std::exchange(ticking, true))
      delayed_send(self, caf::actor_cast<output_client_impl>(self), patience / ticks_of_patience,
                   tick_atom_v);
  }

  /// Gives up after long silence: a trial must end even if its head takes nothing but stays in
  /// reach.
  void tick() {
    ticking = false;
    std::vector<output_key> stuck;
    for (auto& [which, all] : attempts) {
      // A head that is away is waited for as long as its attempts go on.
      if (gate && !gate->is_open())
        all.idle = 0;
      else if (all.asker && ++all.idle > ticks_of_patience)
        stuck.push_back(which);
    }
    for (const auto& which : stuck)
      give_up(which);
    if (std::any_of(attempts.begin(), attempts.end(), [](const auto& x) { return x.second.asker; }))
      tick_later();
  }

  void give_up(const output_key& which) {
    for (auto& x : attempts.at(which).streams) {
      if (!x.over && x.broken.empty())
        x.broken
            = "the head took nothing of it for "
              + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(patience).count())
              + " s";
    }
    settle(which);
  }

  /// Answers once both streams have ended, successfully or not.
  void settle(const output_key& which) {
    auto known = attempts.find(which);
    if (known == attempts.end() || !known->second.asker)
      return;
    std::string why;
    for (const auto& x : known->second.streams) {
      if (!x.over && x.broken.empty())
        return;
      if (why.empty())
        why = x.broken;
    }
    for (const auto& x : known->second.streams) {
      if (x.broken.empty())
        send_from_outside(reads, x.file.string());
    }
    auto asker = std::move(*known->second.asker);
    attempts.erase(known);
    asker.deliver(output_settled{std::move(why)});
  }

  /// Sends pieces again that were on their way and may be lost.
  void resume(const output_server_actor& to) {
    output_server = to;
    ++round;
    pieces.clear();
    for (auto& [which, all] : attempts) {
      all.idle = 0;
      for (std::size_t i = 0; i < all.streams.size(); ++i) {
        all.streams[i].busy = false;
        look(which, i);
      }
    }
  }

  /// Ends all attempts' output, since nobody takes it any more.
  void lose() {
    lost = true;
    for (auto& [which, all] : std::exchange(attempts, {})) {
      if (all.asker)
        all.asker->deliver(output_settled{"the head is out of reach"});
    }
    pieces.clear();
  }
};

output_client_impl::behavior_type
output_client(output_client_impl::stateful_pointer<output_client_state> self,
              const output_server_actor& output_server, const reader_actor& reads,
              std::chrono::milliseconds patience, std::shared_ptr<const session_fence> gate) {
  auto& state = state_of(self);
  state.self = self;
  state.patience = patience;
  state.output_server = output_server;
  state.reads = reads;
  state.gate = std::move(gate);
  stand_firm(self);
  state.watched.init(self);
  // With a gate, the head session looks for the head and says when it is lost.
  if (!state.gate)
    state.watched.watch(self, output_server, [&state](const caf::error&) { state.lose(); });
  share_end(self, reads);
  return {
      [&state](const output_opened& what) { state.open(what); },
      [&state](const output_grew& x) { state.grow(x.whose); },
      [self, &state](const output_closed& x) {
        auto answer = self->make_response_promise<output_settled>();
        auto known = state.attempts.find(x.whose);
        if (known == state.attempts.end() || state.lost) {
          answer.deliver(output_settled{"the head is out of reach"});
          return answer;
        }
        known->second.asker = answer;
        state.close(x.whose, known->second);
        return answer;
      },
      [&state](const piece_taken& x) { state.hear(x); },
      [&state](leave_atom) { state.lose(); },
      [&state](tick_atom) { state.tick(); },
      [&state](const output_server_actor& to) { state.resume(to); },
  };
}

} // namespace

output_client_actor spawn_output_client(caf::actor_system& system,
                                        output_server_actor output_server, bool own_thread,
                                        std::chrono::milliseconds patience,
                                        std::shared_ptr<const session_fence> gate) {
  auto reads = own_thread ? system.spawn<caf::detached>(reader) : system.spawn(reader);
  return output_client_actor{
      system.spawn(output_client, std::move(output_server), reads, patience, std::move(gate))};
}

void reconnect(const output_client_actor& whom, const output_server_actor& to) {
  send_from_outside(caf::actor_cast<output_client_impl>(whom), to);
}

} // namespace tune
