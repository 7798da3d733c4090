// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/output_server.hpp"

#include "tune/actors/firm.hpp"
#include "tune/actors/job_servers.hpp"
#include "tune/core/trial/counted_attempts.hpp"
#include "tune/io/files/guarded_directory.hpp"
#include "tune/io/process/output_bound.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

namespace tune {

namespace {

namespace fs = std::filesystem;

/// Nothing more of this attempt's output counts.
struct output_given_up {
  std::string job;
  trial_id trial = {};
  attempt_id attempt = {};
};

/// The output server, with what it passes on for its writers.
using output_server_impl
    = extend<output_server_local_actor, caf::result<void>(piece_taken, output_sender_actor),
             caf::result<void>(output_given_up)>;

constexpr const char* knows_no_job = "the head knows no job ";

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_output_server)
TUNE_LOCAL_TYPE(tune_output_server, tune::output_given_up)
TUNE_LOCAL_HANDLE(tune_output_server, tune::output_server_impl)
TUNE_END_LOCAL_TYPES(tune_output_server)

namespace tune {

namespace {

/// Blocks on the disk, so it talks to its output server only: see docs/decisions/0005. There is one
/// for each job whose workers are currently sending output.
using output_writer_actor
    = typed_actor<caf::result<void>(output_piece, output_sender_actor, output_server_impl),
                  caf::result<void>(job_place),
                  // Answers once no work of the job is left: it may then serve another.
                  caf::result<void>(job_withdrawn)>;

std::string why_not(const char* what, const fs::path& file) {
  return std::string{"cannot "} + what + " " + file.string() + ": " + std::strerror(errno);
}

struct output_writer_state {
  static inline const char* name = "tune.output_writer";

  using stream_key
      = std::tuple<std::string, std::uint32_t, std::uint64_t, output_stream, std::uint32_t>;

  struct place_of {
    /// Position in the file at which the attempt began: earlier attempts printed before.
    std::uint64_t begin = 0;
    /// Bytes of the attempt that are in the file.
    std::uint64_t done = 0;
  };

  std::map<std::string, job_place> places;
  std::map<stream_key, place_of> streams;
  /// Which attempts have printed, by job and rank: all attempts of a trial print into the same
  /// files, each rank into its own.
  std::map<std::pair<std::string, std::uint32_t>, counted_attempts> attempts;
  bool takes_over = false;

  /// Writes a piece, or finds where its attempt begins.
  piece_taken put(const output_piece& x) {
    auto place = places.find(x.job);
    if (place == places.end())
      return {x.number, knows_no_job + x.job};
    auto& printed = attempts[{x.job, x.rank}];
    std::string why{printed.why_not(trial_id{x.trial}, x.attempt)};
    if (why.empty())
      why = append(x, place->second);
    if (why.empty() && !is_end(x))
      printed.note(trial_id{x.trial}, x.attempt);
    const auto known = streams.find(key_of(x));
    return {x.number, std::move(why), known == streams.end() ? 0 : known->second.begin};
  }

  static bool is_end(const output_piece& x) { return !x.is_question && x.bytes.empty(); }
  static stream_key key_of(const output_piece& x) {
    return {x.job, x.attempt.epoch, x.attempt.counter, x.stream, x.rank};
  }

