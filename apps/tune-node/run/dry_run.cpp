// SPDX-License-Identifier: BSD-3-Clause
#include "console/human.hpp"
#include "console/text.hpp"
#include "output/write_trials.hpp"
#include "run/run_command.hpp"

#include "tune/io/json.hpp"
#include "tune/io/spec/convert.hpp"

#include <iostream>

namespace tune::cli {

namespace {

constexpr std::uint32_t shown = 5;

std::vector<std::string> rendered(const loaded_spec& loaded, const object& config) {
  auto command = command_of(loaded.what, *loaded.space);
  if (!command)
    return {};
  command_builtins builtins{"{trial_dir}", loaded.what.ini_dir, to_text(trial_id{0}),
                            "{params_file}"};
  return command->render(config, builtins);
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

} // namespace

exit_code show_dry_run(const command_line& line, const loaded_spec& loaded, const choices& all) {
  auto source = make_searcher(loaded, all);
  if (!source) {
    std::cerr << "tune-node: " << printable(to_text(source.error())) << '\n';
    return exit_code::configuration;
  }
  auto answer = (*source)->propose({1, shown, 0});
  const auto* list = std::get_if<std::vector<suggestion>>(&answer);
  if (list == nullptr || list->empty()) {
    std::cerr << "tune-node: the searcher proposes nothing\n";
    return exit_code::configuration;
  }
  std::vector<std::string> command;
  if (loaded.what.trainable.kind == trainable_kind::command)
    command = rendered(loaded, *list->front().config);
  auto format = line.output.value_or(output_format::table);
  if (format == output_format::csv) {
    write_trials(planned(*list), loaded.what.experiment.objectives, format, {}, std::cout);
    return exit_code::done;
  }
  if (format == output_format::json || format == output_format::jsonl) {
    value::list configs;
    for (const auto& x : *list)
      configs.emplace_back(*x.config);
    value::list parts{command.begin(), command.end()};
    std::cout << to_json(object{{"configurations", configs}, {"command", parts}}) << '\n';
    return exit_code::done;
  }
  std::cout << "The first configurations of " << printable(loaded.what.experiment.name) << ":\n";
  for (std::size_t i = 0; i < list->size(); ++i)
    std::cout << "  " << to_text(trial_id{i}) << "  " << config_text(*(*list)[i].config) << '\n';
  if (!command.empty())
    std::cout << "Trial 00000 would run, in its own directory:\n  " << printable(as_line(command))
              << '\n';
  std::cout << "Nothing was run.\n";
  return exit_code::done;
}

} // namespace tune::cli
