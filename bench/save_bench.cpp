/// Measures the cost for a job's checkpoint service to save a checkpoint and to verify it later: it
/// copies it if a trainable hands over a directory of its own, lists, hashes, syncs and renames it;
/// then verifies it, as before a restore. There are no links or mounts among the files.
///
///   tune_save_bench [DIRECTORY] [FILES] [BYTES] [ROUNDS]
///
/// A checkpoint has FILES files of BYTES each, in directories of a hundred. DIRECTORY is made and
/// removed again. Prints medians of ROUNDS, in microseconds; `safe` syncs, `kept` does not, as when
/// the copy on another node counts.
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include "tune/io/checkpoint/checkpoint_directory.hpp"
#include "tune/io/checkpoint/checkpoint_manifest.hpp"
#include "tune/io/checkpoint/commit_checkpoint.hpp"
#include "tune/io/files/remove_tree.hpp"
#include "tune/io/json.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace tune;
namespace fs = std::filesystem;
using clock_type = std::chrono::steady_clock;

template <class T>
T must(expected<T> what) {
  if (what)
    return std::move(*what);
  std::fprintf(stderr, "save_bench: %s\n", what.error().detail.c_str());
  std::exit(1);
}

void must(const expected<void>& what) {
  if (what)
    return;
  std::fprintf(stderr, "save_bench: %s\n", what.error().detail.c_str());
  std::exit(1);
}

double microseconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

struct sizes {
  std::size_t files = 0;
  std::size_t bytes = 0;
};

void write(const fs::path& where, const sizes& many) {
  constexpr std::size_t in_one = 100;
  const std::string content(many.bytes, 'x');
  for (std::size_t i = 0; i < many.files; ++i) {
    const auto directory = where / ("part-" + std::to_string(i / in_one));
    if (i % in_one == 0)
      fs::create_directories(directory);
    std::ofstream{directory / ("file-" + std::to_string(i)), std::ios::binary} << content;
  }
}

struct costs {
  std::vector<double> copied;
  std::vector<double> kept;
  std::vector<double> safe;
  std::vector<double> verified;
};

void measure(const fs::path& root, const fs::path& from, costs& to) {
  checkpoint_directory names{root, trial_id{7}, attempt_id{1, 1}};
  for (const bool is_durable : {false, true}) {
    checkpoint_draft draft{root, must(names.begin()), 1, is_durable};
    const auto whole = names.hand_over();
    auto begin = clock_type::now();
    must(copy_checkpoint(from, whole));
    to.copied.push_back(microseconds_since(begin));
    begin = clock_type::now();
    const auto kept = must(commit_checkpoint(draft));
    (is_durable ? to.safe : to.kept).push_back(microseconds_since(begin));
    begin = clock_type::now();
    static_cast<void>(must(verify_checkpoint(root / kept.location)));
    to.verified.push_back(microseconds_since(begin));
    must(remove_checkpoint(root, kept.location));
  }
}

} // namespace

int main(int count, char** words) {
  bench::arguments given{count, words, "[DIRECTORY] [FILES] [BYTES] [ROUNDS]"};
  const fs::path root = fs::absolute(given.word("save_bench.tmp"));
  const auto files = given.number(1000, 1);
  const sizes many{files, given.number(4096)};
  const auto rounds = given.number(11, 1);
  given.finish();
  fs::create_directories(root / "trials");
  write(root / "from", many);
  costs all;
  for (std::size_t i = 0; i < rounds; ++i)
    measure(root, root / "from", all);
  must(remove_tree(root, without_limit));
  std::printf("%s\n", to_json(object{{"bench", "save"},
                                     {"files", static_cast<std::int64_t>(many.files)},
                                     {"bytes", static_cast<std::int64_t>(many.bytes)},
                                     {"copy_us", median(all.copied)},
                                     {"kept_us", median(all.kept)},
                                     {"safe_us", median(all.safe)},
                                     {"verify_us", median(all.verified)}})
                          .c_str());
  return 0;
}