  std::string append(const output_piece& x, const job_place& of) {
    const auto key = key_of(x);
    const auto stream
        = (x.stream == output_stream::out ? "stdout" : "stderr") + rank_suffix(x.rank);
    const auto trials = of.directory / "trials";
    std::error_code ignored;
    // Where nothing was printed there is nothing to cut.
    const auto ended = is_end(x) ? streams.extract(key) : decltype(streams)::node_type{};
    if (is_end(x) && !fs::exists(trials / to_text(trial_id{x.trial}) / stream, ignored))
      return {};
    fs::create_directories(trials, ignored);
    // Opened for each piece, since an attempt that is lost never ends its stream.
    auto folder = guarded_directory::make(trials, to_text(trial_id{x.trial}));
    if (!folder)
      return folder.error().detail;
    if (is_end(x))
      return cut(*folder, stream, of.output_cap, ended ? ended.mapped().begin : 0);
    // An attempt that was lost has not ended its stream: what it left may be beyond the cap.
    if (x.is_question && !streams.contains(key)) {
      if (auto why = cut(*folder, stream, of.output_cap, 0); !why.empty())
        return why;
    }
    constexpr ::mode_t readable_by_all = 0644;
    auto opened = folder->update(stream, readable_by_all);
    if (!opened)
      return opened.error().detail;
    const auto file = folder->path() / stream;
    if (!opened->replaced.empty()) {
      if (auto why = begin_anew(opened->file, key, x, replaced_text(file, opened->replaced));
          !why.empty())
        return why + file.string();
    }
    return write(opened->file.number(), key, x, file);
  }

  /// What an attempt printed stands behind what earlier ones left, and was capped for itself: only
  /// what is kept of all of them stays. @returns why that cannot be done; empty if it is.
  static std::string cut(const guarded_directory& folder, const std::string& stream,
                         std::uint64_t cap, std::uint64_t newest) {
    auto done = keep_within_cap(folder, stream, cap, newest);
    return done ? std::string{} : done.error().detail;
  }

  /// Begins a new file with a line that says what it replaced; earlier output is lost.
  std::string begin_anew(const store::descriptor& file, const stream_key& key,
                         const output_piece& x, const std::string& note) {
    const auto line = "[" + note + "]\n";
    if (::write(file.number(), line.data(), line.size()) != static_cast<::ssize_t>(line.size()))
      return std::string{"cannot write: "} + std::strerror(errno) + ": ";
    // The piece comes after the line: `begin` + offset wraps round to its length.
    streams[key] = {line.size() - x.offset, x.offset};
    return {};
  }

  void forget(const std::string& job) {
    places.erase(job);
    std::erase_if(attempts, [&](const auto& x) { return x.first.first == job; });
    std::erase_if(streams, [&](const auto& x) { return std::get<0>(x.first) == job; });
  }

  /// Where an attempt stands in a file of `size` bytes, by the first that this head hears of it.
  [[nodiscard]] place_of place_in(std::uint64_t size, const output_piece& x) const {
    if (x.is_question || !takes_over)
      return {size, 0};
    // The head before took all up to the piece, and perhaps of the piece itself, without an answer.
    const auto at = x.begin + x.offset;
    if (at <= size && size - at <= output_piece_bytes)
      return {x.begin, x.offset};
    // The file lacks what that head took, or has more: `begin` may wrap round.
    return {size - x.offset, x.offset};
  }

  std::string write(int descriptor, const stream_key& key, const output_piece& x,
                    const fs::path& file) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0)
      return why_not("look at", file);
    const auto size = static_cast<std::uint64_t>(about.st_size);
    auto& stream = streams.try_emplace(key, place_in(size, x)).first->second;
    if (x.is_question)
      return {};
    // A piece may come twice but may not leave a gap: one message could make the file huge.
    if (x.offset > stream.done)
      return "a piece of output at " + std::to_string(x.offset) + " does not follow on what came, "
             + std::to_string(stream.done) + " bytes";
    std::size_t done = 0;
    while (done < x.bytes.size()) {
      auto count = ::pwrite(descriptor, x.bytes.data() + done, x.bytes.size() - done,
                            static_cast<off_t>(stream.begin + x.offset + done));
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return why_not("write", file);
      done += static_cast<std::size_t>(count);
    }
    stream.done = std::max(stream.done, x.offset + x.bytes.size());
    return {};
  }
};

output_writer_actor::behavior_type
output_writer(output_writer_actor::stateful_pointer<output_writer_state> self, bool takes_over) {
  auto& state = state_of(self);
  state.takes_over = takes_over;
  return {
      [self, &state](const output_piece& x, const output_sender_actor& who,
                     const output_server_impl& by) { send(self, by, state.put(x), who); },
      [&state](const job_place& x) { state.places[x.job] = x; },
      [&state](const job_withdrawn& x) { state.forget(x.job); },
  };
}

struct output_server_state {
  static inline const char* name = "tune.output_server";

