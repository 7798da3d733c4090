// SPDX-License-Identifier: BSD-3-Clause
#include "loading.hpp"

#include "tune/core/plugin/make_part.hpp"
#include "tune/core/search/automatic/automatic.hpp"
#include "tune/core/search/transfer/source.hpp"
#include "tune/io/external/searcher_process.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/keys.hpp"
#include "tune/io/spec/saving.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace tune {

namespace {

/// The names joined by commas: "a, b".
std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& x : names)
    result += (result.empty() ? "" : ", ") + x;
  return result;
}

std::string unknown_type(const std::string& type, const std::vector<std::string>& known) {
  auto result = "type = " + type + ": must be one of: " + joined(known);
  if (auto near = nearest_name(type, known); !near.empty())
    result += "; did you mean \"" + near + "\"?";
  return result;
}

/// Whether the type comes from a source with precedence over the option's, so that the option
/// belongs to the replaced type.
bool is_replaced(const loading& x, const std::string& section, const named_text& option) {
  const auto* type = x.find(section, "type");
  const auto* entry = x.find(section, option.name);
  return type != nullptr && entry != nullptr && entry->origin.from < type->origin.from;
}

bool is_recorded(const loading& x, const std::string& section, const named_text& option) {
  const auto* entry = x.find(section, option.name);
  return x.request.is_record && entry->origin.from == config_origin::source::file;
}

/// Adds one warning about all options dropped with the type they were written for.
void note_replaced(loading& x, const std::string& section, const std::string& type,
                   const std::vector<std::string>& options) {
  if (options.empty())
    return;
  std::vector<std::string> texts;
  for (const auto& name : options)
    texts.push_back(name + " (" + to_text(x.find(section, name)->origin) + ")");
  x.warnings.push_back(to_text(x.find(section, "type")->origin) + ": [" + section
                       + "] type = " + type + " has no " + joined(texts) + "; left out");
}

/// Reports an option that the chosen entry does not have: as a fault, but only as a warning if it
/// comes from the environment, which may be meant for other experiments.
void refuse_option(loading& x, const std::string& section, const std::string& type,
                   const named_text& option, const std::string& why) {
  const auto* entry = x.find(section, option.name);
  auto of_type = "of " + type + ": " + why;
  if (entry != nullptr && entry->origin.from == config_origin::source::environment)
    x.warnings.push_back(to_text(entry->origin) + ": " + of_type + "; ignored");
  else
    x.refuse(section, option.name, of_type);
}

/// Names the types that have an option that the chosen one lacks.
template <class Catalogue>
std::string whose_text(const Catalogue& all, const std::string& option) {
  std::vector<std::string> names;
  for (const auto& entry : all.entries()) {
    const auto has = [&](const option_spec& x) { return x.name == option; };
    if (std::any_of(entry.known.begin(), entry.known.end(), has))
      names.push_back(entry.name);
  }
  return names.empty() ? std::string{} : "; type = " + joined(names) + " has it";
}

/// Suggests a key of the section itself that may have been meant.
std::string key_text(const std::string& section, const std::string& option) {
  std::vector<std::string> names;
  for (const auto& key : spec_keys()) {
    if (key.section == section && !key.is_family())
      names.push_back(key.rule.name);
  }
  const auto near = nearest_name(option, names);
  return near.empty() ? std::string{} : "; did you mean " + near + " of [" + section + "]?";
}

