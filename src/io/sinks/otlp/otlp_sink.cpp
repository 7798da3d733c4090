// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/otlp/otlp_sink.hpp"

#include "sinks/csv_rows.hpp"
#include "sinks/event_lines.hpp"
#include "sinks/holding_sink.hpp"
#include "sinks/http/http_client.hpp"
#include "sinks/sink_mark.hpp"

#include "tune/core/printable.hpp"
#include "tune/io/files/sha256.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

namespace tune {

namespace {

constexpr auto endpoint_variable = "OTEL_EXPORTER_OTLP_ENDPOINT";
constexpr auto headers_variable = "OTEL_EXPORTER_OTLP_HEADERS";
constexpr auto certificate_variable = "OTEL_EXPORTER_OTLP_CERTIFICATE";
constexpr auto usual_endpoint = "http://127.0.0.1:4318";
constexpr std::string_view traces_path = "/v1/traces";
constexpr std::size_t spans_per_request = 256;
/// Events that a span has at most, as in OpenTelemetry's own limit.
constexpr std::size_t most_span_events = 128;
constexpr std::size_t trace_id_digits = 32;
constexpr std::size_t span_id_digits = 16;

// Values of the protocol.
constexpr std::int64_t kind_internal = 1;
constexpr std::int64_t status_ok = 1;
constexpr std::int64_t status_error = 2;

/// 64-bit numbers are texts in the JSON of Protocol Buffers.
std::string nanoseconds_text(std::int64_t wall_ms) {
  return std::to_string(std::max<std::int64_t>(wall_ms, 0)) + "000000";
}

value any_value(const value& x) {
  if (const auto* truth = x.as_bool())
    return object{{"boolValue", *truth}};
  if (const auto* whole = x.as_int())
    return object{{"intValue", std::to_string(*whole)}};
  if (const auto* real = x.as_double()) {
    const auto text = to_text(x);
    const auto is_finite = *real - *real == 0;
    const auto name = *real != *real ? "NaN" : *real > 0 ? "Infinity" : "-Infinity";
    return object{{"doubleValue", is_finite ? value{*real} : value{name}}};
  }
  if (const auto* text = x.as_string())
    return object{{"stringValue", mend_utf8(*text)}};
  return object{{"stringValue", to_json(x)}};
}

value::list attribute_list(const object& from) {
  value::list result;
  for (const auto& [key, x] : from) {
    if (!x.is_null())
      result.push_back(object{{"key", key}, {"value", any_value(x)}});
  }
  return result;
}

/// Headers as OpenTelemetry's environment variable gives them: "name=value,name=value".
std::vector<std::string> headers_in(const std::string& text) {
  std::vector<std::string> result;
  std::size_t from = 0;
  while (from < text.size()) {
    const auto end = std::min(text.find(',', from), text.size());
    const auto part = text.substr(from, end - from);
    if (const auto equals = part.find('='); equals != part.npos && printable(part) == part)
      result.push_back(part.substr(0, equals) + ": " + part.substr(equals + 1));
    from = end + 1;
  }
  return result;
}

http_client_settings otlp_settings(std::function<std::chrono::milliseconds()> time_left) {
  http_client_settings result;
  result.headers = headers_in(environment_text(headers_variable));
  result.certificates = environment_text(certificate_variable);
  result.time_left = std::move(time_left);
  return result;
}

std::string traces_url(std::string url) {
  while (url.ends_with('/'))
    url.pop_back();
  return url.ends_with(traces_path) ? url : url + std::string{traces_path};
}

class otlp_sink final : public holding_sink {
public:
  otlp_sink(const sink_context& with, const std::string& url)
      : url_{traces_url(url)}, marks_{with.directory, "otlp"}, to_{otlp_settings(with.time_left)} {}

  void introduced(const experiment_facts& what) override {
    of_ = what;
    mark_ = marks_.read(what.identity);
    const auto* url = mark_ ? mark_->state.find("url") : nullptr;
    if (url == nullptr || *url != value{url_})
      mark_.reset();
    const auto* known = mark_ ? mark_->state.find("delivered") : nullptr;
    const auto* count = known == nullptr ? nullptr : known->as_int();
    // Marks of earlier versions have none.
    delivered_
        = count == nullptr ? cursor() : static_cast<sequence>(std::max<std::int64_t>(*count, 0));
  }
  [[nodiscard]] sequence cursor() const override { return mark_ ? mark_->seq : 0; }

  [[nodiscard]] sequence delivered() const override { return delivered_; }

