// SPDX-License-Identifier: BSD-3-Clause
#include "console/human.hpp"
#include "console/text.hpp"
#include "output/content_of.hpp"
#include "output/trial_columns.hpp"
#include "output/write_trials.hpp"
#include "run/run_command.hpp"

#include "tune/core/experiment/rule_answers.hpp"
#include "tune/core/program_name.hpp"
#include "tune/core/search/none/none.hpp"
#include "tune/core/space/object_parameters.hpp"
#include "tune/io/json.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/handed_over.hpp"
#include "tune/io/spec/template_file.hpp"
#include "tune/tuner/rule_parts.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

namespace tune::cli {

namespace {

constexpr std::uint32_t shown = 5;
/// Most lines shown of a template file.
constexpr std::size_t most_lines = 20;

command_builtins shown_builtins(const loaded_spec& loaded) {
  return {"{trial_dir}", loaded.what.ini_dir, to_text(trial_id{0}), "{params_file}"};
}

std::vector<std::string> rendered(const loaded_spec& loaded, const object& config) {
  auto command = command_of(loaded.what, *loaded.space);
  if (!command)
    return {};
  return command->render(config, shown_builtins(loaded));
}

/// A file that a trial is given, with the lines that were filled in.
struct shown_file {
  std::string name;
  std::string text;
  std::vector<std::size_t> changed;
  /// Why the attempt would fail; empty: it is written.
  std::string trouble = {};
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    result.push_back(std::move(line));
  return result;
}

/// The filled-in templates. They were checked before: one that cannot be read by now is left out.
std::vector<shown_file> filled_in(const loaded_spec& loaded, const object& config) {
  std::vector<shown_file> result;
  for (const auto& pair : loaded.what.trainable.templates) {
    const auto from = against_ini(loaded.what, pair.from);
    auto file = template_file::load(from, pair.to, parameter_names(*loaded.space));
    if (!file)
      continue;
    auto text = file->render(config, shown_builtins(loaded));
    if (!text) {
      result.push_back({pair.to, {}, {}, text.error().detail});
      continue;
    }
    shown_file made{pair.to, std::move(*text), {}};
    const auto before = lines_of(content_of(from));
    const auto after = lines_of(made.text);
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (i >= before.size() || before[i] != after[i])
        made.changed.push_back(i);
    }
    result.push_back(std::move(made));
  }
  return result;
}

void write_file(const shown_file& x, std::ostream& out) {
  if (!x.trouble.empty()) {
    out << "It would fail: " << printable(x.trouble) << '\n';
    return;
  }
  const auto lines = lines_of(x.text);
  out << "It would find " << printable(x.name) << ", in which "
      << (x.changed.empty() ? "nothing is filled in" : "these lines are filled in:") << '\n';
  for (std::size_t i = 0; i < std::min(x.changed.size(), most_lines); ++i)
    out << "  " << x.changed[i] + 1 << ": " << printable(lines[x.changed[i]]) << '\n';
  if (x.changed.size() > most_lines)
    out << "  ... and " << x.changed.size() - most_lines << " more\n";
}

void write_unnamed(const std::vector<std::string>& parameters, std::ostream& out) {
  if (parameters.empty())
    return;
  auto one = parameters.size() == 1;
  out << "Note: ";
  for (std::size_t i = 0; i < parameters.size(); ++i)
    out << (i == 0 ? "" : ", ") << printable(parameters[i]);
  out << (one ? " stands" : " stand")
      << " in no command, env. or template: the program has to read " << (one ? "it" : "them")
      << " by itself, from the file $TUNE_TRIAL_PARAMS or as $TUNE_TRIAL_PARAM_<name>\n";
}

/// The first trials as they will be listed.
std::vector<listed_trial> planned(const std::vector<suggestion>& list) {
  std::vector<listed_trial> result;
  for (const auto& x : list) {
    auto& trial = result.emplace_back();
    trial.trial = trial_id{result.size() - 1};
    trial.config = x.config;
  }
  return result;
}

std::string as_line(const std::vector<std::string>& words) {
  std::string result;
  for (const auto& word : words)
    result += (result.empty() ? "" : " ") + shell_word(word);
  return result;
}

/// Written if no configuration is known before the run.
void write_nothing(output_format format) {
  if (format == output_format::json || format == output_format::jsonl)
    std::cout << to_json(object{{"configurations", value::list{}}, {"command", value::list{}}})
              << '\n';
  else if (format == output_format::table)
    std::cout << "Nothing was run.\n";
}

/// Why no configuration is known before the run, though the file is sound; empty: some are.
std::string why_none_is_known(const loaded_spec& loaded, const searcher_traits& by) {
  const auto& search = loaded.what.search;
  if (!search.points.empty() || !search.found_points.empty())
    return {};
  if (!by.recomputes)
    return "the configurations of [search] type = " + search.type
           + " come from its process, which a dry run does not start; the rest is sound";
  if (no_search::is_idle(by))
    return "[search] type = none proposes nothing, and there are no points: the command `add` "
           "brings trials; the rest is sound";
  return {};
}

std::uint32_t count_shown(const loaded_spec& loaded, const searcher_traits& by) {
  const auto samples = loaded.what.experiment.num_samples;
  // A searcher that ends by itself counts its own samples.
  const auto is_limited = samples > 0 && !by.exhaustible;
  return is_limited ? static_cast<std::uint32_t>(std::min<std::uint64_t>(shown, samples)) : shown;
}

/// What the searcher, which may be a program's own, proposes in a run; empty: nothing.
/// @errors `ec::user_code`: it fails.
expected<std::vector<suggestion>> proposed_by(const searcher& source, const ask& question) {
  std::string why;
  try {
    auto answer = answer_to(question, source.propose(question));
    auto* list = std::get_if<std::vector<suggestion>>(&answer.what);
    return list == nullptr ? std::vector<suggestion>{} : std::move(*list);
  } catch (const std::exception& x) {
    why = x.what();
  } catch (...) {
    why = "an exception";
  }
  return error{ec::user_code, rule_failed("the searcher", why).why};
}

/// What the first trial would run with.
struct first_trial {
  std::vector<std::string> command;
  std::vector<shown_file> files;
};

first_trial first_of(const loaded_spec& loaded, const suggestion& x) {
  first_trial result;
  if (loaded.what.trainable.kind == trainable_kind::command)
    result.command = rendered(loaded, *x.config);
  result.files = filled_in(loaded, *x.config);
  return result;
}

void write_json(const std::vector<suggestion>& list, const first_trial& first) {
  value::list configs;
  for (const auto& x : list)
    configs.emplace_back(*x.config);
  value::list parts{first.command.begin(), first.command.end()};
  object all_parts{{"configurations", configs}, {"command", parts}};
  object texts;
  for (const auto& file : first.files)
    texts.set(file.name, file.text);
  if (!texts.empty())
    all_parts.set("files", std::move(texts));
  std::cout << to_json(all_parts) << '\n';
}

void write_csv(const loaded_spec& loaded, const std::vector<suggestion>& list) {
  const auto rows = planned(list);
  const auto& objectives = loaded.what.experiment.objectives;
  write_trials(rows, objectives, usual_columns(rows, objectives, parameter_names(*loaded.space)),
               {output_format::csv, {}}, std::cout);
}

void write_text(const loaded_spec& loaded, const std::vector<suggestion>& list,
                const first_trial& first) {
  std::cout << "The first configurations of " << printable(loaded.what.experiment.name) << ":\n";
  const auto whole = object_parameters(*loaded.space);
  for (std::size_t i = 0; i < list.size(); ++i)
    std::cout << "  " << to_text(trial_id{i}) << "  " << config_text(*list[i].config, whole)
              << '\n';
  if (!first.command.empty())
    std::cout << "Trial 00000 would run, in its own directory:\n  "
              << printable(as_line(first.command)) << '\n';
  for (const auto& file : first.files)
    write_file(file, std::cout);
  write_unnamed(parameters_handed_to(loaded.what, *loaded.space).unnamed, std::cout);
  std::cout << "Nothing was run.\n";
}

} // namespace

exit_code show_dry_run(const command_line& line, const loaded_spec& loaded, const choices& all) {
  auto source = make_searcher(loaded, all);
  if (!source) {
    std::cerr << program_name() << ": " << printable(to_text(source.error())) << '\n';
    return exit_code::configuration;
  }
  const auto by = (*source)->traits();
  const auto format = line.output.value_or(output_format::table);
  if (auto why = why_none_is_known(loaded, by); !why.empty()) {
    std::cerr << program_name() << ": " << why << '\n';
    write_nothing(format);
    return exit_code::done;
  }
  const auto list = proposed_by(**source, {1, count_shown(loaded, by), 0});
  if (!list) {
    std::cerr << program_name() << ": " << printable(list.error().detail) << '\n';
    return exit_code::again;
  }
  if (list->empty()) {
    std::cerr << program_name() << ": the searcher proposes nothing\n";
    return exit_code::configuration;
  }
  const auto first = first_of(loaded, list->front());
  switch (format) {
    case output_format::csv:
      write_csv(loaded, *list);
      break;
    case output_format::json:
    case output_format::jsonl:
      write_json(*list, first);
      break;
    case output_format::table:
      write_text(loaded, *list, first);
  }
  return exit_code::done;
}

} // namespace tune::cli
