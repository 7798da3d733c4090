// SPDX-License-Identifier: BSD-3-Clause
#include "ship_bench_actors.hpp"

#include "tune/io/files/sha256.hpp"
#include "tune/net/package_client.hpp"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace tune::bench {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::minutes patience{10};

std::uint64_t status_kib(std::string_view key) {
  std::ifstream in{"/proc/self/status"};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key))
      return std::stoull(line.substr(key.size() + 1));
  }
  return 0;
}

/// Resident memory at the first call.
std::uint64_t first_kib() {
  static const auto result = status_kib("VmRSS:");
  return result;
}

head_actor::behavior_type head(head_actor::pointer, std::function<void(worker_actor)> greeted) {
  return {
      [greeted = std::move(greeted)](const worker_actor& who) { greeted(who); },
      [](ping_atom, std::uint64_t x) { return x; },
  };
}

bare_source_actor::behavior_type source(bare_source_actor::pointer self, const std::string& path) {
  const auto file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return {
      [self, file](const bare_ask& asked, const bare_sink_actor& who) {
        bare_piece result{std::string(chunk_bytes, '\0')};
        const auto count = ::pread(file, result.bytes.data(), result.bytes.size(),
                                   static_cast<::off_t>(asked.offset));
        result.bytes.resize(static_cast<std::size_t>(std::max<::ssize_t>(count, 0)));
        send(self, who, std::move(result));
      },
  };
}

struct sink_state {
  bare_source_actor from;
  done_actor done;
  std::uint64_t bytes = 0;
  std::uint64_t asked = 0;
  std::uint64_t written = 0;
  int file = -1;
  sha256 hash;

  // Has a constructor, so that CAF does not pass itself as the first member.
  sink_state() = default;

  template <class Self>
  void ask(Self* self) {
    if (asked >= bytes)
      return;
    send(self, from, bare_ask{asked}, caf::actor_cast<bare_sink_actor>(self));
    asked += chunk_bytes;
  }

  template <class Self>
  void take(Self* self, const bare_piece& piece) {
    const auto& text = piece.bytes;
    if (text.empty()
        || ::write(file, text.data(), text.size()) != static_cast<::ssize_t>(text.size()))
      return send(self, done, std::string{"the bare loop cannot read or write"});
    hash.update(text);
    written += text.size();
    ask(self);
    if (written < bytes)
      return;
    const bool good = !hash.finish().empty() && ::fsync(file) == 0;
    ::close(file);
    send(self, done, std::string{good ? "" : "the bare loop cannot sync"});
  }
};

/// @param path A new file.
bare_sink_actor::behavior_type sink(bare_sink_actor::stateful_pointer<sink_state> self,
                                    const std::string& path, std::uint64_t bytes,
                                    const bare_source_actor& from, const done_actor& done) {
  auto& state = state_of(self);
  state.from = from;
  state.done = done;
  state.bytes = bytes;
  constexpr ::mode_t readable = 0644;
  state.file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, readable);
  for (std::uint64_t i = 0; i < credit; ++i)
    state.ask(self);
  return {[self, &state](const bare_piece& piece) { state.take(self, piece); }};
}

/// An order being carried out.
struct task {
  caf::typed_response_promise<work_report> answer;
  std::unique_ptr<pinger> pings;
  peak_memory memory;
};

struct worker_state {
  fs::path directory;
  std::optional<task> now;

  worker_state() = default;

  void finish(const std::string& trouble) {
    if (!now)
      return;
    work_report result{trouble, now->memory.extra_kib(), now->pings->stop()};
    now->answer.deliver(result);
    now.reset();
  }
};

using worker_impl = extend<worker_actor, caf::result<void>(std::string)>;

worker_impl::behavior_type worker(worker_impl::stateful_pointer<worker_state> self,
                                  const std::string& directory) {
  auto& state = state_of(self);
  state.directory = directory;
  return {
      [self, &state](const work_order& order, const package_server_actor& package_server,
                     const bare_source_actor& from, const pong_actor& head) {
        auto answer = self->make_response_promise<work_report>();
        const auto place = state.directory / std::to_string(order.round);
        fs::create_directories(place);
        state.now.emplace(task{answer, std::make_unique<pinger>(self->system(), head), {}});
        if (order.job.empty()) {
          spawn_sink(self->system(), (place / "bare").string(), order.bytes, from,
                     caf::actor_cast<done_actor>(self));
          return answer;
        }
        auto package_client = spawn_package_client(self->system(), {place, chunk_bytes, credit});
        if (!package_client) {
          state.finish(to_text(package_client.error()));
          return answer;
        }
        request(self, *package_client, patience, fetch_job{order.job}, package_server)
            .then(
                [&state, keep = *package_client](const fetched_job& x) { state.finish(x.why); },
                [&state](const caf::error&) { state.finish("the package client did not answer"); });
        return answer;
      },
      [&state](const std::string& trouble) { state.finish(trouble); },
  };
}

} // namespace

pinger::pinger(caf::actor_system& system, const pong_actor& whom)
    : thread_{[this, &system, whom] { ask(system, whom); }} {}

std::uint64_t pinger::stop() {
  over_ = true;
  thread_.join();
  return longest_;
}

void pinger::ask(caf::actor_system& system, const pong_actor& whom) {
  constexpr std::chrono::milliseconds pause{2};
  caf::scoped_actor self{system};
  while (!over_) {
    const auto begin = clock_type::now();
    request(self.operator->(), whom, patience, ping_atom_v, std::uint64_t{0})
        .receive([](std::uint64_t) {}, [this](const caf::error&) { over_ = true; });
    const auto took = clock_type::now() - begin;
    longest_ = std::max<std::uint64_t>(
        longest_, std::chrono::duration_cast<std::chrono::microseconds>(took).count());
    std::this_thread::sleep_for(pause);
  }
}

void spawn_sink(caf::actor_system& system, const std::string& path, std::uint64_t bytes,
                const bare_source_actor& from, const done_actor& done) {
  system.spawn<caf::detached>(sink, path, bytes, from, done);
}

peak_memory::peak_memory() {
  static_cast<void>(first_kib());
  std::ofstream{"/proc/self/clear_refs"} << "5"; // resets the peak
}

std::uint64_t peak_memory::extra_kib() const {
  return std::max(status_kib("VmHWM:"), first_kib()) - first_kib();
}

head_actor spawn_head(caf::actor_system& system, std::function<void(worker_actor)> greeted) {
  return system.spawn(head, std::move(greeted));
}

bare_source_actor spawn_source(caf::actor_system& system, const fs::path& file) {
  return system.spawn<caf::detached>(source, file.string());
}

worker_actor spawn_worker(caf::actor_system& system, const fs::path& directory) {
  return system.spawn(worker, directory.string());
}

} // namespace tune::bench
