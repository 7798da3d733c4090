// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/line_files.hpp"

#include "posix/posix.hpp"
#include "sinks/csv_rows.hpp"
#include "sinks/event_lines.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view length_member = "length";
constexpr std::string_view path_member = "path";

/// Everything as JSON, one event in a line.
class jsonl_sink final : public trial_sink {
public:
  jsonl_sink(const sink_context& with, const std::string& place)
      : directory_{with.directory}, to_{with, "jsonl", place} {}

  void introduced(const experiment_facts& what) override {
    of_ = what;
    to_.look(what);
    if (const auto* kept = to_.state())
      if (const auto* end = kept->find("end"); end != nullptr && end->as_int() != nullptr)
        ended_at_ = static_cast<sequence>(*end->as_int());
  }
  [[nodiscard]] sequence cursor() const override { return to_.cursor(); }
  void opened(const log_place& where, const on::opened& what) override {
    to_.add(event_lines::opened(where, what, of_, directory_));
  }
  void created(const log_place& where, const trial_facts& what) override {
    to_.add(event_lines::created(where, what));
  }
  void started(const log_place& where, const on::placed& what, const object& config) override {
    to_.add(event_lines::started(where, what, config));
  }
  void reported(const log_place& where, const report& what) override {
    to_.add(event_lines::reported(where, what));
  }
  void saved(const log_place& where, const on::saved& what) override {
    to_.add(event_lines::saved(where, what));
  }
  void ended(const log_place& where, const on::ended& what) override {
    to_.add(event_lines::ended(where, what));
  }
  void concluded(const log_place& where, const trial_facts& what) override {
    to_.add(event_lines::concluded(where, what));
  }
  void finished(const log_place& where, const experiment_end& how) override {
    syncs_ = true;
    // A later run tells it again.
    if (std::exchange(ended_at_, where.seq) == where.seq)
      return;
    to_.set_state("end", static_cast<std::int64_t>(where.seq));
    to_.add(event_lines::finished(where, how));
  }
  [[nodiscard]] expected<void> flush(sequence place) override {
    auto stored = to_.store(place, syncs_);
    if (stored)
      syncs_ = false;
    return stored;
  }

private:
  std::string directory_;
  experiment_facts of_;
  marked_file to_;
  /// Last event of an end that the file tells of.
  sequence ended_at_ = 0;
  bool syncs_ = false;
};

value list_of(const std::vector<std::string>& names) {
  value::list result;
  for (const auto& x : names)
    result.emplace_back(x);
  return result;
}

/// One row for each report.
class csv_sink final : public trial_sink {
public:
  csv_sink(const sink_context& with, const std::string& place) : to_{with, "csv", place} {}

  void introduced(const experiment_facts& what) override {
    of_ = what;
    to_.look(what);
    const auto* kept = to_.state() == nullptr ? nullptr : to_.state()->find("metrics");
    if (kept == nullptr || kept->as_list() == nullptr)
      return;
    std::vector<std::string> names;
    for (const auto& x : *kept->as_list())
      names.push_back(x.as_string() == nullptr ? std::string{} : *x.as_string());
    set_columns(std::move(names));
  }
  [[nodiscard]] sequence cursor() const override { return to_.cursor(); }
  void reported(const log_place& where, const report& what) override {
    if (!has_columns_) {
      set_columns(csv_rows::metrics_of(of_, what.metrics == nullptr ? object{} : *what.metrics));
      to_.add(rows_.title());
    }
    to_.add(rows_.row(where, what));
  }
  void finished(const log_place&, const experiment_end&) override { syncs_ = true; }
  [[nodiscard]] expected<void> flush(sequence place) override {
    auto stored = to_.store(place, syncs_);
    if (stored)
      syncs_ = false;
    return stored;
  }

private:
  experiment_facts of_;
  marked_file to_;
  csv_rows rows_;
  bool has_columns_ = false;
  bool syncs_ = false;

  void set_columns(std::vector<std::string> metrics) {
    rows_ = csv_rows{of_, std::move(metrics)};
    to_.set_state("metrics", list_of(rows_.metrics()));
    has_columns_ = true;
  }
};