/// Checks each option by itself, so that each fault gets its line, and fills in the defaults.
template <class Catalogue>
void check_options(loading& x, const std::string& section, const std::string& type,
                   const Catalogue& all, const std::vector<option_spec>& known,
                   std::vector<named_text>& written) {
  std::map<std::string, std::string> texts;
  std::vector<std::string> replaced;
  for (const auto& option : written) {
    auto same = [&](const option_spec& each) { return each.name == option.name; };
    auto rule = std::find_if(known.begin(), known.end(), same);
    auto rules = rule == known.end() ? known : std::vector<option_spec>{*rule};
    auto parsed = options::parse(rules, {{option.name, option.text}});
    if (rule == known.end() && is_replaced(x, section, option)) {
      // A record lists all options, even those that nobody wrote.
      if (!is_recorded(x, section, option))
        replaced.push_back(option.name);
    } else if (rule == known.end())
      refuse_option(x, section, type, option,
                    parsed.error().detail + whose_text(all, option.name)
                        + key_text(section, option.name));
    else if (!parsed)
      x.refuse(section, option.name, parsed.error().detail);
    else
      texts.emplace(option.name, option.text);
  }
  note_replaced(x, section, type, replaced);
  written.clear();
  for (const auto& each : known) {
    auto i = texts.find(each.name);
    auto text = i == texts.end() ? each.fallback : i->second;
    if (i != texts.end() || !text.empty())
      written.push_back({each.name, std::move(text)});
  }
}

/// Larger than any real policy file.
constexpr std::uintmax_t most_bytes_of_text = 16u << 20u;

/// The text of a file, in one line.
/// @errors texts that are appended directly to the option's value.
expected<std::string> one_line_of(const std::filesystem::path& file) {
  std::error_code failed;
  const auto is_file = std::filesystem::is_regular_file(file, failed);
  const auto size = is_file ? std::filesystem::file_size(file, failed) : std::uintmax_t{0};
  if (failed)
    return error{ec::unreadable, ": cannot read " + file.string() + ": " + failed.message()};
  std::ifstream in{file, std::ios::binary};
  if (!is_file || !in)
    return error{ec::unreadable,
                 ": cannot read " + file.string() + (is_file ? "" : ": it is no regular file")};
  if (size > most_bytes_of_text)
    return error{ec::unreadable, ": " + file.string() + " is larger than 16 MiB"};
  std::string result{std::istreambuf_iterator<char>{in}, {}};
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return result;
}

/// An option "x_file" beside an option "x" names a file with the text of "x". The text itself is
/// recorded, so that resuming needs no file.
void read_file_options(loading& x, const std::string& section,
                       const std::vector<option_spec>& known, std::vector<named_text>& written) {
  constexpr std::string_view suffix = "_file";
  auto is_known = [&](const std::string& name) {
    return std::any_of(known.begin(), known.end(), [&](const auto& y) { return y.name == name; });
  };
  for (auto& option : written) {
    if (!option.name.ends_with(suffix) || !is_known(option.name))
      continue;
    auto stem = option.name.substr(0, option.name.size() - suffix.size());
    auto same = [&](const named_text& y) { return y.name == stem; };
    if (!is_known(stem) || option.text.empty())
      continue;
    if (std::any_of(written.begin(), written.end(), same)) {
      x.refuse(section, option.name, option.name + ": give either this or " + stem);
      continue;
    }
    auto text = one_line_of(against_ini(x.what, option.text));
    if (!text)
      x.refuse(section, option.name, option.name + " = " + option.text + text.error().detail);
    else
      option = {stem, std::move(*text)};
  }
}

/// Whether trials change their configurations while running: a model would have to learn from
/// trials whose configurations changed on the way.
bool changes_configurations(const std::string& scheduler) {
  static constexpr std::array<std::string_view, 3> changing{"pbt", "pb2", "pbt_replay"};
  return std::find(changing.begin(), changing.end(), scheduler) != changing.end();
}

/// The default searcher.
std::string usual_searcher(const loading& x) {
  const auto& all = x.request.searchers;
  const auto* best = all.find("auto");
  const auto is_option_of_it = [&](const named_text& option) {
    return std::any_of(best->known.begin(), best->known.end(),
                       [&](const option_spec& each) { return each.name == option.name; });
  };
  const auto& written = x.what.search.options;
  if (best != nullptr && x.space != nullptr && !changes_configurations(x.what.scheduler.type)
      && std::all_of(written.begin(), written.end(), is_option_of_it)
      && automatic::suits(searcher_context_of(x.what, x.space).space,
                          x.what.experiment.num_samples))
    return best->name;
  return all.entries().empty() ? std::string{} : all.entries().front().name;
}

std::string usual_scheduler(const loading& x) {
  const auto& all = x.request.schedulers.entries();
  return all.empty() ? std::string{} : all.front().name;
}