  void started(const log_place& where, const on::placed& what, const object& config) override {
    ++attempts_[what.attempt].entries;
    static_cast<void>(where);
    static_cast<void>(config);
  }

  void reported(const log_place& where, const report& what) override {
    auto& kept = attempts_[what.attempt];
    ++kept.entries;
    if (kept.events.size() >= most_span_events) {
      ++kept.dropped;
      return;
    }
    object facts{{"training_iteration", static_cast<std::int64_t>(what.iteration)}};
    static const object none;
    for (const auto& [name, x] : leaves_of(what.metrics == nullptr ? none : *what.metrics))
      facts.set(name, x);
    kept.events.push_back(object{{"timeUnixNano", nanoseconds_text(what.timestamp_ms)},
                                 {"name", "report"},
                                 {"attributes", attribute_list(facts)}});
    static_cast<void>(where);
  }

  void saved(const log_place& where, const on::saved& what) override {
    auto id = "checkpoint " + std::to_string(where.seq);
    auto& made = add(id, attempt_name(what.attempt), "checkpoint", where.wall_ms, where.wall_ms,
                     {{"tune.trial", static_cast<std::int64_t>(what.trial.number)},
                      {"tune.training_iteration", static_cast<std::int64_t>(what.iteration)},
                      {"tune.location", what.location},
                      {"tune.bytes", static_cast<std::int64_t>(what.bytes)}},
                     {{"code", status_ok}});
    made.entries = 1;
  }

  void ended(const log_place& where, const on::ended& what) override {
    const auto began
        = where.by == nullptr || where.by->began_ms == 0 ? where.wall_ms : where.by->began_ms;
    object facts{{"tune.trial", static_cast<std::int64_t>(what.trial.number)},
                 {"tune.attempt", to_text(what.attempt)},
                 {"tune.outcome", std::string{to_text(what.how)}}};
    if (where.by != nullptr) {
      facts.set("tune.node", where.by->node);
      facts.set("tune.config", to_json(where.by->config));
    }
    if (what.exit_status)
      facts.set("tune.exit_status", std::int64_t{*what.exit_status});
    auto& made = add(attempt_name(what.attempt), trial_name(what.trial), "attempt", began,
                     where.wall_ms, facts, status_of(is_failure(what.how), what.detail));
    made.entries = 1;
    if (const auto kept = attempts_.find(what.attempt); kept != attempts_.end()) {
      made.span.set("events", std::move(kept->second.events));
      made.span.set("droppedEventsCount", static_cast<std::int64_t>(kept->second.dropped));
      made.entries += kept->second.entries;
      attempts_.erase(kept);
    }
  }

  void concluded(const log_place& where, const trial_facts& what) override {
    object facts{{"tune.trial", static_cast<std::int64_t>(what.trial.number)},
                 {"tune.trial_id", to_text(what.trial)},
                 {"tune.status", std::string{to_text(what.status)}},
                 {"tune.reason", what.reason},
                 {"tune.origin", what.origin},
                 {"tune.iterations", static_cast<std::int64_t>(what.iterations)}};
    for (const auto& x : of_.objectives) {
      const auto* found = what.best_metrics ? find_path(*what.best_metrics, x.metric) : nullptr;
      if (found != nullptr)
        facts.set("tune.best." + x.metric, *found);
    }
    add(trial_name(what.trial), "experiment", "trial", what.created_ms, where.wall_ms, facts,
        status_of(what.status == trial_status::errored, what.error));
  }

  void finished(const log_place& where, const experiment_end& how) override {
    auto& made
        = add("experiment", "", "experiment", of_.created_ms, where.wall_ms,
              {{"tune.experiment", of_.name}, {"tune.status", how.status}, {"tune.why", how.why}},
              status_of(how.status == "failed" || how.status == "stalled", how.why));
    // Whatever is of no other span.
    const auto others = delivered_ + held();
    made.entries = where.seq - std::min(where.seq, others);
  }