  struct served_job {
    job_place place;
    /// Those that were given up.
    counted_attempts attempts = {};
  };

  std::map<std::string, served_job> jobs;
  output_server_impl::pointer self = nullptr;
  bool own_thread = true;
  bool takes_over = false;
  /// One writer per job, so that a disk that stands still blocks no other job.
  job_pool<output_writer_actor> writers;

  /// @errors `ec::refused` for a job that is not here, and for an attempt of which nothing counts
  ///   any more; `ec::shortage`.
  expected<output_writer_actor> writer_for(const output_piece& x) {
    const auto job = jobs.find(x.job);
    if (job == jobs.end())
      return error{ec::refused, knows_no_job + x.job};
    const trial_id trial{x.trial};
    if (auto why = job->second.attempts.why_not(trial, x.attempt); !why.empty())
      return error{ec::refused, std::string{why}};
    const auto* known = writers.of(x.job);
    return known != nullptr ? expected<output_writer_actor>{*known} : begin_to_serve(job->second);
  }

  expected<output_writer_actor> begin_to_serve(const served_job& what) {
    auto result
        = server_of(self, writers, what.place.job, own_thread, [this] { return spawn_writer(); });
    if (result)
      send(self, *result, what.place);
    return result;
  }

  [[nodiscard]] output_writer_actor spawn_writer() const {
    auto& system = self->system();
    return own_thread ? system.spawn<caf::detached>(output_writer, takes_over)
                      : system.spawn(output_writer, takes_over);
  }

  void take(output_piece& x, const output_sender_actor& who) {
    if (!is_of_sender(self, who))
      return;
    if (auto writer = writer_for(x))
      send(self, *writer, std::move(x), who, output_server_impl{self});
    else
      send(self, who, piece_taken{x.number, writer.error().detail});
  }

  void add(const job_place& x) {
    jobs[x.job] = {x};
    if (const auto* known = writers.of(x.job))
      send(self, *known, x);
  }

  void withdraw(const job_withdrawn& x) {
    jobs.erase(x.job);
    end_service(self, writers, x.job, x);
  }

  void give_up(const output_given_up& x) {
    if (auto here = jobs.find(x.job); here != jobs.end())
      here->second.attempts.give_up(x.trial, x.attempt);
  }
};

output_server_impl::behavior_type
output_server(output_server_impl::stateful_pointer<output_server_state> self, bool own_thread,
              bool takes_over) {
  stand_firm(self);
  auto& state = state_of(self);
  state.self = self;
  state.own_thread = own_thread;
  state.takes_over = takes_over;
  return {
      [&state](output_piece& x, const output_sender_actor& who) { state.take(x, who); },
      [&state](const job_place& x) { state.add(x); },
      [&state](const job_withdrawn& x) { state.withdraw(x); },
      [self](piece_taken& x, const output_sender_actor& who) { send(self, who, std::move(x)); },
      [&state](const output_given_up& x) { state.give_up(x); },
  };
}

} // namespace

output_server_local_actor spawn_output_server(caf::actor_system& system, bool own_thread,
                                              bool takes_over) {
  return output_server_local_actor{system.spawn(output_server, own_thread, takes_over)};
}

void give_up(const output_server_local_actor& whom, const std::string& job, trial_id trial,
             attempt_id attempt) {
  send_from_outside(caf::actor_cast<output_server_impl>(whom),
                    output_given_up{job, trial, attempt});
}

} // namespace tune
