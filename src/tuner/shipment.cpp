// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/shipment.hpp"

#include "tune/core/resource/resources.hpp"
#include "tune/io/files/file_collection.hpp"
#include "tune/io/files/script_companions.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/process/plugin.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/table/curve_table.hpp"
#include "tune/tuner/rule_parts.hpp"

#include <algorithm>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_name = 64;
constexpr std::size_t hash_digits = 16;

/// Adds the files that a script of the command needs beside it.
void add_companions(std::vector<declared_file>& to, const fs::path& ini_dir,
                    const std::string& script) {
  const auto base = ini_dir.lexically_normal();
  for (const auto& file : companions_of((ini_dir / script).lexically_normal()))
    to.push_back({"command", literal_pattern(file.lexically_relative(base).string())});
}

/// Files that the command names: those that the runtime looks for beside the INI file, and those
/// that the scripts among them need.
std::vector<declared_file> files_in_command(const loaded_spec& from) {
  std::vector<declared_file> result;
  auto command = command_of(from.what, *from.space);
  if (!command)
    return result;
  for (const auto& path : command->ini_paths()) {
    std::error_code ignored;
    if (!fs::is_regular_file(fs::path{from.what.ini_dir} / path, ignored))
      continue;
    result.push_back({"command", literal_pattern(path)});
    add_companions(result, from.what.ini_dir, path);
  }
  return result;
}

std::vector<declared_file> files_of(const loaded_spec& from) {
  const auto& x = from.what.trainable;
  std::vector<declared_file> result;
  for (const auto& pattern : x.files)
    result.push_back({"files", pattern});
  if (x.kind == trainable_kind::table)
    result.push_back({"path", literal_pattern(x.path)});
  if (!x.plugin.empty())
    result.push_back({"plugin", literal_pattern(x.plugin)});
  if (x.kind == trainable_kind::command) {
    for (const auto& pair : x.templates)
      result.push_back({"template", literal_pattern(pair.from)});
    for (auto& file : files_in_command(from))
      result.push_back(std::move(file));
  }
  return result;
}

std::string id_of(const std::string& experiment, const std::string& record,
                  const std::string& manifest) {
  std::string result;
  for (auto c : experiment.substr(0, longest_name)) {
    auto is_fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    result += is_fine ? c : '_';
  }
  return result + "-" + sha256_of(record + manifest).substr(0, hash_digits);
}

expected<trainable_plan> table_plan(const loaded_spec& from) {
  auto table = curve_table::load(against_ini(from.what, from.what.trainable.path),
                                 parameter_names(*from.space));
  if (!table)
    return table.error();
  auto shared = std::make_shared<const curve_table>(std::move(*table));
  return trainable_plan{replay_table{[shared, space = from.space](const object& config) {
    return shared->curve_of(config, *space);
  }}};
}

expected<trainable_plan> command_plan(const loaded_spec& from) {
  const auto& spec = from.what;
  const auto& x = spec.trainable;
  auto command = command_of(spec, *from.space);
  if (!command)
    return command.error();
  run_command plan{std::move(*command), spec.ini_dir, patterns_of(spec), {}, {}, x.pty};
  const auto names = parameter_names(*from.space);
  for (const auto& variable : x.env) {
    auto text = text_template::parse(variable.text, names);
    if (!text)
      return error{text.error().code, "env." + variable.name + ": " + text.error().detail};
    plan.environment.emplace_back(variable.name, std::move(*text));
  }
  for (const auto& pair : x.templates) {
    auto file = template_file::load(against_ini(spec, pair.from), pair.to, names);
    if (!file)
      return error{file.error().code, "template: " + file.error().detail};
    plan.templates.push_back(std::move(*file));
  }
  return trainable_plan{std::move(plan)};
}

expected<trainable_plan> plugin_plan(const loaded_spec& from) {
  const auto& x = from.what.trainable;
  if (!can_host())
    return error{ec::refused, std::string{no_host_main}};
  return trainable_plan{
      run_in_host{x.name, x.reuse_actors, against_ini(from.what, x.plugin).lexically_normal()}};
}

expected<trainable_plan> plan_of(const loaded_spec& from) {
  const auto& x = from.what.trainable;
  switch (*x.kind) {
    case trainable_kind::function:
    case trainable_kind::class_type:
      if (!x.plugin.empty())
        return plugin_plan(from);
      if (x.isolation == isolation_kind::process && can_host())
        return trainable_plan{run_in_host{x.name, x.reuse_actors}};
      return trainable_plan{run_in_thread{x.name}};
    case trainable_kind::actor:
      return trainable_plan{run_as_actor{x.name}};
    case trainable_kind::table:
      return table_plan(from);
    case trainable_kind::command:
      break;
  }
  return command_plan(from);
}

