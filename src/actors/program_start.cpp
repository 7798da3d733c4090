// SPDX-License-Identifier: BSD-3-Clause
#include "program_start.hpp"

#include "trial_process.hpp"

#include <utility>

namespace tune {

expected<program_start> prepare_program(const trainable_start& what,
                                        const expected<metric_pattern>* patterns) {
  program_start result;
  auto files = prepare(what);
  if (!files && files.error().code != ec::refused)
    return files.error();
  if (!files)
    result.trouble = files.error().detail;
  else {
    result.params = std::move(files->params);
    result.note = std::move(files->note);
  }
  if (patterns != nullptr && *patterns) {
    result.patterns = (*patterns)->fresh();
    result.patterns->begin_in(trial_directory(what));
  } else if (patterns != nullptr) {
    result.trouble = to_text(patterns->error());
  }
  return result;
}

program_attempt::plan program_plan_of(const trainable_start& what, bool is_read) {
  const auto* command = std::get_if<run_command>(&what.job->plan);
  program_attempt::plan result;
  result.is_first = what.order.rank == 0;
  result.is_read = is_read;
  result.is_mute = !result.is_first && command != nullptr && command->patterns;
  result.has_exports = !exports_of(what).empty();
  result.ends = what.order.ends;
  result.objective = what.job->objective;
  // Where the objective was reported before the checkpoint, there may be nothing left to do.
  result.saw_objective
      = (!what.order.restore_from.empty() && !what.order.lacks_objective) || what.order.rank > 0;
  result.stop_grace = what.job->stop_grace;
  result.export_time = what.job->export_time;
  return result;
}

bool reads_stderr(const job& what) {
  const auto* command = std::get_if<run_command>(&what.plan);
  return command != nullptr && command->patterns && command->patterns->stream == metric_stream::err;
}

} // namespace tune