template <class Sink>
builtin_sink file_entry(const std::string& name, const std::string& summary,
                        const std::string& place) {
  option_spec file{"file", option_kind::text, place};
  file.meaning = "the file, against the experiment's directory";
  builtin_sink result{{name, summary, "docs/sinks.md", {file}, {}}, {}};
  result.entry.make = [](const options& with, const sink_context& of) {
    return expected<std::unique_ptr<trial_sink>>{std::make_unique<Sink>(of, with.text("file"))};
  };
  result.check = [](const options& with) -> expected<void> {
    if (fs::path{with.text("file")}.has_filename())
      return {};
    return error{ec::bad_option, "file: must be the name of a file"};
  };
  return result;
}

} // namespace

marked_file::marked_file(const sink_context& with, std::string sink, const std::string& place)
    : path_{sink_place(with.directory, place)}
    , is_export_{with.is_export}
    , marks_{with.directory, sink} {}

void marked_file::look(const experiment_facts& of) {
  experiment_ = of.identity;
  if (!is_export_)
    mark_ = marks_.read(experiment_);
  if (!mark_)
    return;
  const auto* length = mark_->state.find(length_member);
  const auto* path = mark_->state.find(path_member);
  std::error_code why;
  const auto size = fs::file_size(path_, why);
  if (why || length == nullptr || length->as_int() == nullptr || path == nullptr
      || path->as_string() == nullptr || *path->as_string() != path_.string()
      || size < static_cast<std::uint64_t>(*length->as_int())) {
    mark_.reset();
    return;
  }
  length_ = static_cast<std::uint64_t>(*length->as_int());
  state_ = mark_->state;
}

expected<void> marked_file::refuse_others() const {
  std::error_code why;
  const auto size = fs::file_size(path_, why);
  if (why || size == 0 || mark_)
    return {};
  if (is_export_)
    return error{ec::refused,
                 path_.string() + " is there already: remove it, or choose another name"};
  const auto last = marks_.read_last(experiment_);
  const auto* path = last ? last->state.find(path_member) : nullptr;
  if (path != nullptr && path->as_string() != nullptr && *path->as_string() == path_.string())
    return {};
  return error{ec::refused, path_.string()
                                + " is there already, and is no file of this experiment's: move it "
                                  "away, or choose another name"};
}

expected<void> marked_file::open() {
  if (to_)
    return {};
  if (auto free = refuse_others(); !free)
    return free;
  std::error_code why;
  fs::create_directories(path_.parent_path(), why);
  auto opened = store::open_own_file(path_, O_WRONLY | O_CREAT, "write");
  if (!opened)
    return when_stored(opened.error());
  to_ = std::move(*opened);
  return {};
}

expected<void> marked_file::store(sequence place, bool sync) {
  if (auto ready = open(); !ready)
    return ready;
  // What a crash, or a full disk, left behind what holds.
  if (::ftruncate(to_->number(), static_cast<::off_t>(length_)) != 0
      || ::lseek(to_->number(), 0, SEEK_END) < 0)
    return when_stored(store::system_error(path_, "write", errno));
  if (auto written = store::write_all(*to_, path_, gathered_); !written)
    return when_stored(written.error());
  if (sync && ::fdatasync(to_->number()) != 0)
    return when_stored(store::system_error(path_, "sync", errno));
  state_.set(length_member, static_cast<std::int64_t>(length_ + gathered_.size()));
  state_.set(path_member, path_.string());
  auto marked
      = is_export_ ? expected<void>{} : marks_.write({place, experiment_, {}, sync, state_});
  if (!marked)
    return marked;
  length_ += gathered_.size();
  gathered_.clear();
  return {};
}

builtin_sink jsonl_entry() {
  return file_entry<jsonl_sink>("jsonl", "all events of the experiment, one JSON object in a line",
                                "sinks/events.jsonl");
}

builtin_sink csv_entry() {
  return file_entry<csv_sink>("csv", "one row for each report of all trials, in one table",
                              "sinks/results.csv");
}

} // namespace tune
