// SPDX-License-Identifier: BSD-3-Clause
#include "view/record_lists.hpp"

#include "inspect/story.hpp"
#include "tune/io/json.hpp"
#include "view/fields.hpp"
#include "view/node_use.hpp"
#include "view/overview.hpp"
#include "view/record_log.hpp"
#include "view/sampling.hpp"
#include "view/trial_rows.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tune::cli {

namespace {

/// The event behind which a list begins: of `since_seq`, or of its cursor.
std::variant<sequence, view_fault> begin_of(query_reader& query) {
  const auto since = query.number("since_seq", 0, 0, std::uint64_t{1} << 62U);
  if (query.fault())
    return *query.fault();
  const auto text = query.text("cursor");
  if (text.empty())
    return sequence{since};
  auto place = cursor_from(text);
  const auto* at = place && place->size() == 1 ? place->front().as_int() : nullptr;
  if (at == nullptr || *at < 0)
    return bad_query("cursor: is none of this list");
  return static_cast<sequence>(*at);
}

/// Decisions of whole events, and whether more may follow.
struct decision_page {
  std::vector<decision_row> rows;
  bool more = false;
};

bool are_of_one_event(const std::vector<decision_row>& rows) {
  return !rows.empty() && rows.front().seq == rows.back().seq;
}

/// Reads up to `asked.limit` decisions, or all of the first event where these are more.
expected<decision_page> decisions_of_events(store_reader& from, decision_query asked) {
  const auto limit = asked.limit;
  auto rows = from.decisions_after(asked);
  // The first event may go on: as long as nothing else follows, nobody knows.
  while (rows && rows->size() == asked.limit && are_of_one_event(*rows)) {
    asked.limit *= 4;
    rows = from.decisions_after(asked);
  }
  if (!rows)
    return rows.error();
  decision_page result{std::move(*rows), false};
  const auto has_grown = asked.limit > limit;
  const auto are_all = result.rows.size() < asked.limit;
  if (are_all && (!has_grown || are_of_one_event(result.rows)))
    return result;
  result.more = true;
  // Of the last event more rows may follow.
  const auto first = result.rows.front().seq, last = result.rows.back().seq;
  std::erase_if(result.rows,
                [&](const decision_row& x) { return has_grown ? x.seq != first : x.seq == last; });
  return result;
}

std::vector<open_attempt> open_attempts(store_reader& from) {
  std::vector<open_attempt> result;
  constexpr std::size_t all = 1'000'000'000;
  // What cannot be read is not counted: the nodes themselves can be.
  (void)from.scan_attempts({}, all, [&](const raw_attempt& x) {
    if (!x.finished)
      result.push_back({x.trial, x.attempt, std::string{x.node}});
  });
  return result;
}

/// One attempt, kept while all are counted.
struct bar {
  attempt_id attempt;
  trial_id trial;
  lineage_id lineage = 1;
  std::string node;
  std::optional<trial_id> donor;
  instant began{0};
  std::optional<instant> finished;
  std::string end_class;
};

expected<std::vector<bar>> bars_of(store_reader& from) {
  constexpr std::size_t at_once = 20'000;
  std::vector<bar> result;
  for (attempt_id after;;) {
    auto found = from.scan_attempts(after, at_once, [&](const raw_attempt& x) {
      result.push_back({x.attempt, x.trial, x.lineage, std::string{x.node}, x.donor, x.began,
                        x.finished, std::string{x.end_class}});
      after = x.attempt;
    });
    if (!found)
      return found.error();
    if (*found < at_once)
      return result;
  }
}

value bar_value(const bar& x) {
  return object{{"trial", number_value(x.trial.number)},
                {"attempt", to_text(x.attempt)},
                {"node", x.node},
                {"started", seconds_of(x.began)},
                {"ended", seconds_value(x.finished)},
                {"end_class", x.finished ? value{x.end_class} : value{}},
                {"lineage", number_value(x.lineage)}};
}

/// The trials that took others over, and those that were.
std::set<trial_id> related(const std::vector<bar>& all) {
  std::set<trial_id> result;
  for (const auto& x : all) {
    if (!x.donor)
      continue;
    result.insert(x.trial);
    result.insert(*x.donor);
  }
  return result;
}

/// The lineages and exploits of one trial.
expected<void> add_lineages(store_reader& from, trial_id trial, value::list& nodes,
                            value::list& exploits) {
  auto attempts = from.attempts(trial);
  if (!attempts)
    return attempts.error();
  auto taken = from.decisions_after({0, trial, "exploit", 100'000});
  if (!taken)
    return taken.error();
  config_ptr before;
  lineage_id last = 0;
  std::size_t number = 0;
  for (const auto& x : *attempts) {
    const auto config = x.config != nullptr ? value{*x.config} : value{};
    if (x.lineage != last)
      nodes.emplace_back(object{{"trial", number_value(trial.number)},
                                {"lineage", number_value(x.lineage)},
                                {"started", seconds_of(x.began)},
                                {"config", config}});
    if (x.lineage != last && x.donor) {
      const auto at = number < taken->size() ? (*taken)[number].iteration : 0;
      ++number;
      exploits.emplace_back(object{{"t", seconds_of(x.began)},
                                   {"trial", number_value(trial.number)},
                                   {"donor", number_value(x.donor->number)},
                                   {"training_iteration", number_value(at)},
                                   {"before", before != nullptr ? value{*before} : value{}},
                                   {"after", config}});
    }
    last = x.lineage;
    before = x.config;
  }
  return {};
}

} // namespace

view_answer decisions_list(watched_experiment& from, const view_request& what) {
  query_reader query{what};
  decision_query asked;
  asked.limit = query.number("limit", 100, 1, 1000);
  asked.trial = query.trial("trial");
  asked.action = query.text("action");
  auto begin = begin_of(query);
  if (auto* fault = std::get_if<view_fault>(&begin))
    return *fault;
  asked.after = std::get<sequence>(begin);
  auto page = from.with_reader([&](store_reader& x) { return decisions_of_events(x, asked); });
  if (!page)
    return fault_of(page.error());
  auto& rows = page->rows;
  auto read = from.with_reader([&](store_reader& x) { return times_of(x, rows); });
  if (!read)
    return fault_of(read.error());
  const auto& times = *read;
  const auto next = rows.empty() ? asked.after : rows.back().seq;
  leave_out_repeated(rows);
  value::list all;
  for (const auto& x : rows)
    all.emplace_back(decision_object(x, times));
  return value{object{
      {"decisions", std::move(all)}, {"next_seq", number_value(next)}, {"more", page->more}}};
}

view_answer nodes_list(watched_experiment& from, const view_request&) {
  const auto facts = from.live();
  const auto live = facts.live;
  const auto leaving = leaving_nodes(facts);
  std::vector<open_attempt> open;
  auto nodes = from.with_reader([&](store_reader& x) {
    if (live)
      open = open_attempts(x);
    return x.nodes();
  });
  if (!nodes)
    return fault_of(nodes.error());
  // Read after the attempts: each that is open then was placed before.
  auto placed = from.placements();
  if (!placed)
    return fault_of(placed.error());
  auto use = use_of_nodes(open, *placed);
  value::list all;
  for (const auto& x : *nodes) {
    auto row = node_object(x, leaving);
    const auto& own = use[x.node];
    row.set("running", number_value(own.running));
    row.set("used", live && own.used ? resources_value(*own.used) : value{});
    all.emplace_back(std::move(row));
  }
  return value{object{{"nodes", std::move(all)}, {"live", live}}};
}

view_answer checkpoints_list(watched_experiment& from, const view_request& what) {
  query_reader query{what};
  const auto limit = query.number("limit", 100, 1, 1000);
  auto begin = begin_of(query);
  if (auto* fault = std::get_if<view_fault>(&begin))
    return *fault;
  auto rows = from.with_reader(
      [&](store_reader& x) { return x.checkpoints_after(std::get<sequence>(begin), limit); });
  if (!rows)
    return fault_of(rows.error());
  value::list all;
  for (const auto& x : *rows)
    all.emplace_back(checkpoint_object(x));
  const auto more = rows->size() == limit;
  return value{object{
      {"checkpoints", std::move(all)},
      {"next_cursor", more ? value{cursor_text({number_value(rows->back().seq)})} : value{}}}};
}

view_answer log_list(watched_experiment& from, const view_request& what) {
  query_reader query{what};
  log_query asked;
  asked.limit = query.number("limit", 100, 1, 1000);
  asked.trial = query.trial("trial");
  if (!query.text("kind").empty())
    asked.kind = query.one_of("kind", event_kinds());
  auto begin = begin_of(query);
  if (auto* fault = std::get_if<view_fault>(&begin))
    return *fault;
  asked.after = std::get<sequence>(begin);
  auto part = from.with_reader([&](store_reader& x) { return log_of(x, asked); });
  if (!part)
    return fault_of(part.error());
  const auto last = number_value(part->last);
  return value{object{{"events", std::move(part->events)},
                      {"next_seq", last},
                      {"next_cursor", part->more ? value{cursor_text({last})} : value{}}}};
}

view_answer timeline(watched_experiment& from, const view_request& what) {
  query_reader query{what};
  const auto limit = query.number("limit", 5000, 1, 50'000);
  if (query.fault())
    return *query.fault();
  auto bars = from.with_reader([](store_reader& x) { return bars_of(x); });
  auto nodes = from.with_reader([](store_reader& x) { return x.nodes(); });
  if (!bars || !nodes)
    return fault_of(bars ? nodes.error() : bars.error());
  auto absences = from.absences();
  if (!absences)
    return fault_of(absences.error());
  const auto leaving = leaving_nodes(from.live());
  value::list all, places, down;
  for (auto i : spread_places(bars->size(), limit))
    all.push_back(bar_value((*bars)[i]));
  for (const auto& x : *nodes)
    places.emplace_back(
        object{{"node", x.node}, {"state", std::string{state_of_node(x, leaving)}}});
  for (const auto& x : *absences)
    down.emplace_back(object{{"node", x.node},
                             {"from", seconds_of(x.from)},
                             {"to", seconds_value(x.to)},
                             {"why", x.why}});
  const auto sampled = all.size() < bars->size();
  return value{object{{"nodes", std::move(places)},
                      {"attempts", std::move(all)},
                      {"down", std::move(down)},
                      {"total", number_value(bars->size())},
                      {"sampled", sampled}}};
}

view_answer lineage(watched_experiment& from, const view_request&) {
  constexpr std::size_t most = 2000;
  value::list nodes, exploits;
  std::size_t total = 0;
  auto read = from.with_reader([&](store_reader& x) -> expected<void> {
    auto bars = bars_of(x);
    if (!bars)
      return bars.error();
    const auto family = related(*bars);
    total = family.size();
    std::size_t count = 0;
    for (auto trial : family) {
      if (count++ == most)
        break;
      if (auto added = add_lineages(x, trial, nodes, exploits); !added)
        return added;
    }
    return {};
  });
  if (!read)
    return fault_of(read.error());
  auto at = [](const value& x) { return *x.as_object()->find("t")->number(); };
  std::stable_sort(exploits.begin(), exploits.end(),
                   [&](const value& x, const value& y) { return at(x) < at(y); });
  return value{object{{"nodes", std::move(nodes)},
                      {"exploits", std::move(exploits)},
                      {"total", number_value(total)}}};
}

} // namespace tune::cli
