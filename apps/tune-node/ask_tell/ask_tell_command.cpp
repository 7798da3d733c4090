// SPDX-License-Identifier: BSD-3-Clause
#include "ask_tell/ask_tell_command.hpp"

#include "ask_tell/asked_sinks.hpp"
#include "ask_tell/disk_world.hpp"
#include "ask_tell/line_reader.hpp"
#include "ask_tell/shared_talk.hpp"
#include "console/text.hpp"
#include "run/ending.hpp"
#include "run/interrupts.hpp"
#include "run/load_configuration.hpp"
#include "serve/serving.hpp"

#include "tune/actors/system.hpp"

#include "tune/core/program_name.hpp"
#include "tune/io/loose_json.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/head_rules.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/rule_parts.hpp"
#include "tune/tuner/run_steps.hpp"
#include "tune/tuner/storage.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iostream>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Most bytes of a request. Executors send short texts: metrics and the name of a checkpoint.
constexpr std::size_t longest_line = 1024 * 1024;

/// Writes an answer; gives up on a signal while nobody reads it: it can be asked for again.
/// @param wave Becomes readable with a signal.
/// @returns whether all of it was written.
/// @errors `ec::storage`.
expected<bool> write_line(const object& answer, int wave) {
  auto text = to_json(answer) + "\n";
  for (std::string_view left = text; !left.empty();) {
    pollfd both[] = {{STDOUT_FILENO, POLLOUT, 0}, {wave, POLLIN, 0}};
    if (::poll(both, 2, -1) < 0 && errno != EINTR)
      return error{ec::storage,
                   std::string{"stdout cannot be waited for: "} + std::strerror(errno)};
    if (both[0].revents == 0 && both[1].revents != 0)
      return false;
    if (both[0].revents == 0)
      continue;
    // A write of this size does not block when there is room.
    auto written
        = ::write(STDOUT_FILENO, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
    if (written < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (written <= 0)
      return error{ec::storage, std::string{"the answer could not be written to stdout: "}
                                    + std::strerror(errno)};
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

expected<object> answer_to(conversation& with, const line_news& news) {
  if (news.what == line_news::kind::too_long)
    return fault_answer("a line has at most " + std::to_string(longest_line) + " bytes");
  json_limits limits;
  limits.bytes = longest_line;
  auto request = object_from_loose_json(news.text, json_position::plain, limits);
  if (!request)
    return fault_answer((has_too_large_number(request.error()) ? "" : "no JSON object: ")
                        + printable(request.error().detail));
  return with.answer(*request);
}

/// The signal that was received, and a descriptor that becomes readable then.
struct signal_wave {
  std::atomic<int> number = 0;
  int descriptor = ::eventfd(0, EFD_CLOEXEC);
  signal_wave() = default;
  signal_wave(const signal_wave&) = delete;
  signal_wave& operator=(const signal_wave&) = delete;
  ~signal_wave() { ::close(descriptor); }

  void give(int what) {
    number = what;
    std::uint64_t one = 1;
    while (::write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
  }
};

/// Answers line by line, to the end of the input or a signal.
exit_code converse(conversation& with, disk_world& world, signal_wave& wave) {
  line_reader lines{STDIN_FILENO, wave.descriptor, longest_line};
  for (;;) {
    auto news = lines.next();
    switch (news.what) {
      case line_news::kind::end:
        return exit_code::done;
      case line_news::kind::waved:
        return static_cast<exit_code>(128 + wave.number);
      case line_news::kind::failed:
        return complain({ec::storage, "stdin cannot be read: " + news.text});
      case line_news::kind::line:
      case line_news::kind::too_long:
        break;
    }
    auto answer = answer_to(with, news);
    auto told = answer ? write_line(*answer, wave.descriptor) : expected<bool>{answer.error()};
    if (!told) {
      complain(told.error());
      return exit_code::storage;
    }
    if (!*told)
      return static_cast<exit_code>(128 + wave.number);
    world.write_files(false);
  }
}

/// What a conversation by HTTP needs besides.
struct http_place {
  http_request how;
  fs::path directory;
  const choices& all;
  std::function<void()> tell;
};

/// Answers all who ask by HTTP, to a signal, or until nothing can be recorded.
exit_code converse_by_http(conversation& with, disk_world& world, signal_wave& wave,
                           const http_place& where) {
  std::atomic<bool> is_broken = false;
  const auto name = where.directory.filename().string();
  auto talk = std::make_shared<shared_talk>(with, world, name, [&](const error& why) {
    complain(why);
    is_broken = true;
    wave.give(0);
  });
  system_config config;
  caf::actor_system system{config};
  auto served = serving::start(system, where.directory, where.how, where.all, {talk, {}});
  if (!served)
    return complain(served.error());
  std::cout << (*served)->link() << std::endl;
  where.tell();
  ::pollfd one{wave.descriptor, POLLIN, 0};
  while (::poll(&one, 1, -1) < 0 && errno == EINTR) {}
  // Waits for requests that are being answered.
  (*served)->close();
  return is_broken ? exit_code::storage : static_cast<exit_code>(128 + wave.number);
}

/// Removes the section: whoever runs the trials, it is no trainable of ours. It is recorded like
/// that, so that an experiment of `run` cannot go on here, nor the other way round.
loaded_spec without_trainable(loaded_spec x) {
  x.what.trainable = {};
  return x;
}

/// Warns of keys that have no effect here.
void warn_of_idle_keys(const spec& what, disk_world& world) {
  if (what.checkpoint.frequency > 0 || what.checkpoint.at_end)
    world.warn("[checkpoint] frequency and at_end do nothing here: the executor says when it has a"
               " checkpoint");
}

/// Applies the rules that change with this head.
expected<void> follow(conversation& with, head_rules& heads, const on::opened& head) {
  auto change = heads.of(head);
  if (!change)
    return change.error();
  if (*change)
    with.go_by(std::move(**change));
  return {};
}

expected<void> replay(conversation& with, head_rules& heads, disk_world& world,
                      const fs::path& directory) {
  auto history = history_of(directory);
  for (;;) {
    auto some = history(with.machine().last_seq());
    if (!some)
      return some.error();
    if (some->empty())
      return {};
    for (const auto& x : *some) {
      const auto* head = std::get_if<on::opened>(&x.what);
      if (auto done = head == nullptr ? expected<void>{} : follow(with, heads, *head); !done)
        return done;
      with.replay(x);
    }
    world.go_on_from(some->back().at);
  }
}

conversation_parts parts_of(rule_parts made, std::shared_ptr<const search_space> space,
                            const ask_tell_request& what) {
  auto& rules = made.rules;
  auto constraints = made.settings.constraints;
  experiment machine{settings_for_executor(std::move(made.settings)), rules.judge->traits(),
                     rules.source->traits(), std::move(rules.stoppers)};
  return {std::move(machine),      std::move(rules.judge),
          std::move(rules.source), std::move(space),
          std::move(constraints),  what.http ? what.lease : std::chrono::nanoseconds{0}};
}

/// Whether the experiment there was ended before its samples were, by a condition say, and has no
/// more samples than it had then.
expected<bool> ended_early(const fs::path& directory, const spec& now) {
  auto is_over = needs_nothing_more(directory, now);
  if (!is_over || !*is_over)
    return is_over;
  auto reader = store_reader::open(directory);
  auto row = reader ? reader->experiment() : expected<experiment_row>{reader.error()};
  if (!row)
    return row.error();
  return !row->why.empty();
}

/// Begins the experiment, or goes on with it as the record says.
/// @param is_over Whether it was done, and has no more samples than then: what ended it still
/// holds.
expected<void> begin(conversation& with, head_rules& heads, disk_world& world,
                     const opened_storage& opened, on::opened opening, bool is_over) {
  if (opened.resumes) {
    auto done = replay(with, heads, world, opened.store->directory());
    if (done && is_over && with.machine().is_finished()) {
      with.look_on();
      return {};
    }
    if (done)
      done = follow(with, heads, opening);
    if (!done)
      return done;
  }
  return with.open(std::move(opening));
}

/// What a conversation is led with.
struct leading {
  const command_line& line;
  const ask_tell_request& what;
  const choices& all;
  const loaded_spec& loaded;
  fs::path directory;
  /// As for `begin`.
  bool is_over = false;
};

exit_code converse_as_asked(const leading& from, conversation& with, disk_world& world,
                            signal_wave& wave) {
  const auto tell = [&] {
    if (!from.line.quiet)
      std::cerr << program_name() << ": " << printable(from.directory.string())
                << ": waiting for requests\n";
  };
  if (from.what.http)
    return converse_by_http(with, world, wave,
                            {page_request(*from.what.http, from.loaded.what.cluster.certs),
                             from.directory, from.all, tell});
  tell();
  return converse(with, world, wave);
}

/// Leads the conversation from the opened storage to its end.
exit_code lead(const leading& from, rule_parts made, const opened_storage& opened,
               signal_wave& wave) {
  const auto& record = from.loaded.what;
  disk_world world{opened.store, record.log.trial_files, from.line.quiet};
  asked_sinks sinks{record, from.all.sinks, opened.store,
                    [quiet = from.line.quiet](const std::string& text) {
                      if (!quiet)
                        std::cerr << program_name() + ": warning: " + printable(text) + "\n";
                    }};
  world.tell_of_commits([&sinks] { sinks.committed(); });
  if (!opened.warning.empty())
    world.warn(opened.warning);
  warn_of_idle_keys(record, world);
  auto opening = opening_of(*opened.store, record, opening::executed);
  head_rules heads{opening.spec, made.settings, from.all.stoppers};
  conversation with{parts_of(std::move(made), from.loaded.space, from.what), world};
  auto begun = begin(with, heads, world, opened, std::move(opening), from.is_over);
  if (!begun) {
    complain(begun.error());
    return exit_code::storage;
  }
  const auto code = converse_as_asked(from, with, world, wave);
  world.write_files(true);
  sinks.finish();
  return code;
}

} // namespace

exit_code run_ask_tell(const command_line& line, const ask_tell_request& what, const choices& all) {
  auto read = load_or_complain(what.file, what.overrides, all, line.quiet, false);
  if (!read)
    return exit_code::configuration;
  auto loaded = without_trainable(std::move(*read));
  const auto& record = loaded.what;
  auto directory = fs::absolute(experiment_directory(record, fs::current_path()));
  auto resume = what.resume ? std::optional{resume_mode::automatic} : std::nullopt;
  auto ready = prepare(loaded, directory, resume, fs::current_path());
  if (!ready)
    return complain(ready.error());
  warn(*ready, line.quiet);
  signal_wave wave;
  // A wait for an external searcher is not ended by `wave`, but by this switch.
  auto searcher = std::make_shared<searcher_switch>();
  interrupts watch{[&](int number) {
                     wave.give(number);
                     searcher->off();
                   },
                   [](int number) { ::_exit(128 + number); }};
  auto news = std::make_shared<searcher_news>();
  news->listen([quiet = line.quiet](const std::string& text) {
    warn(std::vector<std::string>{text}, quiet);
  });
  auto made = make_rule_parts(loaded, all, directory, searcher, news);
  if (!made) {
    complain(made.error());
    return exit_code::configuration;
  }
  if (what.http) {
    if (auto can = can_serve(page_request(*what.http, record.cluster.certs)); !can)
      return complain(can.error());
  }
  auto is_over = ended_early(directory, record);
  if (!is_over)
    return complain(is_over.error());
  auto opened = open_storage(directory, record, resume);
  if (!opened)
    return complain(opened.error());
  return lead({line, what, all, loaded, directory, *is_over}, std::move(*made), *opened, wave);
}

} // namespace tune::cli
