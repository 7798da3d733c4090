// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/check/crash_traces.hpp"

#include "files/mounts.hpp"
#include "sinks/trial_files/file_state.hpp"
#include "store/wal_check.hpp"

#include "tune/core/check/finding.hpp"
#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/store/experiment_directory.hpp"

#include <limits>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

class search {
public:
  search(store_reader& with, fs::path directory) : with_{with}, directory_{std::move(directory)} {}

  std::vector<crash_trace> found;

  void look_at_log() {
    const auto file = database_file(directory_);
    // `store_reader::faults` reports damage.
    auto torn = store::torn_tail_of_wal(file);
    if (torn && *torn > 0)
      add("torn_tail", file.string() + "-wal", *torn, "hold no whole transaction");
  }

  void look_at_checkpoints(const crash_trace_query& about) {
    for (const auto& each : list_checkpoints(directory_)) {
      const auto location = each.lexically_relative(directory_).string();
      if (each.extension() == draft_suffix)
        add_leftover(each, "a checkpoint that was not completed");
      else if (about.removed.contains(location))
        add_leftover(each, "a checkpoint that is recorded as removed");
      else if (!about.registered.contains(location))
        add_leftover(each, "a checkpoint that is not registered, or given up");
    }
  }

  expected<void> look_at_trials() {
    auto last = with_.last_seq();
    trial_query all;
    all.limit = std::numeric_limits<std::size_t>::max();
    auto rows = with_.trials(all);
    if (!last || !rows)
      return last ? rows.error() : last.error();
    for (const auto& x : *rows) {
      auto attempts = with_.attempts(x.trial);
      auto count = with_.count_results(x.trial, *last);
      if (!attempts || !count)
        return attempts ? count.error() : attempts.error();
      // A trial has no files before it is placed.
      if (attempts->empty() || is_full())
        continue;
      if (auto looked = look_at_trial(x, *count); !looked)
        return looked;
    }
    return {};
  }

private:
  store_reader& with_;
  fs::path directory_;

  /// Adds a leftover. A mount inside it would prevent its removal, so the text says so.
  void add_leftover(const fs::path& which, std::string what) {
    std::error_code ignored;
    const auto folder = fs::canonical(which.parent_path(), ignored);
    const auto mounted
        = ignored ? std::vector<files::mount_point>{} : files::mounts_in(folder / which.filename());
    if (!mounted.empty())
      what += ", in which something is mounted: unmount " + mounted.front().where.string()
              + " before the next start";
    add("leftover", which, 0, std::move(what));
  }

  [[nodiscard]] bool is_full() const { return found.size() >= findings::most; }

  void add(std::string kind, const fs::path& path, std::uint64_t bytes, std::string what) {
    if (!is_full())
      found.push_back(
          {std::move(kind), path.lexically_relative(directory_).string(), bytes, std::move(what)});
  }

  /// @param count Number of recorded results of the trial.
  expected<void> look_at_trial(const trial_row& trial, std::uint64_t count) {
    const auto folder = trials_directory(directory_) / to_text(trial.trial);
    auto where = guarded_directory::open(trials_directory(directory_), to_text(trial.trial));
    if (!where) {
      add("behind", folder, 0, "cannot be read: " + where.error().detail);
      return {};
    }
    auto parameters = state_of_text(*where, "params.json", to_json(trial.config) + "\n");
    if (!parameters)
      return parameters.error();
    if (*parameters != text_state::other)
      add("behind", folder / "params.json", 0, "does not hold the trial's configuration");
    const auto most = most_bytes_of(count);
    auto lines = state_of_lines(*where, "result.jsonl", most);
    auto table = state_of_table(*where, "progress.csv", most);
    auto failures = state_of_lines(*where, "error.txt", most_failure_bytes);
    for (const auto* x : {&lines, &table, &failures}) {
      if (!*x)
        return x->error();
    }
    compare(folder / "result.jsonl", *lines, lines->count, count);
    compare(folder / "progress.csv", *table, table->count > 0 ? table->count - 1 : 0, count);
    compare(folder / "error.txt", *failures, 0, 0);
    return {};
  }

  void compare(const fs::path& file, const trial_file_state& is, std::uint64_t has,
               std::uint64_t should) {
    if (is.is_torn())
      add("torn_tail", file, is.torn(), "hold no whole line, or zeros");
    else if (has != should)
      add("behind", file, 0,
          "holds " + std::to_string(has) + " results; " + std::to_string(should) + " are recorded");
  }
};

} // namespace

std::string to_text(const crash_trace& x) {
  if (x.kind == "torn_tail")
    return x.path + ": torn tail: " + std::to_string(x.bytes) + " bytes " + x.what;
  return x.path + ": " + x.kind + ": " + x.what;
}

expected<std::vector<crash_trace>> crash_traces(store_reader& with, const fs::path& directory,
                                                const crash_trace_query& about) {
  search all{with, directory};
  all.look_at_log();
  all.look_at_checkpoints(about);
  if (auto done = about.trial_files ? all.look_at_trials() : expected<void>{}; !done)
    return done.error();
  return std::move(all.found);
}

} // namespace tune