/// Finds the chosen entry. Null after a fault, or if the catalogue is empty.
template <class Catalogue>
const typename Catalogue::entry* choose(loading& x, const Catalogue& from,
                                        const std::string& section, std::string& type,
                                        std::string usual) {
  if (type.empty())
    type = std::move(usual);
  if (type.empty())
    return nullptr;
  const auto* entry = from.find(type);
  if (entry == nullptr)
    x.refuse(section, "type", unknown_type(type, from.names()));
  return entry;
}

/// The option whose name begins a factory's error text, else the type.
std::string blamed(const std::vector<option_spec>& known, std::string_view detail) {
  for (const auto& x : known) {
    auto quoted = leading_name(detail) == x.name;
    auto plain
        = detail.starts_with(x.name) && detail.substr(x.name.size()).find_first_of(" :=") == 0;
    if (quoted || plain)
      return x.name;
  }
  return "type";
}

/// Reports a searcher's error, which may also concern a parameter or the points.
void refuse_searcher(loading& x, const searcher_catalogue::entry& entry,
                     const std::string& detail) {
  if (auto name = leading_name(detail); x.space->find(name) != nullptr)
    x.refuse("space", name, detail);
  else if (detail.starts_with("points:"))
    x.refuse("search", "points", detail);
  else
    x.refuse("search", blamed(entry.known, detail), "of " + entry.name + ": " + detail);
}

/// Checks the searcher's command without starting it. @errors `ec::bad_option`, beginning with the
/// option.
expected<std::unique_ptr<external::partner>> check_searcher_command(loading& x,
                                                                    const std::string& command) {
  auto words = searcher_words(command, x.what.ini_dir);
  auto why = words ? why_no_program(*words) : words.error().detail;
  if (why.empty())
    why = why_no_script(*words, x.what.ini_dir);
  if (!why.empty())
    return error{ec::bad_option, "command: " + why};
  warn_of_bare_files(x, "search", *words);
  return std::unique_ptr<external::partner>{};
}

/// Names of the searchers that learn from earlier experiments.
std::vector<std::string> transferring(const loading& x) {
  std::vector<std::string> result;
  for (const auto& entry : x.request.searchers.entries()) {
    auto defaults = options::parse(entry.known, {});
    if (!defaults || !entry.make)
      continue;
    auto made = make_part(entry, *defaults, searcher_context_of(x.what, x.space));
    if (made && (*made)->traits().learns_earlier)
      result.push_back(entry.name);
  }
  return result;
}

void check_learning_from(loading& x, const searcher_catalogue::entry& entry,
                         const searcher_traits& traits) {
  auto objectives = x.what.experiment.objectives.size();
  if (!traits.learns_earlier)
    x.refuse("search", "learn_from",
             "learn_from: " + entry.name + " learns nothing from earlier experiments; these do: "
                 + joined(transferring(x)) + "; points_from tries their best with any searcher");
  else if (objectives > 1)
    x.refuse("search", "learn_from",
             "learn_from: earlier experiments are learnt from where there is 1 objective, not "
                 + std::to_string(objectives)
                 + "; points_from tries their best with any number of them");
  if (auto words = source_names(x.what.search.learn_from, x.what.ini_dir); !words)
    x.refuse("search", "learn_from", "learn_from: " + words.error().detail);
  else if (words->size() > transfer::most_sources)
    x.refuse("search", "learn_from",
             "learn_from: at most " + std::to_string(transfer::most_sources) + " experiments, not "
                 + std::to_string(words->size()));
}

