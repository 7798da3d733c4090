// SPDX-License-Identifier: BSD-3-Clause
#include "report/report_page.hpp"

#include "console/human.hpp"
#include "console/text.hpp"
#include "report/html.hpp"
#include "report/words.hpp"
#include "tune/io/json.hpp"

#include <algorithm>

namespace tune::cli {

namespace {

std::string paragraphs_html(const paragraphs& all) {
  std::string result;
  for (const auto& x : all)
    result += "<p>" + html_text(x) + "</p>\n";
  return result;
}

std::string heading(const std::string& text) {
  return "<h3>" + html_text(text) + "</h3>\n";
}

std::string spent_table(const study& x) {
  const auto shares = spent_by_fate(x);
  double iterations = 0, time = 0;
  std::uint64_t without_number = 0;
  for (const auto& each : shares) {
    iterations += static_cast<double>(each.iterations);
    time += each.time_s;
    without_number += each.without_number;
  }
  std::vector<std::vector<std::string>> rows;
  std::vector<html_column> columns{{"Trials that"},         {"Trials", true},
                                   {"Iterations", true},    {"Share", true},
                                   {"Training time", true}, {"Share of time", true}};
  if (without_number > 0)
    columns.push_back({"Trials without a number", true});
  for (const auto& each : shares) {
    if (each.trials == 0)
      continue;
    rows.push_back({fate_text(each.fate), std::to_string(each.trials),
                    std::to_string(each.iterations),
                    share_text(static_cast<double>(each.iterations), iterations),
                    seconds_text(each.time_s), share_text(each.time_s, time)});
    if (without_number > 0)
      rows.back().push_back(std::to_string(each.without_number));
  }
  return html_table(columns, rows, "Where the budget went");
}

std::string failures_table(const study& x) {
  constexpr std::size_t most = 20;
  std::vector<std::vector<std::string>> rows;
  for (const auto& group : x.failures) {
    if (rows.size() == most)
      break;
    std::string trials;
    for (std::size_t i = 0; i < std::min<std::size_t>(group.trials.size(), 5); ++i)
      trials += (i == 0 ? "" : ", ") + to_text(group.trials[i]);
    rows.push_back({std::to_string(group.trials.size()), group.kind,
                    cut(printable(group.text), 300),
                    trials + (group.trials.size() > 5 ? ", …" : "")});
  }
  return html_table({{"Trials", true}, {"Class"}, {"What they said"}, {"Which"}}, rows,
                    "Failures of trials");
}

std::string failures_html(const study& x) {
  if (x.failures.empty())
    return {};
  std::uint64_t failed = 0;
  for (const auto& group : x.failures)
    failed += group.trials.size();
  return heading("What failed")
         + paragraphs_html({counted(failed, "trial") + " failed for good, in "
                            + counted(x.failures.size(), "way") + "."})
         + failures_table(x);
}

std::string best_table(const reported_experiment& x) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& trial : x.facts.best)
    rows.push_back({to_text(trial.trial), trial.value, std::to_string(trial.iteration),
                    std::to_string(trial.iterations), trial.status, trial.config});
  return html_table({{"Trial"},
                     {x.facts.what.metric, true},
                     {"Best at", true},
                     {"Iterations", true},
                     {"Status"},
                     {"Configuration"}},
                    rows, "The best trials");
}

std::string space_table(const study& x) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& p : x.parameters)
    rows.push_back({p.name, p.domain + (p.conditional ? ", under a condition" : ""),
                    p.importance ? share_text(p.importance->share, 1) : "–",
                    !p.importance                    ? "–"
                    : p.importance->more_than_chance ? "yes"
                                                     : "no",
                    p.importance && !p.importance->best.empty() ? p.importance->best : "–"});
  return html_table({{"Parameter"},
                     {"Searched in"},
                     {"Importance", true},
                     {"More than chance"},
                     {"The best have"}},
                    rows, "Parameters");
}

std::string findings_html(const findings& all) {
  if (all.empty())
    return "<p>No rule of this report found anything that calls for a change.</p>\n";
  std::string result = "<ul class=\"findings\">\n";
  for (const auto& x : all)
    result += "<li data-rule=\"" + html_text(x.rule) + "\"><strong>" + html_text(x.title)
              + "</strong> " + html_text(x.text) + "</li>\n";
  return result + "</ul>\n";
}

std::string charts_html(const reported_experiment& x, std::size_t number) {
  std::string result;
  for (const auto& chart : x.answers.charts)
    result += "<div data-chart=\"" + chart + "\" data-experiment=\"" + std::to_string(number)
              + "\"></div>\n";
  return result.empty() ? result : heading("Charts") + result;
}

std::string again_html(const reported_experiment& x) {
  const auto& facts = x.facts;
  std::vector<std::vector<std::string>> rows{
      {"Directory", facts.directory},
      {"Created", facts.created},
      {"Recorded by", facts.build},
      {"Seed", std::to_string(facts.what.seed)},
      {"Working directory of the command", facts.configuration.ini_dir}};
  for (const auto& file : facts.code)
    rows.push_back({"SHA-256 of " + file.name, file.text});
  return heading("To run it again")
         + "<p>Save the configuration below as a file <code>again.ini</code>, fill in what is "
           "<code>(redacted)</code>, and run <code>tune-node run again.ini</code>. Values of "
           "environment variables, and of keys that look like secrets, were taken out.</p>\n"
         + html_table({{"What"}, {"Value"}}, rows, "What belongs to the configuration")
         + "<details open><summary>Configuration</summary>\n<pre tabindex=\"0\">"
         + html_text(x.ini, true) + "</pre></details>\n";
}

