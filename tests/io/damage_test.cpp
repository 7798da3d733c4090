// A record that the disk has damaged: cut at every byte, and with every byte changed.
//
// Whatever happened to the files, the next head either has the log up to a point that was once
// acknowledged, or refuses and names the file, the table and the row. TUNE_LONG=1 tries every byte,
// otherwise one in several is tried.
// SPDX-License-Identifier: BSD-3-Clause
#include "store_fixture.hpp"

#include "tune/io/store/event_codec.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

namespace tune {
namespace {

namespace fs = std::filesystem;

bool is_long() {
  const char* asked = std::getenv("TUNE_LONG");
  return asked != nullptr && *asked == '1';
}

/// One line per event, different from that of any other event.
std::string line_of(const event& x) {
  std::string result = std::to_string(x.seq) + ' ' + std::to_string(x.at.count()) + ' '
                       + std::string{name_of(x.what)};
  append_event_json(result, x.what);
  return result;
}

/// The outcome of recovering a damaged record.
struct outcome {
  /// Number of events that the next head has; empty: it refused.
  std::optional<std::size_t> events;
  std::string why;
};

class damage_test : public samples::store_fixture {
protected:
  void SetUp() override {
    samples::store_fixture::SetUp();
    // There are thousands of small files, so they go to memory if possible.
    if (::access("/dev/shm", W_OK) == 0) {
      auto name = std::string{"/dev/shm/tune_io_XXXXXX"};
      if (::mkdtemp(name.data()) != nullptr) {
        fs::remove_all(root);
        root = name;
      }
    }
  }

  /// Writes a log with one transaction per trial, in small pages: many pages of every kind in few
  /// bytes. Keeps the files as after a kill, or as after a regular end.
  void make_sample(std::uint64_t trials, std::uint64_t reports, bool killed, bool merged = false) {
    auto all = a_run(trials, reports);
    for (const auto& x : all) {
      if (const auto* what = std::get_if<event>(&x.what))
        lines_.push_back(line_of(*what));
    }
    const std::span items{all};
    {
      auto first = fresh();
      ASSERT_TRUE(first.write(items.first(1)).has_value());
    }
    ASSERT_EQ(sql().ask("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM;"
                        "PRAGMA journal_mode = WAL;"),
              (samples::rows{{"delete"}, {"wal"}}));
    acknowledged_ = {0, 1};
    {
      auto store = experiment_store::open(directory());
      ASSERT_TRUE(store.has_value()) << store.error().detail;
      epoch_ = store->epoch();
      for (std::size_t from = 1; from < items.size();) {
        auto size = size_of_transaction(items.subspan(from));
        ASSERT_TRUE(store->write(items.subspan(from, size)).has_value());
        acknowledged_.insert(store->last_seq());
        from += size;
      }
      if (merged)
        sql().ask("PRAGMA wal_checkpoint(PASSIVE)");
      if (killed)
        keep_files();
    }
    if (!killed)
      keep_files();
    ASSERT_EQ(log_.empty(), !killed);
    // Placed trials have a directory.
    fs::create_directories(trials_directory(directory()) / "00000");
  }
  static std::size_t size_of_transaction(std::span<const store_item> items) {
    return static_cast<std::size_t>(std::find_if(items.begin() + 1, items.end(), begins)
                                    - items.begin());
  }
  static bool begins(const store_item& x) {
    const auto* what = std::get_if<event>(&x.what);
    return what != nullptr && std::holds_alternative<on::suggested>(what->what);
  }

  void keep_files() {
    database_ = content(database_file(directory()));
    log_ = content(log_file());
  }
  [[nodiscard]] fs::path log_file() const { return database_file(directory()).string() + "-wal"; }

  /// What the next head recovers from these files.
  outcome recover(const std::string& database, const std::string& log) {
    fs::remove(database_file(directory()).string() + "-shm");
    fill(database_file(directory()), database);
    if (log.empty())
      fs::remove(log_file());
    else
      fill(log_file(), log);
    auto state = inspect_directory(directory());
    if (!state)
      return refused(state.error());
    if (*state != directory_state::experiment)
      return {0, {}};
    auto next = experiment_store::open(directory());
    if (!next)
      return refused(next.error());
    // The lost part may be the beginning of this head's own epoch.
    EXPECT_GE(next->epoch(), epoch_);
    auto left = store_reader::open(directory());
    if (!left)
      return refused(left.error());
    auto head = left->experiment();
    if (!head)
      return refused(head.error());
    EXPECT_EQ(head->seed, 7u);
    auto log_left = left->events_after(0, lines_.size() + 1);
    if (!log_left)
      return refused(log_left.error());
    EXPECT_EQ(log_left->size(), next->last_seq());
    for (std::size_t i = 0; i < log_left->size(); ++i) {
      if (i >= lines_.size() || line_of((*log_left)[i]) != lines_[i]) {
        ADD_FAILURE() << "event " << i + 1 << " is " << line_of((*log_left)[i]);
        break;
      }
    }
    return {log_left->size(), {}};
  }
  static outcome refused(const error& why) {
    EXPECT_TRUE(why.code == ec::storage || why.code == ec::refused || why.code == ec::unreadable)
        << to_text(why);
    EXPECT_NE(why.detail.find("experiment.db"), std::string::npos) << why.detail;
    return {std::nullopt, why.detail};
  }