/// Creates the INI's directory among the files; it may be that nothing in it was shipped.
expected<std::string> place_below(const fs::path& files, const fs::path& way) {
  auto leads_out = std::find(way.begin(), way.end(), "..") != way.end();
  if (way.is_absolute() || leads_out)
    return error{ec::protocol, "the directory " + way.string() + " leads out of the job's files"};
  auto result = way.empty() ? files : files / way;
  std::error_code why;
  fs::create_directories(result, why);
  if (why)
    return error{ec::storage, "cannot make " + result.string() + ": " + why.message()};
  return result.string();
}

/// Checks that this program can load the plugin that was shipped.
expected<void> check_plugin(const trainable_plan& plan) {
  const auto* host = std::get_if<run_in_host>(&plan);
  if (host == nullptr || host->plugin.empty())
    return {};
  auto found = probe_plugin(host->plugin);
  if (!found)
    return error{found.error().code, "[trainable] plugin: " + found.error().detail};
  if (found->find(host->trainable) == nullptr)
    return error{ec::unknown_name, "[trainable] plugin: \"" + host->plugin.string()
                                       + "\" has no function or class " + host->trainable};
  return {};
}

/// See `job::trains_on`.
bool may_train_on(const loaded_spec& from) {
  const auto& checkpoints = from.what.checkpoint;
  if (checkpoints.frequency > 0 || checkpoints.at_end || from.what.trainable.ranks != 1)
    return false;
  choices all;
  all.schedulers = builtin_schedulers();
  // A scheduler of the user's own may pause trials: it is not known here.
  const auto rule = make_scheduler(from, all);
  return rule && !(*rule)->traits().needs_checkpoints;
}

expected<std::shared_ptr<const job>> job_of_fetched(const fetched_job& found) {
  auto what = spec_of_fetched(found);
  if (!what)
    return what.error();
  auto space = search_space::parse(space_lines(*what));
  if (!space)
    return space.error();
  loaded_spec from{std::move(*what), {}, std::make_shared<const search_space>(std::move(*space))};
  auto made = make_job(from, found.job, found.directory.parent_path());
  if (!made)
    return made.error();
  if (auto fits = check_plugin(made->plan); !fits)
    return fits.error();
  made->files = found.files;
  made->trains_on = may_train_on(from);
  return std::shared_ptr<const job>{std::make_shared<job>(std::move(*made))};
}

} // namespace

expected<job_offer> shipment_of(const loaded_spec& from, const reading_watch& goes_on) {
  auto files = collect_files(from.what.ini_dir, files_of(from),
                             {from.what.trainable.max_files_size, "max_files_size", goes_on});
  if (!files)
    return error{files.error().code, "[trainable] " + files.error().detail};
  job_offer result;
  result.root = std::move(files->root);
  result.manifest = std::move(files->manifest);
  // Workers need not know the paths of this machine.
  auto what = from.what;
  what.ini_dir = std::move(files->base);
  result.record = to_json(what);
  if (result.record.size() > max_record_bytes)
    return error{ec::bad_option,
                 "the configuration has " + bytes_text(result.record.size())
                     + ", and workers take at most " + bytes_text(max_record_bytes)
                     + ": shorten what is long in it, such as [search] points, lists in [space] or "
                       "the command, or put it into a file that [trainable] files names"};
  result.job = id_of(from.what.experiment.name, result.record, to_json(result.manifest));
  return result;
}

expected<job> make_job(const loaded_spec& from, std::string id, const fs::path& directory) {
  auto plan = plan_of(from);
  if (!plan)
    return plan.error();
  job result;
  result.id = std::move(id);
  result.experiment = from.what.experiment.name;
  result.directory = directory;
  result.plan = std::move(*plan);
  result.objective = from.what.experiment.objectives.front().metric;
  result.trial_files = from.what.log.trial_files;
  result.reports_costs = from.what.log.costs || names_costs(from.what);
  result.output_cap = from.what.trainable.output_cap;
  result.runs_ranks = from.what.trainable.ranks != 1;
  result.exports = from.what.trainable.exports;
  result.export_time
      = std::chrono::duration_cast<std::chrono::milliseconds>(from.what.trainable.export_timeout);
  if (from.what.checkpoint.pause_storage == pause_place::memory)
    result.pause_memory = from.what.checkpoint.pause_memory;
  result.artifacts = artifact_rules_of(from.what);
  result.limits = {from.what.checkpoint.max_size, from.what.checkpoint.max_files};
  result.kill_grace
      = std::chrono::duration_cast<std::chrono::milliseconds>(from.what.cluster.kill_grace);
  result.stop_grace
      = std::chrono::duration_cast<std::chrono::milliseconds>(from.what.cluster.stop_grace);
  return result;
}

expected<spec> spec_of_fetched(const fetched_job& found) {
  auto what = spec_from_json(found.record);
  if (!what)
    return what;
  auto ini_dir = place_below(found.directory, what->ini_dir);
  if (!ini_dir)
    return ini_dir.error();
  what->ini_dir = std::move(*ini_dir);
  return what;
}

job_maker worker_job_maker() {
  return job_of_fetched;
}

} // namespace tune
