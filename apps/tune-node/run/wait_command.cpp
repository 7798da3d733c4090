// SPDX-License-Identifier: BSD-3-Clause
#include "run/wait_command.hpp"

#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "inspect/failures.hpp"
#include "run/ending.hpp"
#include "run/snapshot.hpp"
#include "run/way_on.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/tuner/preparation.hpp"

#include <chrono>
#include <thread>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

/// Between two looks at the lock of a head, which the kernel answers in microseconds.
constexpr std::chrono::milliseconds pace{200};

error not_ended(const fs::path& directory, const recorded_experiment& x) {
  if (is_asked(x.what))
    return {ec::unreachable, directory.string()
                                 + ": no executor asks for its trials now (ask-tell)"
                                   " and it has not ended; "
                                 + executor_line(directory) + " goes on with it"};
  const auto way = way_on_in(directory);
  return {ec::unreachable, directory.string()
                               + ": nobody runs it and it has not ended: its head is gone; "
                               + way.command + " goes on with it" + way.note};
}

/// The recorded end of the experiment. @errors `ec::unreachable` where it has not ended.
expected<finished_run> end_in(const fs::path& directory) {
  auto opened = open_experiment(directory);
  if (!opened)
    return opened.error();
  auto& [reader, recorded] = *opened;
  if (recorded.row.status == "running")
    return not_ended(directory, recorded);
  auto result = recorded_end(reader, recorded.row, frame_of(recorded.what, directory));
  if (result)
    result->is_asked = is_asked(recorded.what);
  return result;
}

} // namespace

exit_code wait_for_experiment(const command_line& line, const wait_request& what,
                              const table_look& look) {
  auto found = directory_of(what.directory);
  if (!found)
    return complain(found.error());
  const auto directory = fs::absolute(*found).lexically_normal();
  while (is_led(directory))
    std::this_thread::sleep_for(pace);
  auto end = end_in(directory);
  if (!end)
    return complain(end.error());
  result_request wanted{line, {}};
  wanted.is_asked = end->is_asked;
  if (const auto way = way_on_in(directory); !way.is_resume) {
    wanted.way_on = way.command;
    wanted.way_on_note = way.note;
  }
  if (!write_result(wanted, end->last, end->how, look.colors))
    return exit_code::storage;
  return exit_code_of(end->how, what.strict, 0);
}

} // namespace tune::cli
