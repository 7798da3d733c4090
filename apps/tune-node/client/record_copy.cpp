// SPDX-License-Identifier: BSD-3-Clause
#include "client/record_copy.hpp"

#include "client/archive_packer.hpp"
#include "client/arriving_copy.hpp"
#include "client/fetch_command.hpp"
#include "client/passing_directory.hpp"
#include "client/remote_command.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/ending.hpp"
#include "tune/io/store/copy_record.hpp"

#include <iostream>

namespace tune::cli {

exit_code send_record(const std::string& directory) {
  auto found = directory_of(directory);
  if (!found)
    return complain(found.error());
  auto known = open_experiment(*found);
  if (!known)
    return complain(known.error());
  auto room = passing_directory::make();
  if (!room)
    return complain(room.error());
  if (auto copied = copy_record(*found, (*room)->path()); !copied)
    return complain(copied.error());
  auto from = guarded_directory::open((*room)->path());
  if (!from)
    return complain(from.error());
  const copy_about about{known->recorded.what.experiment.name, "record", {}, false};
  if (!send_to_client(to_line(about) + "\n"))
    return exit_code::storage;
  auto packed = pack(*from, {}, send_to_client);
  if (!packed)
    return complain(packed.error());
  return packed->how == packing_result::end::whole ? exit_code::done : exit_code::storage;
}

exit_code receive_record(const at_head_request& from, const std::filesystem::path& to,
                         const table_look& look, copy_draft& draft) {
  arriving_copy copy{to, draft};
  const auto code = ask_head(from, look, [&](std::string_view out, std::string_view err) {
    std::cerr << err << std::flush;
    return copy.take(out);
  });
  // It is the copy that ended the conversation, and knows why.
  if (code != exit_code::done && copy.is_wanted())
    return code;
  if (auto about = copy.finish(); !about)
    return complain(about.error());
  auto done = draft.end();
  return done ? exit_code::done : complain(done.error());
}

} // namespace tune::cli
