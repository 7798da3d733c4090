// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"
#include "script_word.hpp"

#include "tune/core/plugin/options.hpp"
#include "tune/core/trial/costs.hpp"
#include "tune/io/process/plugin.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/keys.hpp"
#include "tune/io/table/curve_table.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace tune {

namespace {

/// A key, and the kinds that need it; no other kind may have it.
struct kind_key {
  const char* key;
  const std::string* text;
  std::vector<trainable_kind> kinds;
};

constexpr auto by_name
    = {trainable_kind::function, trainable_kind::class_type, trainable_kind::actor};

std::array<kind_key, 3> kind_keys(const trainable_section& x) {
  return {{{"command", &x.command, {trainable_kind::command}},
           {"name", &x.name, by_name},
           {"path", &x.path, {trainable_kind::table}}}};
}

std::string kind_name(trainable_kind x) {
  static constexpr const char* names[] = {"command", "function", "class", "table", "actor"};
  return names[static_cast<std::size_t>(x)];
}

std::string article_of(trainable_kind x) {
  return x == trainable_kind::actor ? "an" : "a";
}

trainable_kind kind_of_entry(const trainable_registry::entry& x) {
  if (x.actor != nullptr)
    return trainable_kind::actor;
  return x.function ? trainable_kind::function : trainable_kind::class_type;
}

/// The trainable with the given name; one in the plugin hides one in the program.
const trainable_registry::entry* entry_of(const loading& x) {
  const auto& name = x.what.trainable.name;
  const auto* plugged = x.plugged ? x.plugged->find(name) : nullptr;
  if (plugged != nullptr || x.request.trainables == nullptr || !x.what.trainable.plugin.empty())
    return plugged;
  return x.request.trainables->find(name);
}

/// Infers the kind from the keys; leaves it empty if they imply none or several.
void infer_kind(loading& x) {
  auto& to = x.what.trainable;
  const char* first = nullptr;
  for (const auto& each : kind_keys(to)) {
    if (each.text->empty())
      continue;
    if (first != nullptr) {
      x.refuse("trainable", each.key,
               std::string{each.key} + ": stands beside " + first
                   + "; a trainable has only one of command, name, path");
      return;
    }
    first = each.key;
    to.kind = each.kinds.front();
  }
  const auto* registered = to.name.empty() ? nullptr : entry_of(x);
  if (registered != nullptr)
    to.kind = kind_of_entry(*registered);
  auto needed = x.request.needs_trainable || x.sections.contains("trainable");
  if (first == nullptr && needed)
    x.refuse_missing("trainable", "command",
                     "what to run is missing: [trainable] needs one of command, name, path; only "
                     "ask-tell does without it (config check --ask-tell)");
}

void check_kind(loading& x) {
  auto kind = *x.what.trainable.kind;
  for (const auto& each : kind_keys(x.what.trainable)) {
    auto fits = std::find(each.kinds.begin(), each.kinds.end(), kind) != each.kinds.end();
    if (fits && each.text->empty())
      x.refuse("trainable", x.find("trainable", each.key) ? each.key : "kind",
               std::string{each.key} + " is missing: kind = " + kind_name(kind) + " needs it");
    if (!fits && !each.text->empty())
      x.refuse("trainable", each.key,
               std::string{each.key} + ": has no meaning for kind = " + kind_name(kind));
  }
}

void check_name(loading& x) {
  const auto& name = x.what.trainable.name;
  const auto has_plugin = !x.what.trainable.plugin.empty();
  const auto* registry = x.plugged ? &*x.plugged : x.request.trainables;
  // The plugin was not inspected, or is itself at fault.
  if (registry == nullptr || name.empty() || (has_plugin && !x.plugged))
    return;
  if (const auto* entry = entry_of(x)) {
    if (kind_of_entry(*entry) != *x.what.trainable.kind)
      x.refuse("trainable", "kind",
               "kind: \"" + name + "\" is " + article_of(kind_of_entry(*entry)) + " "
                   + kind_name(kind_of_entry(*entry)));
    return;
  }
  std::vector<std::string> known;
  for (const auto* each : registry->entries())
    known.push_back(each->name);
  std::string message = "name = " + name + ": no such function or class is "
                        + (has_plugin ? "in " + x.what.trainable.plugin : "registered");
  if (auto near = nearest_name(name, known); !near.empty())
    message += "; did you mean \"" + near + "\"?";
  else
    for (std::size_t i = 0; i < known.size(); ++i)
      message += (i == 0 ? "; known: " : ", ") + known[i];
  x.refuse("trainable", "name", message);
}

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Whether a record names the file and it no longer exists. The command that resumes the experiment
/// reports this with a remedy; a finished experiment does not need the file.
bool has_gone(const loading& x, const char* key, const std::filesystem::path& path) {
  const auto* entry = x.find("trainable", key);
  return x.request.is_record && entry != nullptr
         && entry->origin.from == config_origin::source::file && !is_there(path);
}

void check_files(loading& x) {
  const auto& of = x.what.trainable;
  for (const auto& each : of.files) {
    // Patterns are resolved when files are shipped.
    auto is_pattern = each.find_first_of("*?[\\") != each.npos;
    const auto path = against_ini(x.what, each);
    if (!is_pattern && !is_there(path) && !has_gone(x, "files", path))
      x.refuse("trainable", "files", "files: \"" + path.string() + "\" does not exist");
  }
  if (of.path.empty())
    return;
  auto table = against_ini(x.what, of.path);
  if (has_gone(x, "path", table))
    return;
  if (auto why = why_no_table(table))
    x.refuse("trainable", "path", "path: \"" + table.string() + "\" " + *why);
}

/// A program named by its path must exist and be executable.
void check_program(loading& x, const command_template& command) {
  // Values known only in a trial are marked by a character that no path in the file has.
  auto words = command.render({}, {"\x01", x.what.ini_dir, "\x01", "\x01"});
  if (words.empty() || words.front().find('\x01') != std::string::npos
      || (words.front().starts_with('/') && has_gone(x, "command", words.front())))
    return;
  if (auto why = why_no_program(words); !why.empty())
    x.refuse("trainable", "command", "command: " + why);
}

/// A script beside the INI file must exist.
void check_script(loading& x, const command_template& command) {
  object any;
  for (const auto& name : command.names())
    any.set(name, "\x01");
  const auto words = command.render(any, {"\x01", x.what.ini_dir, "\x01", "\x01"});
  const auto why = why_no_script(words, x.what.ini_dir);
  if (!why.empty() && !has_gone(x, "command", script_of(words)))
    x.refuse("trainable", "command", "command: " + why);
}

void check_command(loading& x) {
  if (!x.space || x.what.trainable.command.empty())
    return;
  auto parsed = command_of(x.what, *x.space);
  if (!parsed) {
    x.refuse("trainable", "command", "command: " + parsed.error().detail);
    return;
  }
  for (const auto& each : x.space->parameters()) {
    const auto& builtin = command_builtin_names();
    if (std::find(builtin.begin(), builtin.end(), each.name) != builtin.end())
      x.refuse("space", each.name,
               "\"" + each.name + "\" is a name of the runtime in commands; rename the parameter");
  }
  object unconditional;
  for (const auto& name : parsed->names()) {
    if (const auto* parameter = x.space->find(name); parameter && !parameter->active_if)
      unconditional.set(name, "x");
  }
  if (parsed->render(unconditional, {}).empty())
    x.refuse("trainable", "command",
             "command: the program must not depend on a parameter that may be inactive");
  check_program(x, *parsed);
  check_script(x, *parsed);
  warn_of_command(x, *parsed);
}

/// Checks the parameters named in `env.…` and templates, as in the command.
void check_texts(loading& x) {
  if (!x.space)
    return;
  const auto names = parameter_names(*x.space);
  for (const auto& each : x.what.trainable.env) {
    if (auto text = text_template::parse(each.text, names); !text)
      x.refuse("trainable", "env." + each.name, "env." + each.name + ": " + text.error().detail);
  }
  for (const auto& each : x.what.trainable.templates) {
    if (has_gone(x, "template", against_ini(x.what, each.from)))
      continue;
    auto file = template_file::load(against_ini(x.what, each.from), each.to, names);
    if (!file)
      x.refuse("trainable", "template", "template: " + file.error().detail);
  }
}

/// Warns of CUDA_VISIBLE_DEVICES in `env.`, which the devices granted to a trial override.
void warn_of_own_devices(loading& x) {
  for (const auto& each : x.what.trainable.env) {
    const auto means_none = each.text.empty() && x.what.resources.gpu == 0;
    if (each.name == "CUDA_VISIBLE_DEVICES" && !means_none)
      x.warn(
          x.origin("trainable", "env." + each.name),
          "[trainable] env." + each.name
              + ": has no effect on a machine that offers GPUs: each trial sees the devices that "
                "[resources] gpu grants it, and none without; set it for tune-node itself to "
                "choose which devices trials may have");
  }
}

/// Checks that all objectives but costs are read if metrics are read from output. Without the first
/// objective each trial would fail, since a program that exits 0 must have reported it.
void check_metrics(loading& x) {
  const auto& metrics = x.what.trainable.metrics;
  const auto& objectives = x.what.experiment.objectives;
  // An earlier fault may concern the expression that seems to be missing.
  if (metrics.empty() || !x.faults.empty())
    return;
  for (const auto& objective : objectives) {
    auto same = [&](const named_text& each) { return each.name == objective.metric; };
    // Costs are measured, not read: what makes a report has to be said.
    if (is_cost(objective.metric)) {
      if (&objective == &objectives.front() && x.what.trainable.report_on.empty()
          && x.what.trainable.report == report_mode::line)
        x.refuse("trainable", "report_on",
                 "report_on: [experiment] metric = " + objective.metric
                     + " is measured, not read: say which lines make a report");
      continue;
    }
    if (std::any_of(metrics.begin(), metrics.end(), same))
      continue;
    auto message = "metric: no metric." + objective.metric + " reads it from the output";
    if (&objective != &objectives.front()) {
      x.warn(x.origin("experiment", "metric"), "[experiment] " + message);
      continue;
    }
    std::vector<std::string> known;
    for (const auto& each : metrics)
      known.push_back(each.name);
    if (auto near = nearest_name(objective.metric, known); !near.empty())
      message += "; did you mean \"" + near + "\"?";
    x.refuse("experiment", "metric", message);
  }
}

/// Whether a key of `[trainable]` is set to something other than its default, which `config print`
/// writes, too.
bool says_other_than_default(const loading& x, std::string_view key) {
  return x.find("trainable", key) != nullptr
         && find_key("trainable", key)->write(x.what) != find_key("trainable", key)->write({});
}

/// Warns of constraints on metrics that are not read from the output, which are never met.
void warn_of_unread_constraints(loading& x) {
  const auto& metrics = x.what.trainable.metrics;
  if (metrics.empty() || !x.faults.empty())
    return;
  for (const auto& each : x.what.experiment.constraints) {
    auto same = [&](const named_text& known) { return known.name == each.metric; };
    if (!is_cost(each.metric) && std::none_of(metrics.begin(), metrics.end(), same))
      x.warn(x.origin("experiment", "constraints"),
             "[experiment] constraints: no metric." + each.metric + " reads it from the output");
  }
}

/// Reports keys that have a meaning only for commands.
void check_keys_of_commands(loading& x) {
  auto kind = kind_name(*x.what.trainable.kind);
  for (const auto& each : x.what.trainable.metrics)
    x.refuse("trainable", "metric." + each.name,
             "metric." + each.name + ": has no meaning for kind = " + kind
                 + ", which reports its metrics itself");
  auto warn = [&](const std::string& key) {
    x.warn(x.origin("trainable", key),
           "[trainable] " + key + ": has no meaning for kind = " + kind + "; ignored");
  };
  for (const auto* key : {"report", "report_on", "stream", "pty", "template"}) {
    if (says_other_than_default(x, key))
      warn(key);
  }
  for (const auto& each : x.what.trainable.env)
    warn("env." + each.name);
}

/// Checks the use of a plugin, whose code runs only in trial processes.
void check_plugin(loading& x) {
  const auto& of = x.what.trainable;
  if (of.plugin.empty())
    return;
  if (*of.kind != trainable_kind::function && *of.kind != trainable_kind::class_type)
    x.refuse("trainable", "plugin",
             "plugin: has no meaning for kind = " + kind_name(*of.kind)
                 + "; it wants name = a function or class that is in it");
  else if (of.isolation == isolation_kind::thread)
    x.refuse("trainable", x.find("trainable", "isolation") ? "isolation" : "plugin",
             "isolation = thread: a plugin is loaded in processes of trials only; leave it away");
}

/// An actor always runs in the process of its node; the record says `isolation = thread`.
void check_actor(loading& x) {
  auto& of = x.what.trainable;
  if (*of.kind != trainable_kind::actor)
    return;
  if (of.isolation == isolation_kind::process && x.find("trainable", "isolation") != nullptr)
    x.refuse("trainable", "isolation",
             "isolation = process: has no meaning for kind = actor, which lives in the process of "
             "its node; leave it away");
  of.isolation = isolation_kind::thread;
}

/// Only a process that runs a C++ trainable can be reused: a program ends with its trial, and
/// starting a thread costs nothing.
void check_reuse(loading& x) {
  const auto& of = x.what.trainable;
  if (!of.reuse_actors)
    return;
  auto refuse = [&](const std::string& has_no_meaning_for) {
    x.refuse("trainable", "reuse_actors",
             "reuse_actors = true: has no meaning for " + has_no_meaning_for
                 + "; it wants a function or class with isolation = process");
  };
  if (*of.kind != trainable_kind::function && *of.kind != trainable_kind::class_type)
    refuse("kind = " + kind_name(*of.kind));
  else if (of.isolation != isolation_kind::process)
    refuse("isolation = thread");
}

/// Warns of keys about reading output if nothing reads any: no expression, and no `report_on`.
void check_reading(loading& x) {
  const auto& of = x.what.trainable;
  auto is_read = [](const named_text& metric) { return !means_file(metric.text); };
  const auto reads_lines = std::any_of(of.metrics.begin(), of.metrics.end(), is_read)
                           || (!of.metrics.empty() && !of.report_on.empty());
  for (const std::string_view key : {"report", "report_on", "stream"}) {
    const auto is_heeded = reads_lines || (key == "report" && !of.metrics.empty());
    if (says_other_than_default(x, key) && !is_heeded)
      x.warn(x.origin("trainable", key),
             "[trainable] " + std::string{key}
                 + ": has no meaning, since no metric.<name> is an expression that reads lines of "
                   "output; ignored");
  }
}

/// Checks `ranks`: a rank is a process of a command in its own bundle.
void check_ranks(loading& x) {
  const auto ranks = x.what.trainable.ranks;
  if (ranks == 1)
    return;
  const auto text = ranks == 0 ? std::string{"bundles"} : std::to_string(ranks);
  const auto given = x.what.resources.bundles.size();
  if (*x.what.trainable.kind != trainable_kind::command)
    x.refuse("trainable", "ranks",
             "ranks = " + text + ": has no meaning for kind = " + kind_name(*x.what.trainable.kind)
                 + "; it wants a command");
  else if (ranks > 1 && given > 0 && ranks != given + 1)
    x.refuse("trainable", "ranks",
             "ranks = " + text + ": a trial has " + std::to_string(given + 1)
                 + " bundles, its own and those of [resources] bundles; leave bundles out for "
                   "ranks that are all alike, or write ranks = bundles");
}

/// Only trainables that can be asked to export may have formats.
void check_exports(loading& x) {
  const auto& of = x.what.trainable;
  if (of.exports.empty())
    return;
  // Nothing is known about a plugin that was not inspected.
  const auto is_unknown = !of.plugin.empty() && !x.plugged;
  if (*of.kind == trainable_kind::table || (*of.kind == trainable_kind::function && !is_unknown))
    x.refuse("trainable", "export",
             "export: has no meaning for kind = " + kind_name(*of.kind)
                 + ", which has nothing to export; it wants a class or a command");
  if (of.export_timeout < std::chrono::seconds{1})
    x.refuse("trainable", "export_timeout", "export_timeout: must be at least 1s");
}

/// Inspects the plugin. If that fails, later checks do not report its names.
void look_into_plugin(loading& x) {
  const auto& plugin = x.what.trainable.plugin;
  if (plugin.empty() || !x.request.probes_plugins)
    return;
  const auto library = against_ini(x.what, plugin).lexically_normal();
  if (has_gone(x, "plugin", library))
    return;
  auto found = probe_plugin(library);
  if (found)
    x.plugged = std::move(*found);
  else
    x.refuse("trainable", "plugin", "plugin: " + found.error().detail);
}

} // namespace

void check_trainable(loading& x) {
  look_into_plugin(x);
  auto written = x.find("trainable", "kind") != nullptr;
  if (!written)
    infer_kind(x);
  if (!x.what.trainable.kind)
    return;
  if (written)
    check_kind(x);
  check_name(x);
  check_files(x);
  check_plugin(x);
  check_actor(x);
  check_ranks(x);
  check_reuse(x);
  check_exports(x);
  if (*x.what.trainable.kind == trainable_kind::command) {
    check_command(x);
    check_texts(x);
    warn_of_own_devices(x);
    warn_of_unnamed(x);
    check_metrics(x);
    warn_of_unread_constraints(x);
    check_reading(x);
  } else {
    check_keys_of_commands(x);
  }
}

} // namespace tune
