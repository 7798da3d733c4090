// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/run_steps.hpp"

#include "tune/actors/runtime_log.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/spec/resource_check.hpp"
#include "tune/tuner/storage.hpp"

#include <chrono>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

expected<bool> is_over_already(const fs::path& directory, const spec& wanted,
                               std::optional<resume_mode> resume,
                               const std::function<void(const error&)>& untidy) {
  if (!resume)
    return false;
  auto finished = needs_nothing_more(directory, wanted, *resume);
  if (!finished || !*finished)
    return finished;
  // One that was left off is not over for other modes: its next head tidies up.
  auto done = needs_nothing_more(directory, wanted);
  if (!done || !*done)
    return true;
  if (auto whole = finish_up(directory, wanted); !whole)
    untidy(whole.error());
  return true;
}

std::optional<config_fault> machine_fault(const loaded_spec& what, const host_resources& machine) {
  const auto& cluster = what.what.cluster;
  auto fault = impossible_offer(what, lack_of_gpus(machine, cluster.gpus.value_or(0)));
  if (fault || !cluster.listen.empty())
    return fault;
  return impossible_request(what,
                            {{node_settings{}.name, offered_by(what.what, machine.capacity())}},
                            machine.why_fewer_gpus);
}

expected<void> start_what_is_needed(run_parts& parts, const std::optional<listen_options>& port) {
  auto started = start_guard_if_needed(parts);
  return started ? can_begin(port) : started;
}

on::opened opening_of(const experiment_store& store, const spec& what, opening how) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {store.epoch(),
          TUNE_VERSION,
          to_json(what),
          what.experiment.seed,
          how,
          on::present_draws,
          std::chrono::duration_cast<std::chrono::milliseconds>(now).count()};
}

namespace {

/// Whether the attempts of the head before this one may come back.
bool follows(const fs::path& directory, const head_of_run& head) {
  if (head.job.empty())
    return false;
  const auto before = read_head_mark(directory);
  return before && before->job == head.job
         && (!head.standing || before->name == head.standing->name);
}

/// Notes for the head after this one by what it is known.
expected<void> mark_head(const fs::path& directory, const head_of_run& head,
                         experiment_actors_options& to) {
  if (head.job.empty())
    return remove_head_mark(directory);
  to.outlives_heads = true;
  if (head.standing) {
    auto mark = *head.standing;
    mark.job = head.job;
    return write_head_mark(directory, mark);
  }
  auto begun = begin_head(directory, head.job);
  if (!begun)
    return begun.error();
  to.head = begun->mark.identity();
  return {};
}

} // namespace

expected<experiment_actors_options> open_run(const fs::path& directory, const spec& what,
                                             std::optional<resume_mode> resume,
                                             const head_of_run& head) {
  const auto awaits = resume && follows(directory, head);
  auto opened = open_storage(directory, what, resume, awaits);
  if (!opened)
    return opened.error();
  experiment_actors_options result;
  if (auto marked = mark_head(directory, head, result); !marked)
    return marked.error();
  result.awaits_attempts = awaits && opened->resumes;
  result.store = std::move(opened->store);
  result.opening = opening_of(*result.store, what);
  result.resumes = opened->resumes;
  result.bad = std::move(opened->bad);
  result.again = std::move(opened->again);
  result.only_again = opened->only_again;
  result.warning = std::move(opened->warning);
  result.paused = std::move(opened->paused);
  return result;
}

expected<void> tell_all(experiment_actors_options& how, const spec& what, run_listeners to) {
  how.on_files_failed = std::move(to.files_failed);
  how.on_files_odd = to.warned;
  how.on_sink_news = std::move(to.warned);
  how.observer = std::move(to.observer);
  if (what.log.file.empty())
    return {};
  auto log = open_runtime_log(
      {how.store->directory() / what.log.file, what.log.level, std::move(to.log_failed)});
  if (!log)
    return log.error();
  how.observer = joined_observers({*log, std::move(how.observer)});
  return {};
}

} // namespace tune
