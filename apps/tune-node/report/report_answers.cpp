// SPDX-License-Identifier: BSD-3-Clause
#include "report/report_answers.hpp"

#include <algorithm>
#include <map>

namespace tune::cli {

namespace {

using query_words = std::map<std::string, std::string>;

/// A question, and what a later one must say to be given the answer.
struct stored_question {
  std::string part;
  query_words fits = {};
  /// How much is asked for, beside that.
  query_words size = {};
};

std::vector<std::string> metrics_of(const object& overview) {
  std::vector<std::string> result;
  const auto* all = overview.find("objectives")->as_list();
  for (const auto& x : *all)
    result.push_back(*x.as_object()->find("metric")->as_string());
  return result;
}

/// The questions of one metric; those of the first fit where none is named, too.
void add_questions(const std::string& metric, bool is_first, std::vector<stored_question>& to) {
  auto fits = [&](query_words more) {
    if (!is_first)
      more.emplace("metric", metric);
    return more;
  };
  to.push_back({"history", fits({}), {{"points", "1000"}}});
  for (const char* x : {"time", "cost", "iteration"})
    to.push_back({"curves", fits({{"x", x}}), {{"trials", "60"}, {"points", "120"}}});
  to.push_back({"parallel", fits({}), {{"limit", "1500"}}});
  // The measure takes objectives as such; the first is the one it takes by itself.
  to.push_back({"importance", fits({}), {}});
}

std::vector<stored_question> questions_for(const object& overview) {
  std::vector<stored_question> result;
  const auto metrics = metrics_of(overview);
  for (std::size_t i = metrics.size(); i-- > 0;)
    add_questions(metrics[i], i == 0, result);
  if (metrics.size() > 1)
    result.push_back({"pareto", {}, {{"limit", "2000"}}});
  result.push_back({"rungs"});
  result.push_back({"lineage"});
  result.push_back({"timeline", {}, {{"limit", "1500"}}});
  return result;
}

bool has_rows(const object& answer, const char* name) {
  const auto* found = answer.find(name);
  const auto* all = found == nullptr ? nullptr : found->as_list();
  return all != nullptr && !all->empty();
}

/// Whether a chart of this answer would show something.
bool has_something(const std::string& part, const object& answer) {
  static const std::map<std::string, const char*> rows{
      {"history", "values"},        {"curves", "curves"},    {"parallel", "lines"},
      {"importance", "parameters"}, {"pareto", "points"},    {"rungs", "brackets"},
      {"lineage", "exploits"},      {"timeline", "attempts"}};
  const auto found = rows.find(part);
  return found != rows.end() && has_rows(answer, found->second);
}

object query_object(const query_words& from) {
  object result;
  for (const auto& [name, text] : from)
    result.set(name, text);
  return result;
}

object stored(const stored_question& asked, value answer) {
  return {{"part", asked.part}, {"query", query_object(asked.fits)}, {"answer", std::move(answer)}};
}

/// The experiment itself, as the views need it.
object own_answer(object overview, const std::string& label) {
  overview.erase("spec");
  value::list metrics;
  for (auto& x : metrics_of(overview))
    metrics.emplace_back(std::move(x));
  overview.set("metrics", std::move(metrics));
  overview.set("name", label);
  // Nothing of it changes any more.
  overview.set("live", false);
  return overview;
}

/// Charts in the order of a report.
std::vector<std::string> in_order(const std::vector<std::string>& filled) {
  std::vector<std::string> result;
  for (const char* name : {"history", "curves", "rungs", "importance", "parallel", "slice",
                           "pareto", "lineage", "timeline"}) {
    const std::string needs = std::string{name} == "slice" ? "parallel" : name;
    if (std::find(filled.begin(), filled.end(), needs) != filled.end())
      result.emplace_back(name);
  }
  return result;
}

} // namespace

std::variant<report_answers, view_fault> answers_for_report(views& from, const std::string& name,
                                                            const std::string& label) {
  auto whole = from.answer({{"experiments", name}, {}});
  if (auto* fault = std::get_if<view_fault>(&whole))
    return *fault;
  const auto overview = *std::get<value>(whole).as_object();
  report_answers result;
  value::list all;
  std::vector<std::string> filled;
  for (const auto& asked : questions_for(overview)) {
    view_request what{{"experiments", name, asked.part}, {}};
    for (const auto* words : {&asked.fits, &asked.size})
      what.query.insert(words->begin(), words->end());
    auto answer = from.answer(what);
    if (auto* fault = std::get_if<view_fault>(&answer))
      return *fault;
    if (asked.part == "importance" && asked.fits.empty())
      result.importance = *std::get<value>(answer).as_object();
    if (const auto* front = std::get<value>(answer).as_object()->find("front"))
      result.front = front->as_list() == nullptr ? 0 : front->as_list()->size();
    if (has_something(asked.part, *std::get<value>(answer).as_object()))
      filled.push_back(asked.part);
    all.emplace_back(stored(asked, std::move(std::get<value>(answer))));
  }
  all.emplace_back(stored({"", {}, {}}, own_answer(overview, label)));
  result.all = {{"name", label}, {"answers", std::move(all)}};
  result.charts = in_order(filled);
  return result;
}

} // namespace tune::cli
