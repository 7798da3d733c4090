// SPDX-License-Identifier: BSD-3-Clause
#include "serve/serve_command.hpp"

#include "console/text.hpp"
#include "run/interrupts.hpp"
#include "serve/serving.hpp"
#include "tune/actors/system.hpp"
#include "tune/core/program_name.hpp"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <iostream>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

exit_code refuse(const error& why) {
  std::cerr << program_name() << " serve: " << printable(to_text(why)) << '\n';
  return exit_code_for(why.code);
}

expected<fs::path> place_of(const serve_request& what) {
  std::error_code why;
  auto result = fs::canonical(what.place, why);
  if (why || !fs::is_directory(result, why))
    return error{ec::unreadable, what.place + ": there is no such directory"};
  return result;
}

} // namespace

exit_code serve_experiments(const command_line& line, const serve_request& what,
                            const choices& all) {
  auto place = place_of(what);
  if (!place)
    return refuse(place.error());
  if (auto can = can_serve(what.http); !can)
    return refuse(can.error());
  system_config config;
  caf::actor_system system{config};
  std::promise<void> gone;
  std::atomic<bool> is_told = false;
  interrupts watch{[&](int) {
                     if (!is_told.exchange(true))
                       gone.set_value();
                   },
                   [](int number) { ::_exit(128 + number); }};
  auto http = what.http;
  // Made anew by `can_serve`, if at all.
  http.new_token = false;
  auto served = serving::start(system, *place, http, all);
  if (!served)
    return refuse(served.error());
  std::cout << (*served)->link() << std::endl;
  if (!line.quiet)
    std::cerr << program_name() << " serve: " << printable(place->string())
              << " is served until Ctrl-C; the token is in "
              << printable((*served)->token_file().string()) << '\n';
  gone.get_future().wait();
  (*served)->close();
  return exit_code::done;
}

} // namespace tune::cli
