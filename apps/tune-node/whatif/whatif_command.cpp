// SPDX-License-Identifier: BSD-3-Clause
#include "whatif/whatif_command.hpp"

#include "console/one_line.hpp"
#include "inspect/experiment_directory.hpp"
#include "run/load_configuration.hpp"
#include "tune/core/program_name.hpp"
#include "tune/io/spec/convert.hpp"
#include "whatif/whatif_output.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <set>
#include <string_view>
#include <utility>

namespace tune::cli {

namespace {

resources sum_of(const resource_request& one_trial) {
  resources result;
  for (const auto& bundle : one_trial.bundles)
    result += bundle;
  return result;
}

/// As many nodes as are asked for, each with room for one trial unless said otherwise.
std::vector<simulated_node> nodes_asked_for(const whatif_request& what,
                                            const resource_request& one_trial) {
  auto each = sum_of(one_trial);
  if (what.offers.cpus)
    each.cpu = amount::of(*what.offers.cpus);
  if (what.offers.gpus)
    each.gpu = amount::of(*what.offers.gpus);
  if (what.offers.memory)
    each.memory = *what.offers.memory;
  for (const auto& [name, much] : what.offers.custom)
    each.custom[name] = much;
  std::vector<simulated_node> result;
  for (std::uint64_t i = 0; i < what.nodes.value_or(1); ++i)
    result.push_back({"node" + std::to_string(i + 1), each});
  return result;
}

/// The nodes on which trials of the record ran.
expected<std::vector<simulated_node>> nodes_of(store_reader& from) {
  std::set<std::string> used;
  auto after = attempt_id{};
  constexpr std::size_t page = 8192;
  for (auto count = page; count == page;) {
    auto some = from.scan_attempts(after, page, [&](const raw_attempt& x) {
      after = x.attempt;
      used.insert(std::string{x.node});
    });
    if (!some)
      return reading_failed(some.error());
    count = *some;
  }
  auto rows = from.nodes();
  if (!rows)
    return reading_failed(rows.error());
  std::vector<simulated_node> result;
  for (const auto& x : *rows) {
    if (used.contains(x.node))
      result.push_back({x.node, x.capacity});
  }
  return result;
}

bool offers_something(const offered_request& x) {
  return x.cpus || x.gpus || x.memory || !x.custom.empty();
}

/// Why the record of this experiment cannot tell; empty: it can.
std::string misfit(const spec& what) {
  if (repeat_rule_of(what).is_on())
    return "its configurations run several times and are judged together ([search] repeat, "
           "[experiment] confirm): other rules would have chosen other runs";
  const auto& type = what.scheduler.type;
  if (type == "pbt" || type == "pb2")
    return "its scheduler " + type
           + " changed configurations of running trials: no curve is that of one configuration";
  return {};
}

/// Whether the record can tell what another value of this key would have come to.
bool can_be_asked(const std::string& key) {
  constexpr std::array<std::string_view, 3> known{
      "experiment.max_concurrent_trials", "experiment.time_limit", "experiment.training_limit"};
  return key.starts_with("stop.") || key.starts_with("resources.")
         || std::find(known.begin(), known.end(), key) != known.end();
}

/// Why keys given on the command line ask for what the record cannot tell; empty: they do not.
std::string misfit(const std::vector<named_text>& overrides) {
  for (const auto& x : overrides) {
    const auto what = "--" + x.name + ": ";
    if (can_be_asked(x.name))
      continue;
    if (x.name.starts_with("search."))
      return what
             + "only the configurations that were tried have curves, in the order in which they "
               "were proposed; another search would have tried others";
    if (x.name.starts_with("scheduler."))
      return what + "name the scheduler with its options by --scheduler 'asha max_t=50'";
    return what
           + "the record cannot tell; of keys it can take --stop.*, --resources.*, "
             "--experiment.max_concurrent_trials, time_limit and training_limit";
  }
  return {};
}

/// The text that names an alternative.
std::string name_of(const scheduler_words& x) {
  auto result = x.type;
  for (const auto& option : x.options)
    result += " " + option.name + "=" + option.text;
  return result;
}

class question {
public:
  question(const whatif_request& what, const choices& all) : what_{what}, all_{all} {}

