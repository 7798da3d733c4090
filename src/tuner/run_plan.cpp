// SPDX-License-Identifier: BSD-3-Clause
#include "run_plan.hpp"

#include "tune/io/process/host.hpp"
#include "tune/io/process/memory_limit.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/machine_check.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/tuner/needed_files.hpp"
#include "tune/tuner/preparation.hpp"
#include "tune/tuner/run_steps.hpp"

#include <unistd.h>

#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// A file name that gives the experiment its name where there is no INI file; nothing lies beside
/// it.
fs::path stand_in(const run_content& what) {
  std::string name = "experiment";
  for (const auto& x : what.keys) {
    if (x.name == "trainable.name" && !x.text.empty())
      name = x.text;
  }
  std::error_code ignored;
  return fs::current_path(ignored) / (name + ".ini");
}

/// Checks that trials can have processes, if these were asked for.
expected<void> can_isolate(const loaded_spec& x) {
  if (can_host())
    return {};
  auto kind = *x.what.trainable.kind;
  auto asked = x.what.trainable.reuse_actors
               || (x.what.trainable.isolation == isolation_kind::process
                   && x.origins.contains("trainable.isolation"));
  if (kind == trainable_kind::command || (asked && kind != trainable_kind::table))
    return error{ec::refused, std::string{no_host_main}};
  return {};
}

/// Checks that this machine can run the trials; unknown where workers may join.
expected<void> can_run(const loaded_spec& x, const host_resources& machine) {
  if (auto fault = machine_fault(x, machine))
    return error{ec::impossible_request, fault_text(*fault, false)};
  if (!x.what.cluster.listen.empty())
    return {};
  if (auto missing = missing_program(x, environment_of(environ)))
    return error{ec::bad_option, fault_text(*missing, false)};
  return {};
}

/// Checks that an experiment that goes on still has its files; nothing was changed yet.
expected<void> has_files(const spec& what, const fs::path& directory,
                         std::optional<resume_mode> resume) {
  auto where = what.cluster.listen.empty() ? trial_place::here : trial_place::anywhere;
  auto missing = resume ? find_missing_in(directory, what, where) : missing_files{};
  if (missing.empty())
    return {};
  return error{ec::unreadable, directory.string() + ": " + to_text(missing)
                                   + ": put back what is"
                                     " missing"};
}

/// @param what "scheduler" or "searcher".
template <class Own>
expected<void> can_recover(const Own& own, const std::string& what, relay& news) {
  if (own.spawn == nullptr)
    return error{ec::bad_option, "the " + what + ' ' + own.name + " has no function to spawn it"};
  if (own.recovers == recovery::snapshot)
    return error{ec::refused, "the " + what + ' ' + own.name
                                  + " recovers by snapshot, which is not there yet; use replay"};
  if (own.recovers == recovery::none)
    news.warned("the " + what + ' ' + own.name
                + " does not recover: where this experiment goes on, it may decide otherwise");
  return {};
}

/// Puts the user's actors in the place of the configured choices, for the record.
void name_own(const run_content& what, spec& record) {
  if (what.scheduler)
    record.scheduler = {what.scheduler->name, {}};
  if (what.searcher) {
    record.search.type = what.searcher->name;
    record.search.options.clear();
  }
}

/// A user's own searcher says itself when it ends.
void count_own(const run_content& what, run_parts& parts, const spec& record) {
  if (!what.searcher)
    return;
  auto counts_itself = what.searcher->traits.exhaustible;
  parts.settings.max_trials = counts_itself ? 0 : record.experiment.num_samples;
  parts.settings.sample_limit = parts.settings.max_trials;
  parts.settings.expected_samples = parts.settings.max_trials;
}

expected<void> can_recover_all(const run_content& what, relay& news) {
  if (what.scheduler) {
    if (auto can = can_recover(*what.scheduler, "scheduler", news); !can)
      return can;
  }
  return what.searcher ? can_recover(*what.searcher, "searcher", news) : expected<void>{};
}

/// The port where workers may join; nothing: none.
expected<std::optional<listen_options>> port_for(const run_content& what, const loaded_spec& x) {
  auto result = listening(x);
  if (result && *result && what.system != nullptr && !what.system->has_middleman())
    return error{ec::refused, "the actor system of run_options::run_in speaks with no other: make"
                              " it of a tune::network_config"};
  // The program that embeds the head ends with it.
  if (result && *result)
    (*result)->liveness.head_grace = instant{0};
  return result;
}

} // namespace

/// The text of a fault. Values set from C++ have no place but their key.
std::string fault_text(const config_fault& x, bool has_file) {
  using source = config_origin::source;
  if (x.at.from == source::environment || (has_file && x.at.from == source::file))
    return to_text(x);
  return (x.section.empty() ? "" : "[" + x.section + "] ") + x.message;
}

error fault_error(const config_faults& x, bool has_file) {
  auto result = to_error(x);
  constexpr std::size_t shown = 8;
  result.detail.clear();
  for (std::size_t i = 0; i < x.list().size() && i < shown; ++i)
    result.detail += (i == 0 ? "" : "\n") + fault_text(x.list()[i], has_file);
  if (x.total() > shown)
    result.detail += "\nand " + std::to_string(x.total() - shown) + " more";
  return result;
}

load_result load(const run_content& what, const choices& all) {
  auto wanted = request_for(all);
  wanted.overrides = what.keys;
  wanted.is_embedded = true;
  if (what.environment)
    wanted.environment = environment_of(environ);
  return what.file.empty() ? load_spec_text("", stand_in(what), wanted)
                           : load_spec(what.file, wanted);
}

void warn_of_all(const std::vector<std::string>& texts, relay& news) {
  for (const auto& text : texts)
    news.warned(text);
}

expected<planned_run> plan(const run_content& what, loaded_spec chosen, relay& news) {
  if (auto can = can_isolate(chosen); !can)
    return can.error();
  std::error_code ignored;
  const auto here = fs::current_path(ignored);
  auto directory = experiment_directory(chosen.what, here);
  if (what.searcher)
    chosen.origins.try_emplace("search.type");
  auto prepared = prepare(chosen, directory, what.resume, here);
  if (!prepared)
    return prepared.error();
  warn_of_all(*prepared, news);
  auto record = chosen.what;
  name_own(what, record);
  return planned_run{std::move(chosen), std::move(record), std::move(directory)};
}

expected<ready_run> make_ready(const run_content& what, const planned_run& plan, const choices& all,
                               relay& news) {
  const auto& chosen = plan.chosen;
  if (auto can = has_files(chosen.what, plan.directory, what.resume); !can)
    return can.error();
  const auto machine = discover();
  if (auto can = can_run(chosen, machine); !can)
    return can.error();
  if (chosen.what.cluster.local)
    warn_of_all(machine.warnings, news);
  auto port = port_for(what, chosen);
  if (!port)
    return port.error();
  auto made = make_shared_parts(chosen, all, plan.directory, machine, port->has_value());
  if (!made)
    return made.error();
  if (auto can = can_recover_all(what, news); !can)
    return can.error();
  count_own(what, made->parts, plan.record);
  if (auto can = start_what_is_needed(made->parts, *port); !can)
    return can.error();
  if (auto warning = unenforced_memory(chosen, can_limit_memory))
    news.warned(fault_text(*warning, !what.file.empty()));
  return ready_run{std::move(*made), std::move(*port)};
}

} // namespace tune
