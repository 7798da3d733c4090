// SPDX-License-Identifier: BSD-3-Clause
#include "sinks/tensorboard/tensorboard_sink.hpp"

#include "posix/posix.hpp"
#include "sinks/csv_rows.hpp"
#include "sinks/sink_mark.hpp"
#include "sinks/tensorboard/event_file.hpp"
#include "sinks/tensorboard/hparams.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

/// The run of the experiment as a whole; trials have their numbers.
const std::string whole_run = ".";
constexpr auto dir_member = "dir";
constexpr auto open_member = "open";

double seconds_since_1970(std::int64_t wall_ms) {
  return static_cast<double>(wall_ms) / 1000.0;
}

/// One directory of event files.
///
/// Before files grow, the mark says how long they were; after it, that they hold. What a crash left
/// in between is cut off, so that nothing is doubled.
class event_directory {
public:
  event_directory(const sink_context& with, const std::string& place)
      : root_{sink_place(with.directory, place)}
      , is_export_{with.is_export}
      , marks_{with.directory, "tensorboard"} {}

  void look(const experiment_facts& of) {
    experiment_ = of.identity;
    file_name_ = "events.out.tfevents." + std::to_string(of.created_ms / 1000) + ".tune-node";
    if (is_export_)
      return;
    mark_ = marks_.read(experiment_);
    const auto* dir = mark_ ? mark_->state.find(dir_member) : nullptr;
    std::error_code why;
    if (dir == nullptr || dir->as_string() == nullptr || *dir->as_string() != root_.string()
        || !fs::is_directory(root_, why) || !cut_back())
      mark_.reset();
  }
  [[nodiscard]] sequence cursor() const { return mark_ ? mark_->seq : 0; }

  /// Records for the end of a run's file. @param first Those that a new file begins with.
  void add(const std::string& run, const std::string& records) {
    gathered_[run].records += records;
  }
  void begin_with(const std::string& run, const std::string& records) {
    auto& first = gathered_[run].first;
    if (first.empty())
      first = records;
  }

  /// @errors as `marked_file::store`.
  expected<void> store(sequence place) {
    if (auto ready = open(); !ready)
      return ready;
    if (auto noted = note_lengths(); !noted)
      return noted;
    for (const auto& [run, what] : gathered_) {
      if (auto grown = grow(run, what); !grown)
        return grown;
    }
    if (auto marked = mark(place, {}); !marked)
      return marked;
    gathered_.clear();
    return {};
  }

private:
  struct growth {
    std::string first;
    std::string records;
    /// Bytes of the file before; nothing: not looked at yet.
    std::optional<std::uint64_t> length;
  };

  fs::path root_;
  bool is_export_;
  sink_mark_file marks_;
  std::string experiment_;
  std::string file_name_;
  std::optional<sink_mark> mark_;
  std::map<std::string, growth> gathered_;
  bool is_open_ = false;

  [[nodiscard]] fs::path file_of(const std::string& run) const {
    return (root_ / run / file_name_).lexically_normal();
  }

  /// @returns whether all files hold what they should.
  [[nodiscard]] bool cut_back() const {
    const auto* grown = mark_->state.find(open_member);
    if (grown == nullptr || grown->as_object() == nullptr)
      return true;
    for (const auto& [run, length] : *grown->as_object()) {
      const auto file = file_of(run);
      std::error_code why;
      const auto size = fs::file_size(file, why);
      const auto holds = length.as_int() == nullptr ? std::uint64_t{0}
                                                    : static_cast<std::uint64_t>(*length.as_int());
      if (why && holds == 0)
        continue;
      if (why || size < holds
          || (size > holds && ::truncate(file.c_str(), static_cast<::off_t>(holds)) != 0))
        return false;
    }
    return true;
  }

  [[nodiscard]] expected<void> open() {
    if (is_open_)
      return {};
    std::error_code why;
    if (!mark_ && fs::exists(root_, why) && !fs::is_empty(root_, why) && !is_ours())
      return error{ec::refused,
                   root_.string()
                       + (is_export_ ? " is there already: remove it, or choose another directory"
                                     : " is there already, and holds files that are not of this "
                                       "experiment: choose another directory")};
    if (!mark_)
      remove_all();
    is_open_ = true;
    return {};
  }

  /// Everything is told again.
  void remove_all() const {
    std::error_code why;
    for (fs::directory_iterator i{root_, why}, end; !why && i != end; i.increment(why)) {
      std::error_code ignored;
      fs::remove(i->path() / file_name_, ignored);
    }
    fs::remove(root_ / file_name_, why);
  }

  [[nodiscard]] bool is_ours() const {
    if (is_export_)
      return false;
    const auto last = marks_.read_last(experiment_);
    const auto* dir = last ? last->state.find(dir_member) : nullptr;
    return dir != nullptr && dir->as_string() != nullptr && *dir->as_string() == root_.string();
  }

