/// The actor that makes directories for actors that must not wait for the disk. Private to actors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tune/actors/caf.hpp"
#include "tune/io/checkpoint/attempt_directory.hpp"

#include <string>

namespace tune {

struct directory_wanted {
  attempt_directory where;
};

struct directory_made {
  made_directory what;
  /// Why it was not made; empty if it was.
  std::string why;
};

/// The directory was given up before it was made.
struct directory_unwanted {
  attempt_directory where;
};

/// One per node and job. It does nothing that takes long: checkpoints are copied and synced
/// elsewhere.
using directory_maker_actor = typed_actor<caf::result<directory_made>(directory_wanted),
                                          caf::result<void>(directory_unwanted)>;

/// `make_directory` as an answer.
[[nodiscard]] inline directory_made make_here(const directory_wanted& what) {
  auto made = make_directory(what.where);
  return made ? directory_made{std::move(*made), {}} : directory_made{{}, to_text(made.error())};
}

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_directories)
TUNE_LOCAL_TYPE(tune_directories, tune::directory_wanted)
TUNE_LOCAL_TYPE(tune_directories, tune::directory_made)
TUNE_LOCAL_TYPE(tune_directories, tune::directory_unwanted)
TUNE_END_LOCAL_TYPES(tune_directories)