  /// Counts the outcomes of one campaign, by position.
  struct tally {
    std::size_t tried = 0;
    std::size_t whole = 0;
    std::size_t repaired = 0;
    std::size_t refused = 0;
    std::set<std::string> reasons;
  };

  void judge(tally& so_far, const outcome& x, std::size_t position) {
    ++so_far.tried;
    if (!x.events) {
      ++so_far.refused;
      // Leaves out the numbers, which differ from position to position.
      auto reason = x.why.substr(x.why.find("experiment.db"));
      std::erase_if(reason, [](char c) { return c >= '0' && c <= '9'; });
      so_far.reasons.insert(reason);
      return;
    }
    EXPECT_TRUE(*x.events == 0 || acknowledged_.contains(*x.events))
        << *x.events << " events, at byte " << position;
    ++(*x.events == lines_.size() ? so_far.whole : so_far.repaired);
  }
  static void tell(const std::string& name, std::size_t bytes, const tally& x) {
    std::cout << R"({"campaign":")" << name << R"(","bytes":)" << bytes << R"(,"tried":)" << x.tried
              << R"(,"whole":)" << x.whole << R"(,"repaired":)" << x.repaired << R"(,"refused":)"
              << x.refused << "}\n";
    if (std::getenv("TUNE_REASONS") != nullptr) {
      for (const auto& reason : x.reasons)
        std::cout << "  " << reason << '\n';
    }
  }

  /// Cuts `what` at every byte, or at every `stride`-th.
  template <class Recover>
  tally cut(const std::string& what, std::size_t stride, Recover recover_from) {
    tally result;
    for (std::size_t at = 0; at < what.size(); at += is_long() ? 1 : stride)
      judge(result, recover_from(what.substr(0, at)), at);
    return result;
  }
  template <class Recover>
  tally flip(const std::string& what, std::size_t stride, Recover recover_from) {
    tally result;
    auto damaged = what;
    for (std::size_t at = 0; at < what.size(); at += is_long() ? 1 : stride) {
      // One bit; in the long form all bits inverted and zero too.
      const auto old = static_cast<unsigned char>(what[at]);
      std::set<unsigned char> values{static_cast<unsigned char>(old ^ (1U << at % 8))};
      if (is_long())
        values.insert({static_cast<unsigned char>(~old), 0});
      values.erase(old);
      for (auto value : values) {
        damaged[at] = static_cast<char>(value);
        judge(result, recover_from(damaged), at);
      }
      damaged[at] = what[at];
    }
    return result;
  }

  std::vector<std::string> lines_;
  std::set<std::size_t> acknowledged_;
  std::string database_, log_;
  std::uint32_t epoch_ = 0;
};

TEST_F(damage_test, a_log_cut_at_any_byte_is_what_was_once_acknowledged) {
  make_sample(4, 3, true);

  auto found = cut(log_, 149, [&](const std::string& log) { return recover(database_, log); });

  tell("wal_cut", log_.size(), found);
  EXPECT_EQ(found.whole, 0u);
  EXPECT_EQ(found.refused, 0u);
}

TEST_F(damage_test, a_log_with_any_byte_flipped_is_cut_or_refused) {
  make_sample(4, 3, true);

  auto found = flip(log_, 149, [&](const std::string& log) { return recover(database_, log); });

  tell("wal_flip", log_.size(), found);
  EXPECT_GT(found.refused, found.repaired);
}

TEST_F(damage_test, a_log_that_is_in_the_database_already_may_be_damaged_too) {
  make_sample(4, 3, true, true);
  auto from = [&](const std::string& log) { return recover(database_, log); };

  auto flipped = flip(log_, 149, from);
  auto shortened = cut(log_, 149, from);

  tell("merged_wal_flip", log_.size(), flipped);
  tell("merged_wal_cut", log_.size(), shortened);
}

TEST_F(damage_test, a_database_cut_at_any_byte_is_refused_unless_its_log_is_whole) {
  make_sample(4, 3, false);

  auto found = cut(database_, 149, [&](const std::string& db) { return recover(db, {}); });

  tell("database_cut", database_.size(), found);
  EXPECT_EQ(found.repaired, 0u);
  EXPECT_GT(found.refused, 9 * found.whole);
}

TEST_F(damage_test, a_database_with_any_byte_flipped_is_whole_or_refused) {
  make_sample(4, 3, false);

  auto found = flip(database_, 149, [&](const std::string& db) { return recover(db, {}); });

  tell("database_flip", database_.size(), found);
  EXPECT_EQ(found.repaired, 0u);
}

} // namespace
} // namespace tune