  [[nodiscard]] expected<void> flush(sequence place) override {
    while (!spans_.empty()) {
      const auto count = std::min(spans_.size(), spans_per_request);
      const auto end = spans_.begin() + static_cast<std::ptrdiff_t>(count);
      auto reply = to_.post(url_, to_json(request_of({spans_.begin(), end})));
      if (!reply)
        return reply.error();
      if (reply->status < 200 || reply->status >= 300)
        return error{ec::refused, url_ + ": status " + std::to_string(reply->status) + ": "
                                      + printable(reply->body.substr(0, 200))};
      delivered_
          = std::accumulate(spans_.begin(), end, delivered_,
                            [](sequence sum, const finished_span& x) { return sum + x.entries; });
      spans_.erase(spans_.begin(), end);
    }
    // As long as nothing was delivered, all of it can be read again.
    if (delivered_ == 0)
      return {};
    mark_ = sink_mark{place,
                      of_.identity,
                      {},
                      true,
                      {{"url", url_}, {"delivered", static_cast<std::int64_t>(delivered_)}}};
    return marks_.write(*mark_);
  }

private:
  struct running_attempt {
    value::list events;
    std::uint64_t dropped = 0;
    /// Number of entries of the log about it so far.
    sequence entries = 0;
  };
  struct finished_span {
    object span;
    /// Number of entries of the log that it tells of.
    sequence entries = 0;
  };

  std::string url_;
  sink_mark_file marks_;
  http_client to_;
  experiment_facts of_;
  std::optional<sink_mark> mark_;
  std::vector<finished_span> spans_;
  std::map<attempt_id, running_attempt> attempts_;
  sequence delivered_ = 0;

  /// Number of entries whose spans were not delivered yet.
  [[nodiscard]] sequence held() const {
    sequence result = 0;
    for (const auto& x : spans_)
      result += x.entries;
    for (const auto& [attempt, x] : attempts_)
      result += x.entries;
    return result;
  }

  static std::string trial_name(trial_id x) { return "trial " + to_text(x); }
  static std::string attempt_name(attempt_id x) { return "attempt " + to_text(x); }

  static object status_of(bool failed, const std::string& why) {
    if (!failed)
      return {{"code", status_ok}};
    return {{"code", status_error}, {"message", mend_utf8(why)}};
  }

  /// The same part of an experiment has the same id in each run and export.
  [[nodiscard]] std::string span_id(const std::string& part) const {
    return sha256_of(of_.name + "\n" + of_.identity + "\n" + part).substr(0, span_id_digits);
  }
  [[nodiscard]] std::string trace_id() const {
    return sha256_of(of_.name + "\n" + of_.identity).substr(0, trace_id_digits);
  }

  finished_span& add(const std::string& part, const std::string& parent, const std::string& name,
                     std::int64_t start_ms, std::int64_t end_ms, const object& facts,
                     object status) {
    object span{{"traceId", trace_id()}, {"spanId", span_id(part)}};
    if (!parent.empty())
      span.set("parentSpanId", span_id(parent));
    span.set("name", name);
    span.set("kind", kind_internal);
    span.set("startTimeUnixNano", nanoseconds_text(std::min(start_ms, end_ms)));
    span.set("endTimeUnixNano", nanoseconds_text(end_ms));
    span.set("attributes", attribute_list(facts));
    span.set("status", std::move(status));
    return spans_.emplace_back(finished_span{std::move(span)});
  }

  [[nodiscard]] object request_of(const std::vector<finished_span>& some) const {
    value::list spans;
    for (const auto& x : some)
      spans.emplace_back(x.span);
    object resource{{"attributes", attribute_list({{"service.name", "tune-node"},
                                                   {"tune.experiment", of_.name},
                                                   {"tune.identity", of_.identity}})}};
    object scope{{"scope", object{{"name", "tune-node"}}}, {"spans", std::move(spans)}};
    return {{"resourceSpans", value::list{object{{"resource", std::move(resource)},
                                                 {"scopeSpans", value::list{std::move(scope)}}}}}};
  }
};

std::string endpoint_of(const options& with) {
  if (auto written = text_or_none(with, "url"); !written.empty())
    return written;
  auto given = environment_text(endpoint_variable);
  return given.empty() ? usual_endpoint : given;
}

} // namespace

builtin_sink otlp_entry() {
  option_spec url{"url", option_kind::text, ""};
  url.meaning = "a collector of OpenTelemetry; none: OTEL_EXPORTER_OTLP_ENDPOINT, or "
                "http://127.0.0.1:4318";
  builtin_sink result{{"otlp",
                       "traces by OTLP/HTTP: the experiment, its trials, their attempts "
                       "and checkpoints as spans",
                       "docs/sinks.md",
                       {url},
                       {}},
                      {}};
  result.entry.make = [](const options& with, const sink_context& of) {
    return expected<std::unique_ptr<trial_sink>>{
        std::make_unique<otlp_sink>(of, endpoint_of(with))};
  };
  result.check = [](const options& with) -> expected<void> {
    auto why = why_no_url(endpoint_of(with));
    return why.empty() ? expected<void>{} : error{ec::bad_option, "url: " + why};
  };
  return result;
}

} // namespace tune