  [[nodiscard]] expected<void> note_lengths() {
    object lengths;
    for (auto& [run, what] : gathered_) {
      std::error_code why;
      const auto size = fs::file_size(file_of(run), why);
      if (!what.length)
        what.length = why ? 0 : size;
      lengths.set(run, static_cast<std::int64_t>(*what.length));
    }
    return mark(cursor(), std::move(lengths));
  }

  [[nodiscard]] expected<void> mark(sequence place, object lengths) {
    sink_mark next{place, experiment_, {}, false, {}};
    next.state = object{{dir_member, root_.string()}, {open_member, std::move(lengths)}};
    if (auto written = is_export_ ? expected<void>{} : marks_.write(next); !written)
      return written;
    mark_ = std::move(next);
    return {};
  }

  [[nodiscard]] expected<void> grow(const std::string& run, const growth& what) const {
    const auto file = file_of(run);
    std::error_code why;
    fs::create_directories(file.parent_path(), why);
    auto to = store::open_own_file(file, O_WRONLY | O_CREAT, "write");
    if (!to)
      return when_stored(to.error());
    // What an earlier try wrote that failed in the middle.
    if (::ftruncate(to->number(), static_cast<::off_t>(*what.length)) != 0
        || ::lseek(to->number(), 0, SEEK_END) < 0)
      return when_stored(store::system_error(file, "write", errno));
    const auto bytes = *what.length == 0 ? what.first + what.records : what.records;
    auto written = store::write_all(*to, file, bytes);
    return written ? written : when_stored(written.error());
  }
};

class tensorboard_sink final : public trial_sink {
public:
  tensorboard_sink(const sink_context& with, const std::string& place) : to_{with, place} {}

  void introduced(const experiment_facts& what) override {
    of_ = what;
    columns_ = hparam_columns{what};
    to_.look(what);
  }
  [[nodiscard]] sequence cursor() const override { return to_.cursor(); }

  void started(const log_place& where, const on::placed& what, const object& config) override {
    const auto wall = seconds_since_1970(where.wall_ms);
    to_.begin_with(to_text(what.trial),
                   event_file::version_record(wall)
                       + event_file::hparams_record(wall, hparam_columns::start_tag,
                                                    columns_.start(what.trial, config, wall)));
  }

  void reported(const log_place& where, const report& what) override {
    static const object none;
    const auto& metrics = what.metrics == nullptr ? none : *what.metrics;
    const auto wall = seconds_since_1970(what.timestamp_ms);
    const auto run = to_text(what.trial);
    if (std::exchange(tells_whole_, false))
      tell_whole(wall, metrics);
    // Where the file was removed since the attempt began.
    to_.begin_with(run, event_file::version_record(wall));
    // An attempt that goes on from a checkpoint may be behind what the one before it reported.
    if (what.number == 1)
      to_.add(run, event_file::start_record(wall, what.iteration));
    std::vector<event_file::scalar> numbers;
    for (const auto& [name, x] : leaves_of(metrics)) {
      const auto number = x.number();
      if (number && !name.starts_with("_hparams_/"))
        numbers.push_back({name, static_cast<float>(*number)});
    }
    if (!numbers.empty())
      to_.add(run, event_file::scalars_record(wall, what.iteration, numbers));
    static_cast<void>(where);
  }

  void concluded(const log_place& where, const trial_facts& what) override {
    // Trials that never began have no file.
    if (what.iterations == 0 && what.status == trial_status::terminated)
      return;
    const auto wall = seconds_since_1970(where.wall_ms);
    const auto run = to_text(what.trial);
    to_.begin_with(run, event_file::version_record(wall));
    to_.add(run, event_file::hparams_record(wall, hparam_columns::end_tag,
                                            hparam_columns::end(what.status, wall)));
  }

  [[nodiscard]] expected<void> flush(sequence place) override { return to_.store(place); }

private:
  experiment_facts of_;
  hparam_columns columns_;
  event_directory to_;
  /// Whether the experiment's own run may still be to be written. Where it is, nothing is added.
  bool tells_whole_ = true;

  void tell_whole(double wall, const object& first) {
    to_.begin_with(whole_run, event_file::version_record(wall)
                                  + event_file::hparams_record(
                                      wall, hparam_columns::experiment_tag,
                                      columns_.experiment(of_, csv_rows::metrics_of(of_, first))));
  }
};

} // namespace

builtin_sink tensorboard_entry() {
  option_spec dir{"dir", option_kind::text, "sinks/tensorboard"};
  dir.meaning = "directory of the event files, against the experiment's directory";
  builtin_sink result{{"tensorboard",
                       "event files of all metrics for TensorBoard, with HParams",
                       "docs/sinks.md",
                       {dir},
                       {}},
                      {}};
  result.entry.make = [](const options& with, const sink_context& of) {
    return expected<std::unique_ptr<trial_sink>>{
        std::make_unique<tensorboard_sink>(of, with.text("dir"))};
  };
  result.check = [](const options& with) -> expected<void> {
    if (with.text("dir").empty())
      return error{ec::bad_option, "dir: must be the name of a directory"};
    return {};
  };
  return result;
}

} // namespace tune
