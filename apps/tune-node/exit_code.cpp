// SPDX-License-Identifier: BSD-3-Clause
#include "exit_code.hpp"

namespace tune::cli {

std::span<const exit_code_doc> exit_code_docs() {
  static constexpr exit_code_doc docs[] = {
      {exit_code::done, "done"},
      {exit_code::internal, "internal error: the program itself is at fault"},
      {exit_code::usage, "the command line has the wrong shape"},
      {exit_code::configuration, "bad configuration: a wrong value or an unreadable file"},
      {exit_code::some_failed,
       "some trials failed (with --strict, or where fail_fast ended the run)"},
      {exit_code::none_succeeded, "no trial succeeded"},
      {exit_code::unreachable, "the cluster could not be reached"},
      {exit_code::storage, "storage failed: database, directory or disk; fsck found something"},
      {exit_code::refused, "refused for safety"},
      {exit_code::again,
       "left off (preempted, stalled, or the searcher failed): go on by --resume"},
      {exit_code::hung_up, "ended by SIGHUP, in order"},
      {exit_code::interrupted, "ended by Ctrl-C, in order"},
      {exit_code::terminated, "ended by SIGTERM, in order"},
  };
  return docs;
}

exit_code exit_code_for(ec what) {
  switch (what) {
    case ec::bad_option:
    case ec::bad_syntax:
    case ec::unknown_name:
    case ec::unreadable:
    case ec::impossible_request:
      return exit_code::configuration;
    case ec::storage:
      return exit_code::storage;
    case ec::refused:
      return exit_code::refused;
    case ec::unreachable:
      return exit_code::unreachable;
    case ec::user_code:
      return exit_code::none_succeeded;
    case ec::illegal_transition:
    case ec::process:
    case ec::protocol:
    case ec::timeout:
    case ec::internal:
    case ec::shortage:
      return exit_code::internal;
  }
  return exit_code::internal;
}

} // namespace tune::cli
