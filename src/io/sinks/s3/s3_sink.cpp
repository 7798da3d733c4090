// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/s3/s3_sink.hpp"

#include "sinks/http/http_client.hpp"
#include "sinks/s3/bucket_mirror.hpp"
#include "sinks/sink_mark.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace tune {

namespace {

using steady = std::chrono::steady_clock;

/// Pauses between the beginnings of two updates: after what matters to a resume, and after reports.
constexpr std::chrono::seconds least_gap{10};
constexpr std::chrono::seconds gap_of_reports{60};
/// An update that takes long is done more seldom: it is not to take more of the time than one part
/// in so many.
constexpr int share_of_time = 10;
constexpr std::chrono::milliseconds look_for_end{100};
/// Less time than this is left only once the run has come to its end.
constexpr std::chrono::hours longest_end{24};

class s3_sink final : public trial_sink {
public:
  s3_sink(const sink_context& with, bucket_place where, const bucket_settings& how)
      : directory_{with.directory}
      , where_{std::move(where)}
      , how_{how}
      , notice_{with.notice}
      , marks_{with.directory, "s3"} {}

  void introduced(const experiment_facts& what) override {
    of_ = what;
    where_ = where_.below(what.name);
    mark_ = marks_.read(what.identity);
    if (mark_ && mark_->state != target())
      mark_.reset();
  }
  [[nodiscard]] sequence cursor() const override { return mark_ ? mark_->seq : 0; }

  void opened(const log_place&, const on::opened&) override { note(); }
  void saved(const log_place&, const on::saved&) override { note(); }
  void concluded(const log_place&, const trial_facts&) override { note(); }
  void reported(const log_place&, const report&) override { has_reports_ = true; }
  void finished(const log_place&, const experiment_end&) override {
    note();
    is_over_ = true;
  }

  [[nodiscard]] expected<void> flush(sequence place) override {
    if (!has_news_ && !(has_reports_ && steady::now() >= next_ + gap_of_reports))
      return {};
    if (!is_over_)
      wait_for_turn();
    if (!mirror_)
      mirror_.emplace(directory_, of_.identity, object_store{where_, how_}, notice_);
    const auto began = steady::now();
    if (auto done = mirror_->update(is_over_); !done)
      return done;
    next_ = began + std::max<steady::duration>(least_gap, share_of_time * (steady::now() - began));
    has_news_ = false;
    has_reports_ = false;
    mark_ = sink_mark{place, of_.identity, {}, true, target()};
    return marks_.write(*mark_);
  }

private:
  std::filesystem::path directory_;
  bucket_place where_;
  bucket_settings how_;
  std::function<void(const std::string&)> notice_;
  sink_mark_file marks_;
  experiment_facts of_;
  std::optional<sink_mark> mark_;
  std::optional<bucket_mirror> mirror_;
  bool has_news_ = false;
  bool has_reports_ = false;
  bool is_over_ = false;
  /// When the next update may begin.
  steady::time_point next_{};

  [[nodiscard]] object target() const {
    return {{"url", to_text(where_)}, {"endpoint", how_.endpoint}};
  }

  void note() {
    has_news_ = true;
    is_over_ = false;
  }

  /// What comes meanwhile waits in the record. The end of the run, from which on time is short,
  /// ends the wait.
  void wait_for_turn() const {
    const auto is_over = [this] { return how_.time_left && how_.time_left() < longest_end; };
    while (steady::now() < next_ && !is_over())
      std::this_thread::sleep_for(look_for_end);
  }
};

expected<bucket_place> place_in(const options& with) {
  auto where = bucket_place_from(text_or_none(with, "url"));
  if (!where)
    return error{ec::bad_option, "url: " + where.error().detail};
  const auto endpoint = text_or_none(with, "endpoint");
  if (auto fault = why_no_url(endpoint); !endpoint.empty() && !fault.empty())
    return error{ec::bad_option, "endpoint: " + fault};
  const auto region = text_or_none(with, "region");
  if (region.find_first_of(" :/\t\n") != std::string::npos)
    return error{ec::bad_option, "region: must be the name of a region, such as eu-central-1"};
  return where;
}

} // namespace

builtin_sink s3_entry() {
  option_spec url{"url", option_kind::text, ""};
  url.meaning = "the bucket and a prefix, s3://bucket/prefix; the experiment's name is added";
  option_spec endpoint{"endpoint", option_kind::text, ""};
  endpoint.meaning = "address of the server; none: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, Amazon's";
  option_spec region{"region", option_kind::text, ""};
  region.meaning = "its region; none: AWS_REGION, AWS_DEFAULT_REGION, us-east-1";
  builtin_sink result{{"s3",
                       "checkpoints, exports and a copy of the record in a bucket of an "
                       "S3-compatible store",
                       "docs/sinks.md",
                       {url, endpoint, region},
                       {}},
                      {}};
  result.entry.make
      = [](const options& with, const sink_context& of) -> expected<std::unique_ptr<trial_sink>> {
    auto where = place_in(with);
    if (!where)
      return where.error();
    return std::unique_ptr<trial_sink>{
        std::make_unique<s3_sink>(of, *where,
                                  bucket_settings{text_or_none(with, "endpoint"),
                                                  text_or_none(with, "region"), of.time_left})};
  };
  result.check = [](const options& with) -> expected<void> {
    auto where = place_in(with);
    return where ? expected<void>{} : where.error();
  };
  return result;
}

} // namespace tune
