// SPDX-License-Identifier: BSD-3-Clause
#include "top/top_command.hpp"

#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "plot/text_chart.hpp"
#include "top/top_reader.hpp"
#include "top/top_state.hpp"
#include "top/top_terminal.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <clocale>
#include <filesystem>
#include <iostream>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

volatile sig_atomic_t ended_by = 0;

void note_end(int number) {
  ended_by = number;
}

/// While it lives, these signals end the loop instead of the process: the terminal is given back.
class noted_signals {
public:
  noted_signals() {
    struct sigaction how {};
    how.sa_handler = note_end;
    ::sigemptyset(&how.sa_mask);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ::sigaction(numbers[i], &how, &before_[i]);
  }
  ~noted_signals() {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ::sigaction(numbers[i], &before_[i], nullptr);
  }
  noted_signals(const noted_signals&) = delete;
  noted_signals& operator=(const noted_signals&) = delete;

private:
  static constexpr std::array numbers{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::array<struct sigaction, numbers.size()> before_{};
};

exit_code refuse(const error& why) {
  std::cerr << program_name() << " top: " << printable(to_text(why)) << '\n';
  return exit_code_for(why.code);
}

/// Reads, shows and listens until it is over. @errors those of the first reading.
expected<void> loop(top_terminal& on, top_reader& from, top_state& state, const style& colors) {
  constexpr std::chrono::milliseconds beat{100};
  auto has_data = false;
  for (terminal_size size; ended_by == 0 && !state.is_over();) {
    if (const auto now = on.size(); now != size) {
      size = now;
      state.resize(size);
    }
    from.want(state.wish());
    if (auto order = state.take_order())
      from.order(std::move(*order));
    if (auto told = from.take_told())
      state.told(std::move(*told));
    if (auto data = from.take()) {
      if (*data)
        state.take(std::move(**data));
      else if (!has_data)
        return data->error();
      else
        state.told(data->error().detail);
      has_data = true;
    }
    on.draw(state.lines(colors));
    if (auto key = on.key(beat))
      state.press(*key);
  }
  return {};
}

/// The experiment that was written last.
expected<fs::path> newest_below(const fs::path& storage) {
  fs::path result;
  fs::file_time_type last{};
  std::error_code failed;
  for (fs::directory_iterator i{storage, failed}, end; !failed && i != end; i.increment(failed)) {
    std::error_code missing;
    for (const char* name : {"", "-wal"}) {
      const auto when = fs::last_write_time(database_file(i->path()).string() + name, missing);
      if (!missing && (result.empty() || when > last)) {
        result = i->path();
        last = when;
      }
    }
  }
  if (result.empty())
    return error{ec::unreadable, storage.string() + ": there is no experiment below it; name one"};
  return result;
}

expected<std::unique_ptr<top_source>> source_of(const top_request& what, top_look look) {
  if (what.head)
    return make_head_source(what, look);
  auto directory = what.directory.empty() ? newest_below("results") : directory_of(what.directory);
  if (!directory)
    return directory.error();
  return make_record_source(fs::absolute(*directory).lexically_normal(), look);
}

/// How a signal ends the process.
exit_code code_of_end() {
  return ended_by == 0         ? exit_code::done
         : ended_by == SIGTERM ? exit_code::terminated
         : ended_by == SIGHUP  ? exit_code::hung_up
                               : exit_code::interrupted;
}

} // namespace

exit_code show_top(const command_line& line, const top_request& what) {
  std::setlocale(LC_CTYPE, "");
  const style colors{true};
  auto source = source_of(what, {locale_is_unicode(), colors});
  if (!source)
    return refuse(source.error());
  const noted_signals noted;
  expected<void> done;
  {
    top_reader reader{std::move(*source)};
    auto terminal
        = top_terminal::open(wants_color(line.color, terminal_environment::of_process(), true));
    if (!terminal)
      return refuse(terminal.error());
    top_state state{what.directory};
    done = loop(**terminal, reader, state, colors);
    // The terminal is given back before the last reading ends.
    terminal->reset();
  }
  return done ? code_of_end() : refuse(done.error());
}

} // namespace tune::cli
