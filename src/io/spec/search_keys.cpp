// SPDX-License-Identifier: BSD-3-Clause
#include "search_keys.hpp"

#include "key_makers.hpp"
#include "tune/io/json.hpp"

#include <algorithm>

namespace tune {

namespace {

using namespace key_makers;

constexpr double most_points = 1000;
constexpr double most_repeats = 1000;
constexpr double most_pending = 1'000'000;
constexpr std::size_t most_known = 10000;

key_spec points_key() {
  auto result = start({"search", "points", "configurations, whole or in part, to try first"},
                      option_kind::text, "JSON list of objects such as [{\"lr\": 0.1}]");
  result.write = [](const spec& x) {
    value::list list{x.search.points.begin(), x.search.points.end()};
    return tune::to_json(value{std::move(list)});
  };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    json_limits strict;
    strict.unique_names = true;
    auto parsed = from_json(what, json_position::plain, strict);
    if (!parsed)
      return refusal("points", what, parsed.error().detail);
    if (parsed->as_list() == nullptr)
      return refusal("points", what, "must be a JSON list of objects");
    x.search.points.clear();
    for (const auto& each : *parsed->as_list()) {
      if (each.as_object() == nullptr)
        return refusal("points", what, "must be a JSON list of objects");
      x.search.points.push_back(*each.as_object());
    }
    return {};
  };
  return result;
}

/// The member of that name in an entry; null if it is not an object.
const object* member(const value& entry, std::string_view name) {
  const auto* all = entry.as_object();
  const auto* found = all == nullptr ? nullptr : all->find(name);
  return found == nullptr ? nullptr : found->as_object();
}

expected<void> read_known(spec& x, const std::string& what) {
  const auto* shape = "must be a JSON list of objects with \"config\" and \"metrics\"";
  json_limits strict;
  strict.unique_names = true;
  auto parsed = from_json(what, json_position::plain, strict);
  if (!parsed)
    return refusal("known", what, parsed.error().detail);
  if (parsed->as_list() == nullptr)
    return refusal("known", what, shape);
  std::vector<known_point> all;
  for (const auto& each : *parsed->as_list()) {
    const auto* config = member(each, "config");
    const auto* metrics = member(each, "metrics");
    if (config == nullptr || metrics == nullptr || each.as_object()->size() != 2)
      return refusal("known", what, shape);
    all.push_back({*config, *metrics});
  }
  if (all.size() > most_known)
    return refusal("known", what, "must have at most " + std::to_string(most_known) + " entries");
  x.search.known = std::move(all);
  return {};
}

key_spec known_key() {
  auto result = start(
      {"search", "known", "configurations whose results are known: learnt from, and not run"},
      option_kind::text,
      "JSON list such as [{\"config\": {\"lr\": 0.1}, \"metrics\": {\"loss\": 0.3}}]");
  result.write = [](const spec& x) {
    value::list list;
    for (const auto& each : x.search.known)
      list.emplace_back(object{{"config", each.config}, {"metrics", each.metrics}});
    return tune::to_json(value{std::move(list)});
  };
  result.read = read_known;
  return result;
}

key_spec repeat_parameter_key() {
  auto result = text({"search", "repeat_parameter",
                      "parameter that tells a run its number, from 0, where configurations run "
                      "several times"},
                     "letters, digits and _", TUNE_FIELD(search.repeat_parameter));
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    constexpr std::size_t most = 100;
    auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    auto is_plain = [&](char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); };
    auto begins = !what.empty() && (is_letter(what[0]) || what[0] == '_') && what.size() <= most;
    if (!begins || !std::all_of(what.begin(), what.end(), is_plain))
      return refusal("repeat_parameter", what,
                     "must be letters, digits and _, at most 100, and begin with no digit");
    x.search.repeat_parameter = what;
    return {};
  };
  return result;
}

} // namespace

void add_search_keys(rows& to) {
  to.push_back(text({"search", "type", "what proposes configurations"},
                    "name that `list searchers` prints; empty: `auto` where it can learn, "
                    "else `random`",
                    TUNE_FIELD(search.type)));
  to.push_back(points_key());
  to.push_back(text(
      {"search", "points_from", "experiment whose best configurations are tried after `points`"},
      "directory or database, against the working directory; empty: none",
      TUNE_FIELD(search.points_from)));
  to.push_back(integer({"search", "points_from_best", "how many of them"}, {1, most_points},
                       TUNE_FIELD(search.points_from_best)));
  to.push_back(known_key());
  to.push_back(
      text({"search", "learn_from", "earlier experiments that are learnt from"},
           "directories or databases, in words, against the working directory; empty: none",
           TUNE_FIELD(search.learn_from)));
  to.push_back(duration({"search", "max_wait",
                         "how long a free place waits for a searcher's model; then what the "
                         "searcher drew ahead runs, or what it draws at once; 0 = as long as it "
                         "takes",
                         true},
                        TUNE_FIELD(search.max_wait)));
  to.push_back(integer({"search", "max_pending",
                        "configurations whose trials may have not ended, paused ones included, "
                        "before the searcher is asked for another; 0 = no bound of its own",
                        true},
                       {0, most_pending}, TUNE_FIELD(search.max_pending)));
  to.push_back(boolean({"search", "batch",
                        "whether the searcher is asked for max_pending configurations at once, and "
                        "for the next ones when all of these have ended",
                        true},
                       TUNE_FIELD(search.batch)));
  to.push_back(integer({"search", "repeat", "runs of each configuration, which is judged by all"},
                       {1, most_repeats}, TUNE_FIELD(search.repeat)));
  to.push_back(one_of({"search", "repeat_judge", "what the runs of a configuration come to"},
                      {"mean", "median", "lower_bound"}, TUNE_FIELD(search.repeat_judge)));
  to.push_back(repeat_parameter_key());
  to.push_back(family({"search", "", "option of the chosen searcher"}, "<option>",
                      "as `list searchers` prints", TUNE_FIELD(search.options)));
}

} // namespace tune
