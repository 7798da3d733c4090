// One way for both: what is wanted is packed here, or by a process of the head on its machine, and
// unpacked here.
// SPDX-License-Identifier: BSD-3-Clause
#include "client/fetch_command.hpp"

#include "client/archive_packer.hpp"
#include "client/arriving_copy.hpp"
#include "client/fetch_from_bucket.hpp"
#include "client/fetched_copy.hpp"
#include "client/fetched_place.hpp"
#include "client/remote_command.hpp"
#include "console/text.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/ending.hpp"
#include "run/interrupts.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/control/control_place.hpp"
#include "tune/io/object_store/object_store.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <iostream>
#include <utility>

namespace tune::cli {

namespace fs = std::filesystem;

namespace {

using part = fetch_request::part;

/// Attempts to fetch something that changes meanwhile.
constexpr int most_fetches = 3;
/// What `exit_code` a sender ends with where something changed while it was packed.
constexpr auto has_changed = exit_code::again;

// -- The sending side.

/// A trial may run; a checkpoint, an export or an experiment that nobody runs is to stay as it is.
packing_rules rules_for(part what) {
  packing_rules result;
  if (what == part::trial)
    result.may_change = [](const std::string&) { return true; };
  if (what != part::experiment)
    return result;
  const auto database = database_file({}).string();
  // Whoever reads the record makes and removes this; what it holds counts by `record_mark`.
  result.may_change
      = [log = database + "-wal"](const std::string& path) { return path.empty() || path == log; };
  result.without = {"lock", ".control", database + "-shm"};
  result.followed = {trials_directory({}).string()};
  return result;
}

bool has_list(const fetched_place& place, part what) {
  return (what == part::checkpoint || what == part::exports)
         && fs::exists(fs::symlink_status(place.path() / checkpoint_manifest_name));
}

void tell_left_out(const packing_result& x) {
  if (x.left_out > 0)
    std::cerr << program_name() << ": left out "
              << (x.left_out == 1 ? "one thing that is no file, directory or link: "
                                  : std::to_string(x.left_out)
                                        + " things that are no files, directories or links, such"
                                          " as ")
              << printable(x.first_left_out) << '\n';
}

/// It was found, and cannot be opened.
exit_code not_there(const fetch_request& what, const fs::path& directory,
                    const fetched_place& place, const error& why) {
  std::error_code failed;
  if (fs::exists(place.path(), failed) || failed)
    return complain(why);
  // A better checkpoint may have come at this very moment.
  auto now = place_of(what, directory);
  return now && now->path() != place.path()
             ? has_changed
             : complain(nothing_there(place.path(), "it is not there any more"));
}

/// Sends what is wanted: a line about it, then the archive.
/// @returns `has_changed`, without a word, if that has happened.
exit_code send_wanted(const fetch_request& what, const byte_taker& to) {
  auto found = directory_of(what.directory);
  if (!found)
    return complain(found.error());
  const auto directory = fs::absolute(*found).lexically_normal();
  const auto mark = record_mark::of(directory);
  auto place = place_of(what, directory);
  if (!place)
    return complain(place.error());
  auto from = guarded_directory::open(place->trusted, place->way);
  if (!from)
    return not_there(what, directory, *place, from.error());
  const copy_about about{place->name, std::string{to_text(what.what)},
                         place->trial ? value{to_text(*place->trial)} : value{},
                         has_list(*place, what.what)};
  if (!to(to_line(about) + "\n"))
    return exit_code::storage;
  auto packed = pack(*from, rules_for(what.what), to);
  if (!packed)
    return complain(packed.error());
  if (packed->how == packing_result::end::unwanted)
    return exit_code::storage;
  if (packed->how == packing_result::end::changed)
    return has_changed;
  if (what.what == part::experiment && (mark != record_mark::of(directory) || is_led(directory)))
    return has_changed;
  tell_left_out(*packed);
  if (!place->note.empty())
    std::cerr << program_name() << ": " << place->note << "\n";
  return exit_code::done;
}

// -- The receiving side.

/// Has everything sent to the copy. @returns how the sender ended; it has told why.
using sender = std::function<exit_code(arriving_copy&)>;

/// @param earlier Name of what the last attempt brought, which was not whole.
/// @returns nothing if it has to be fetched once more.
std::optional<exit_code> try_to_receive(const command_line& line, const fetch_request& what,
                                        const sender& send_to, copy_draft& draft,
                                        std::string& earlier) {
  arriving_copy copy{what.to, draft};
  const auto code = send_to(copy);
  // It is the copy that ended the conversation, and knows why.
  if (code != exit_code::done && copy.is_wanted())
    return code == has_changed ? std::nullopt : std::optional{code};
  auto about = copy.finish();
  if (!about)
    return complain(about.error());
  if (auto whole = check_copy(draft.path(), about->is_listed); !whole) {
    // It may have been removed while it was packed: then there is another by now.
    if (std::exchange(earlier, about->name) != about->name)
      return std::nullopt;
    return complain(whole.error());
  }
  if (auto done = draft.end(); !done)
    return complain(done.error());
  write_fetched(line, draft.target(), *about);
  return exit_code::done;
}

exit_code receive(const command_line& line, const fetch_request& what, const sender& send_to) {
  hold_signals();
  copy_draft draft;
  const copy_watch watch{draft};
  std::string earlier;
  for (int i = 0; i < most_fetches; ++i) {
    if (auto code = try_to_receive(line, what, send_to, draft, earlier))
      return *code;
  }
  std::cerr << program_name() << ": " << printable(what.directory)
            << ": what was fetched changed meanwhile, each of " << most_fetches
            << " times: try again\n";
  return exit_code::again;
}

} // namespace

std::string_view to_text(fetch_request::part x) {
  static constexpr std::array<std::string_view, 4> names{"checkpoint", "exports", "trial",
                                                         "experiment"};
  return names[static_cast<std::size_t>(x)];
}

bool send_to_client(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      return false;
  }
  return true;
}

exit_code fetch(const command_line& line, const fetch_request& what) {
  if (!words_to_head().empty())
    return send_wanted(what, send_to_client);
  if (what.directory.starts_with(bucket_scheme))
    return fetch_from_bucket(line, what);
  return receive(line, what, [&](arriving_copy& copy) {
    return send_wanted(what, [&](std::string_view bytes) { return copy.take(bytes); });
  });
}

exit_code fetch_from_head(const command_line& line, const at_head_request& from,
                          const fetch_request& what, const table_look& look) {
  return receive(line, what, [&](arriving_copy& copy) {
    return ask_head(from, look, [&](std::string_view out, std::string_view err) {
      std::cerr << err << std::flush;
      return copy.take(out);
    });
  });
}

} // namespace tune::cli