  expected<whatif_comparison> answer() {
    auto directory = directory_of(what_.directory);
    if (!directory)
      return directory.error();
    auto opened = open_experiment(*directory);
    if (!opened)
      return opened.error();
    const auto& recorded = opened->recorded.what;
    if (auto why = misfit(what_.overrides); !why.empty())
      return error{ec::refused, why};
    if (auto why = misfit(recorded); !why.empty())
      return error{ec::refused, why};
    auto run
        = read_run(opened->reader, recorded.experiment.objectives, recorded.experiment.constraints);
    if (!run)
      return run.error();
    if (run->reports == 0)
      return error{ec::refused, "no trial has reported anything yet: there are no curves"};
    run->took = instant{opened->recorded.row.finished.value_or(instant{0})};
    if (run->took.count() == 0)
      run->took = last_report(opened->reader);
    result_.experiment = recorded.experiment.name;
    result_.by = recorded.experiment.objectives.front();
    for (const auto& x : run->trials)
      result_.cut_short += !x.is_whole;
    result_.ran = std::make_shared<const recorded_run>(std::move(*run));
    auto nodes = what_.nodes || is_asked(recorded) ? nodes_asked_for(what_, request_of(recorded))
                                                   : nodes_of(opened->reader);
    if (!nodes)
      return nodes.error();
    result_.nodes = std::move(*nodes);
    if (auto asked = ask_all(recorded); !asked)
      return asked.error();
    return std::move(result_);
  }

private:
  const whatif_request& what_;
  const choices& all_;
  whatif_comparison result_;

  static instant last_report(store_reader& from) {
    instant result{0};
    sequence after = 0;
    constexpr std::size_t page = 100'000;
    for (auto count = page; count == page;) {
      auto some = from.scan_results(after, page, [&](const raw_result& x) {
        after = x.seq;
        result = std::max(result, x.at);
      });
      count = some ? *some : 0;
    }
    return result;
  }

  expected<void> ask_all(const spec& recorded) {
    // Machines and keys that are asked for count for the present scheduler as well.
    const auto same = what_.nodes || !what_.overrides.empty();
    if (auto asked = ask_for(recorded, same ? "the same scheduler" : "the same rules"); !asked)
      return asked;
    for (const auto& text : what_.schedulers) {
      auto words = read_scheduler(text);
      if (!words)
        return words.error();
      auto other = recorded;
      other.scheduler.type = words->type;
      other.scheduler.options = words->options;
      if (auto asked = ask_for(other, name_of(*words)); !asked)
        return asked;
    }
    return {};
  }

  expected<void> ask_for(const spec& by, std::string name) {
    auto loaded = load_recorded(by, what_.overrides, all_, true);
    if (!loaded)
      return error{ec::bad_option, "these rules cannot be taken: see above"};
    auto found = replay_by(*loaded, std::move(name), result_.ran, result_.nodes, all_);
    if (!found)
      return found.error();
    result_.all.push_back(std::move(*found));
    return {};
  }
};

} // namespace

exit_code ask_what_if(const command_line& line, const whatif_request& what, const choices& all,
                      const table_look& look) {
  auto complain = [](const std::string& why, exit_code how) {
    std::cerr << program_name() << ": " << in_one_line(why) << '\n';
    return how;
  };
  const auto format = line.output.value_or(output_format::table);
  if (format != output_format::table && format != output_format::json)
    return complain("whatif writes table or json, not " + std::string{to_text(format)},
                    exit_code::usage);
  if (!what.nodes && offers_something(what.offers))
    return complain("--cpus, --gpus, --memory and --custom describe the nodes of --nodes N",
                    exit_code::usage);
  auto answer = question{what, all}.answer();
  if (!answer) {
    const auto& why = answer.error();
    const auto is_rule
        = why.code == ec::bad_syntax || why.code == ec::bad_option || why.code == ec::refused;
    return complain(to_text(why), is_rule ? exit_code::configuration : exit_code_for(why.code));
  }
  write_comparison(*answer, format, look, std::cout);
  return exit_code::done;
}

} // namespace tune::cli
