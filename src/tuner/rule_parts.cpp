// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/rule_parts.hpp"

#include "tune/io/ask_tell/conversation.hpp"

#include "tune/core/plugin/make_part.hpp"
#include "tune/core/search/none/none.hpp"
#include "tune/core/search/repeat/repeater.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/saving.hpp"
#include "tune/io/spec/wanted_configurations.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tune {

namespace {

template <class Part, class Context>
expected<std::unique_ptr<Part>>
make_chosen(const catalogue<Part, Context>& from, const std::string& type,
            const std::vector<named_text>& written, const Context& context) {
  const auto* entry = type.empty() ? &from.entries().front() : from.find(type);
  // A record may be of another program with entries of its own.
  if (entry == nullptr)
    return error{ec::unknown_name, "this program knows no " + type};
  auto checked = options::parse(entry->known, option_texts(written));
  if (!checked)
    return checked.error();
  return make_part(*entry, *checked, context);
}

/// `num_samples` multiplied by the grids of the space. 0: not known beforehand.
std::uint64_t samples_wanted(const spec& what) {
  auto space = search_space::parse(space_lines(what));
  if (!space || what.search.type == "grid" || what.experiment.num_samples == 0)
    return 0;
  // All points are tried, even if there are more of them.
  auto result = std::max<std::uint64_t>(what.experiment.num_samples, what.search.points.size());
  for (const auto& x : space->parameters()) {
    const auto* grid = std::get_if<grid_of>(&x.what);
    if (grid == nullptr)
      continue;
    // Conditions rule combinations out, and points fix some of them.
    if (x.active_if || !what.search.points.empty())
      return 0;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    if (grid->options.empty() || result > most / grid->options.size())
      return 0;
    result *= grid->options.size();
  }
  auto runs = repeat_rule_of(what).runs;
  return result > std::numeric_limits<std::uint64_t>::max() / runs ? 0 : result * runs;
}

/// See `experiment_settings::expected_samples`. 0: not known beforehand.
std::uint64_t samples_expected(const spec& what) {
  const auto wanted = wanted_configurations(what);
  const auto runs = repeat_rule_of(what).runs;
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  return !wanted || wanted->at_most || wanted->configurations > most / runs
             ? 0
             : wanted->configurations * runs;
}

} // namespace

experiment_settings settings_by(const spec& what) {
  auto result = settings_of(what);
  result.sample_limit = samples_wanted(what);
  result.expected_samples = samples_expected(what);
  // An external executor says itself when it has a checkpoint, and has one at every pause.
  if (!what.trainable.kind) {
    result.checkpoints.frequency = 0;
    result.checkpoints.at_end = false;
    return settings_for_executor(std::move(result));
  }
  return result;
}

expected<std::unique_ptr<searcher>> make_searcher(const loaded_spec& from, const choices& all,
                                                  const std::filesystem::path& directory,
                                                  std::shared_ptr<searcher_switch> ends,
                                                  std::shared_ptr<searcher_news> news) {
  auto context = searcher_context_of(from.what, from.space);
  if (!directory.empty())
    context.partners
        = [where = searcher_place{directory, from.what.ini_dir, std::move(ends), std::move(news)}](
              const external::partner_terms& what) { return make_searcher_process(what, where); };
  auto result
      = make_chosen(all.searchers, from.what.search.type, from.what.search.options, context);
  if (result)
    tell(**result, context.known);
  auto rule = repeat_rule_of(from.what);
  if (!result || !rule.is_on())
    return result;
  return expected<std::unique_ptr<searcher>>{std::make_unique<repeater>(
      std::move(*result), std::move(rule), from.what.experiment.num_samples)};
}

expected<std::unique_ptr<scheduler>> make_scheduler(const loaded_spec& from, const choices& all,
                                                    std::uint32_t draws) {
  auto context = scheduler_context_of(from.what, from.space);
  context.draws_by_event = draws == 0;
  context.judges_as_before = draws < on::judged_afresh;
  context.heeds_no_clients = draws < on::heeds_clients;
  context.repeats_forced = draws < on::forces_once;
  return make_chosen(all.schedulers, from.what.scheduler.type, from.what.scheduler.options,
                     context);
}

expected<rule_parts> make_rule_parts(const loaded_spec& from, const choices& all,
                                     const std::filesystem::path& directory,
                                     std::shared_ptr<searcher_switch> ends,
                                     std::shared_ptr<searcher_news> news) {
  rule_parts result;
  auto judge = make_scheduler(from, all);
  if (!judge)
    return judge.error();
  auto source = make_searcher(from, all, directory, std::move(ends), std::move(news));
  if (!source)
    return source.error();
  auto stoppers = make_stoppers(stop_lines(from.what), all.stoppers, stopper_context_of(from.what));
  if (!stoppers)
    return stoppers.error();
  result.settings = settings_by(from.what);
  auto saves = saving_of(from.what, all.trainables);
  result.settings.saves = saves.how;
  result.settings.trainable = std::move(saves.trainable);
  // A searcher that ends by itself counts its own samples. An idle one has points, and trials that
  // clients add are not counted.
  if ((*source)->traits().exhaustible || no_search::is_idle((*source)->traits()))
    result.settings.max_trials = 0;
  result.rules = {std::move(*judge), std::move(*source), std::move(*stoppers), {}};
  return result;
}

} // namespace tune
