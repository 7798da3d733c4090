// SPDX-License-Identifier: BSD-3-Clause
#include "serve/api_routes.hpp"

#include "serve/submissions.hpp"
#include "view/filter.hpp"
#include "view/record_log.hpp"

#include <limits>
#include <utility>

namespace tune::cli {

namespace {

using http::access;
using http::method;
using http::parameter;
using http::route;
using kind = parameter::kind;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t small_body = 4 * 1024;
constexpr std::size_t usual_body = 1024 * 1024;

parameter text(std::string name, std::string meaning, std::int64_t longest = 1000) {
  return {std::move(name), kind::text, 0, longest, {}, std::move(meaning)};
}

parameter number(std::string name, std::string meaning, std::int64_t least, std::int64_t most) {
  return {std::move(name), kind::integer, least, most, {}, std::move(meaning)};
}

parameter one_of(std::string name, std::string meaning, std::vector<std::string> choices) {
  return {std::move(name), kind::choice, 0, 0, std::move(choices), std::move(meaning)};
}

parameter limit(std::int64_t most = 1000, std::int64_t least = 1) {
  return number("limit", "at most so many", least, most);
}

parameter cursor() {
  return text("cursor", "next_cursor of the answer before");
}

parameter metric() {
  return text("metric",
              "a metric; without it the first objective, or of a trial's results all that "
              "are numbers in its last report");
}

route view(std::string pattern, std::string id, std::string summary,
           std::vector<parameter> query = {}) {
  route result;
  result.pattern = "/api/v1/experiments" + std::move(pattern);
  result.id = "view_" + std::move(id);
  result.summary = std::move(summary);
  result.query = std::move(query);
  return result;
}

route slow(route x) {
  x.is_slow = true;
  return x;
}

route open(std::string pattern, std::string id, std::string summary) {
  route result;
  result.pattern = std::move(pattern);
  result.id = std::move(id);
  result.summary = std::move(summary);
  result.who = access::open;
  return result;
}

route get(std::string pattern, std::string id, std::string summary,
          std::vector<parameter> query = {}) {
  route result;
  result.pattern = "/api/v1/experiments" + std::move(pattern);
  result.id = std::move(id);
  result.summary = std::move(summary);
  result.query = std::move(query);
  return result;
}

/// A request to the head of an experiment.
route order(std::string pattern, std::string id, std::string summary) {
  route result;
  result.what = method::post;
  result.pattern = "/api/v1/experiments/{experiment}" + std::move(pattern);
  result.id = std::move(id);
  result.summary = std::move(summary);
  result.body = usual_body;
  result.is_slow = true;
  return result;
}

std::vector<route> service_routes() {
  auto metrics = open("/metrics", "metrics", "numbers about this server, for Prometheus");
  metrics.who = access::token;
  auto described = open("/api/v1/openapi.json", "openapi", "this description");
  described.who = access::token;
  auto enter = open("/api/v1/session", "session_begin", "give the token for a cookie");
  enter.what = method::post;
  enter.body = small_body;
  auto leave = open("/api/v1/session", "session_end", "drop the cookie");
  leave.what = method::del;
  leave.body = small_body;
  auto page = open("/", "page", "the dashboard; its query says what it shows");
  page.any_query = true;
  return {open("/healthz", "health", "whether the process lives"),
          open("/readyz", "ready", "whether what is served can be read"),
          open("/version", "version", "the version of the program"),
          metrics,
          described,
          enter,
          leave,
          page,
          open("/{path}", "page_file", "a file of the dashboard"),
          open("/assets/{path...}", "page_asset", "a file of the dashboard")};
}

std::vector<route> experiment_views() {
  return {
      view("", "experiments", "all experiments", {limit(), cursor()}),
      view("/{experiment}", "experiment", "one experiment"),
      view("/{experiment}/curves", "curves", "learning curves of many trials",
           {metric(), number("trials", "most curves", 1, 1000),
            number("points", "most points of a curve", 4, 2000),
            one_of("x", "what is to the right", {"iteration", "time", "cost"}),
            one_of("which", "which trials", {"best", "recent", "spread"})}),
      view("/{experiment}/history", "history", "the best so far, over trials and time",
           {metric(), number("points", "most points", 4, 10'000)}),
      view("/{experiment}/rungs", "rungs", "who was stopped where, and at which cutoff"),
      view("/{experiment}/parallel", "parallel", "configurations and values of many trials",
           {metric(), limit(20'000, 10)}),
      slow(view("/{experiment}/importance", "importance", "which parameters matter", {metric()})),
      view("/{experiment}/pareto", "pareto", "trials that no other one beats in all objectives",
           {limit(20'000, 10)}),
      view("/{experiment}/timeline", "timeline", "attempts over nodes and time", {limit(50'000)}),
      view("/{experiment}/lineage", "lineage", "who went on from whose checkpoint"),
      view("/{experiment}/decisions", "decisions", "what was decided, and why",
           {number("since_seq", "after this place of the log", 0, largest),
            number("trial", "of this trial", 0, largest), text("action", "of this kind"), limit()}),
      view("/{experiment}/nodes", "nodes", "the nodes"),
      view("/{experiment}/checkpoints", "checkpoints", "the checkpoints", {limit(), cursor()}),
      view("/{experiment}/log", "log", "events of the record, reports among them",
           {limit(), cursor(), number("since_seq", "after this place of the log", 0, largest),
            number("trial", "that name this trial", 0, largest),
            one_of("kind", "of this kind", event_kinds())})};
}

std::vector<route> trial_views() {
  return {view("/{experiment}/trials", "trials", "the trials, filtered and sorted",
               {limit(), cursor(),
                one_of("status", "in this status",
                       {"PENDING", "RUNNING", "PAUSED", "TERMINATED", "ERRORED", "pending",
                        "running", "paused", "terminated", "errored"}),
                text("sort", "a key, with a minus in front for the opposite order"),
                one_of("scope", "which reports `metric:` is of", scope_names()),
                text("filter", "comparisons joined by `and`", 4000),
                text("fields", "columns, joined by commas", 4000)}),
          view("/{experiment}/trials/{trial}", "trial", "one trial, and why it ended"),
          view("/{experiment}/trials/{trial}/results", "results", "its reports",
               {metric(), number("points", "most rows", 4, 10'000)}),
          slow(get("/{experiment}/trials/{trial}/suggestion", "suggestion",
                   "why its configuration was proposed")),
          get("/{experiment}/trials/{trial}/logs", "logs",
              "what it printed; as server-sent events it goes on",
              {one_of("stream", "which of both", {"stdout", "stderr"}),
               number("offset", "from this byte on; negative: so many before the end", -largest,
                      largest),
               number("limit", "at most so many bytes", 1, 1024 * 1024)}),
          get("/{experiment}/trials/{trial}/checkpoints/{checkpoint}", "checkpoint",
              "a checkpoint as a tar archive"),
          get("/{experiment}/trials/{trial}/artifacts/{path...}", "artifact",
              "a file of the trial's directory"),
          get("/{experiment}/events", "events", "changes as server-sent events",
              {text("since", "after this place of the log: SEQ, or the id of an event", 50)})};
}

route submit() {
  route result;
  result.what = method::post;
  result.pattern = "/api/v1/experiments";
  result.id = "submit";
  result.summary = "an experiment with its files, to be run by this head";
  result.query
      = {text("file", "the INI file in the archive", 500),
         one_of("resume", "go on with an experiment that is there",
                std::vector<std::string>{resume_mode_names.begin(), resume_mode_names.end()})};
  result.body = largest_upload;
  result.body_type = "application/x-tar";
  result.is_slow = true;
  return result;
}

std::vector<route> orders() {
  return {submit(),
          order("/trials", "add", "try a configuration"),
          order("/trials/{trial}/stop", "trial_stop", "end a trial"),
          order("/trials/{trial}/pause", "trial_pause", "have a trial save, and wait"),
          order("/trials/{trial}/unpause", "trial_unpause", "let a trial go on"),
          order("/trials/{trial}/retry", "trial_retry", "run a trial again that has ended"),
          order("/stop", "stop", "end the experiment in order"),
          order("/pause", "pause", "start no more trials"),
          order("/unpause", "unpause", "go on"),
          order("/ask", "ask", "a trial to run, of an experiment of ask-tell"),
          order("/tell", "tell", "how trials of an experiment of ask-tell do")};
}

} // namespace

std::vector<http::route> api_routes() {
  auto result = service_routes();
  for (const auto& more : {experiment_views(), trial_views(), orders()})
    result.insert(result.end(), more.begin(), more.end());
  return result;
}

} // namespace tune::cli