std::string anchor_of(std::size_t number) {
  return "experiment-" + std::to_string(number + 1);
}

std::string experiment_html(const reported_experiment& x, std::size_t number) {
  const auto& what = x.facts.what;
  return "<section class=\"experiment\" id=\"" + anchor_of(number) + "\">\n<h2>"
         + html_text(x.label) + "</h2>\n" + heading("What was searched")
         + paragraphs_html(searched_words(what)) + heading("What won")
         + paragraphs_html(won_words(what)) + best_table(x) + heading("What mattered")
         + paragraphs_html(mattered_words(what)) + space_table(what)
         + heading("Where the budget went") + paragraphs_html(spent_words(what)) + spent_table(what)
         + failures_html(what) + heading("What to try next") + findings_html(x.found)
         + charts_html(x, number) + again_html(x) + "</section>\n";
}

/// One row per fact, one column per experiment.
std::string side_by_side(const report_parts& what) {
  std::vector<html_column> columns{{""}};
  std::vector<std::vector<std::string>> rows{
      {"State"},      {"Objectives"}, {"Best"},    {"Trial"},    {"Trials"},
      {"Iterations"}, {"Training"},   {"Elapsed"}, {"Searcher"}, {"Scheduler"}};
  for (const auto& x : what.experiments) {
    const auto& own = x.facts.what;
    columns.push_back({x.label});
    const auto* best = own.winner.place ? &own.trials[*own.winner.place] : nullptr;
    const std::vector<std::string> cells{
        own.status,
        own.objectives,
        best == nullptr ? "–" : number_text(metric_of(own, best->how.score)),
        best == nullptr ? "–" : trial_text(*best),
        std::to_string(own.trials.size()),
        std::to_string(own.cost.iterations),
        seconds_text(own.cost.spent_s),
        seconds_text(own.elapsed_s),
        own.searcher,
        own.scheduler};
    for (std::size_t i = 0; i < cells.size(); ++i)
      rows[i].push_back(cells[i]);
  }
  auto result = "<section>\n<h2>Side by side</h2>\n"
                + html_table(columns, rows, "The experiments side by side");
  columns.front().title = "Key";
  rows.clear();
  for (const auto& x : what.differences) {
    rows.push_back({x.key});
    for (const auto& text : x.values)
      rows.back().push_back(text.empty() ? "–" : cut(printable(text), 200));
  }
  if (!rows.empty())
    result += heading("Keys that differ") + html_table(columns, rows, "Keys that differ");
  return result + "<div data-chart=\"compare\"></div>\n</section>\n";
}

std::string title_of(const report_parts& what) {
  std::string result;
  for (std::size_t i = 0; i < what.experiments.size(); ++i)
    result += (i == 0                             ? ""
               : i + 1 == what.experiments.size() ? " and "
                                                  : ", ")
              + what.experiments[i].label;
  return result;
}

std::string head_html(const report_parts& what, const report_scripts& by) {
  auto policy = std::string{"default-src 'none'; base-uri 'none'; form-action 'none'"};
  if (!by.style.empty())
    policy += "; style-src '" + policy_hash(by.style) + "'";
  if (!by.script.empty())
    policy += "; script-src '" + policy_hash(by.script) + "'";
  auto result = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\""
                + policy
                + "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n<title>Report: "
                + html_text(title_of(what)) + "</title>\n";
  if (!by.style.empty())
    result += "<style>" + by.style + "</style>\n";
  return result + "</head>\n";
}

std::string contents_html(const report_parts& what) {
  if (what.experiments.size() < 2)
    return {};
  std::string result = "<ul class=\"contents\">";
  for (std::size_t i = 0; i < what.experiments.size(); ++i)
    result += "<li><a href=\"#" + anchor_of(i) + "\">" + html_text(what.experiments[i].label)
              + "</a></li>";
  return result + "</ul>\n";
}

std::string data_html(const report_parts& what) {
  value::list all;
  for (const auto& x : what.experiments)
    all.emplace_back(x.answers.all);
  return "<script type=\"application/json\" id=\"answers\">"
         + json_in_html(to_json(value{std::move(all)})) + "</script>\n";
}

} // namespace

std::string report_html(const report_parts& what, const report_scripts& by) {
  auto result = head_html(what, by) + "<body class=\"report\">\n<main>\n<h1>"
                + html_text(title_of(what)) + "</h1>\n<p class=\"quiet\">Report of "
                + html_text(what.made) + "</p>\n";
  result += by.script.empty()
                ? "<p>This program was built without charts: the report has words and tables.</p>\n"
                : "<noscript><p>Charts need JavaScript; all words and tables are here.</p>"
                  "</noscript>\n";
  result += contents_html(what);
  if (what.experiments.size() > 1)
    result += side_by_side(what);
  for (std::size_t i = 0; i < what.experiments.size(); ++i)
    result += experiment_html(what.experiments[i], i);
  result += "<footer>Made by tune-node " + html_text(what.version)
            + ". Shares and estimates are computed from the record alone.</footer>\n</main>\n";
  if (!by.script.empty())
    result += data_html(what) + "<script>" + by.script + "</script>\n";
  return result + "</body>\n</html>\n";
}

} // namespace tune::cli