void try_searcher(loading& x, const searcher_catalogue::entry& entry) {
  auto parsed = options::parse(entry.known, option_texts(x.what.search.options));
  if (!parsed || !entry.make)
    return;
  auto context = searcher_context_of(x.what, x.space);
  context.partners = [&](const external::partner_terms& what) {
    return check_searcher_command(x, what.command);
  };
  auto made = make_part(entry, *parsed, context);
  if (!made) {
    refuse_searcher(x, entry, made.error().detail);
    return;
  }
  auto traits = (*made)->traits();
  check_repeats_with(x, traits);
  if (!x.what.search.learn_from.empty())
    check_learning_from(x, entry, traits);
  if (!traits.learns && !x.what.search.known.empty())
    x.refuse("search", "known", "known: " + entry.name + " learns from no results");
  auto objectives = x.what.experiment.objectives.size();
  if (traits.objectives != 0 && objectives > traits.objectives)
    x.refuse("experiment", "metric",
             "metric: " + entry.name + " optimises " + std::to_string(traits.objectives)
                 + " objective(s), not " + std::to_string(objectives));
  for (const auto& each : x.space->parameters()) {
    if (each.active_if && !traits.conditional)
      x.refuse("space", each.name,
               "\"" + each.name + "\": " + entry.name + " cannot search conditional parameters");
  }
}

void try_scheduler(loading& x, const scheduler_catalogue::entry& entry) {
  if (x.space->constraint() != nullptr && changes_configurations(entry.name))
    x.refuse(
        "space", std::string{constraint_line},
        "constraint: " + entry.name
            + " changes configurations without looking at it; take another scheduler, or narrow "
              "the ranges instead");
  auto parsed = options::parse(entry.known, option_texts(x.what.scheduler.options));
  if (!parsed || !entry.make)
    return;
  auto made = make_part(entry, *parsed, scheduler_context_of(x.what, x.space));
  if (!made) {
    x.refuse("scheduler", blamed(entry.known, made.error().detail),
             "of " + entry.name + ": " + made.error().detail);
    return;
  }
  if (!(*made)->traits().needs_checkpoints || x.request.trainables == nullptr)
    return;
  if (auto known = saving_of(x.what, *x.request.trainables); known.how == save_ability::none)
    x.refuse("scheduler", "type",
             "type = " + entry.name
                 + ": pauses trials, which need checkpoints for that: " + known.why_not);
}

/// Warns of checkpoint keys that do nothing because the trainable is never asked to save.
void warn_of_checkpoints(loading& x) {
  const auto& wanted = x.what.checkpoint;
  if (x.request.trainables == nullptr || (wanted.frequency == 0 && !wanted.at_end))
    return;
  auto known = saving_of(x.what, *x.request.trainables);
  if (known.how == save_ability::on_request)
    return;
  auto warn = [&](const std::string& key) {
    x.warn(x.origin("checkpoint", key), "[checkpoint] " + key + ": does nothing: " + known.why_not);
  };
  if (wanted.frequency > 0)
    warn("frequency");
  if (wanted.at_end)
    warn("at_end");
}

} // namespace

/// Replaces `auto` by its meaning, which is recorded, so that a resumed experiment behaves the
/// same.
void settle_partial(loading& x) {
  static constexpr std::array<std::string_view, 4> cutting{"asha", "hyperband", "hb_bohb",
                                                           "median_stopping"};
  auto cuts = std::find(cutting.begin(), cutting.end(), x.what.scheduler.type) != cutting.end()
              && x.what.experiment.objectives.size() <= 1;
  for (auto& option : x.what.search.options) {
    if (option.name == automatic::partial_option && option.text == "auto")
      option.text = cuts ? "true" : "false";
  }
}

void check_plugins(loading& x) {
  check_sinks(x);
  auto& search = x.what.search;
  auto& scheduler = x.what.scheduler;
  const auto* judge
      = choose(x, x.request.schedulers, "scheduler", scheduler.type, usual_scheduler(x));
  const auto* searcher = choose(x, x.request.searchers, "search", search.type, usual_searcher(x));
  if (searcher != nullptr)
    check_options(x, "search", search.type, x.request.searchers, searcher->known, search.options);
  if (judge != nullptr)
    read_file_options(x, "scheduler", judge->known, scheduler.options);
  if (judge != nullptr)
    check_options(x, "scheduler", scheduler.type, x.request.schedulers, judge->known,
                  scheduler.options);
  settle_partial(x);
  if (!x.faults.empty())
    return;
  if (searcher != nullptr)
    try_searcher(x, *searcher);
  if (judge != nullptr)
    try_scheduler(x, *judge);
  warn_of_checkpoints(x);
}

} // namespace tune
