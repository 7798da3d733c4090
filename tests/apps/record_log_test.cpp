// The log over HTTP: which events come, and how it goes on.
// SPDX-License-Identifier: BSD-3-Clause
#include "view/record_log.hpp"

#include "io/scratch_directory.hpp"
#include "support/grown_record.hpp"

#include "tune/io/json.hpp"
#include "view/views.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tune::cli {
namespace {

using testing::HasSubstr;
using query = std::multimap<std::string, std::string>;

class record_log_test : public samples::scratch_directory {
protected:
  void SetUp() override {
    samples::scratch_directory::SetUp();
    const auto storage = root / "results";
    std::filesystem::create_directories(storage);
    // Eight trials with three reports each, of which some are stopped.
    support::grown_record record{storage / "one", {8, 3, 2}, support::grown_spec("one")};
    record.write_all();
    record.finish();
    last_ = record.last_seq();
    uut_ = std::make_unique<views>(storage);
  }

  view_answer ask(query what) {
    return uut_->answer({{"experiments", "one", "log"}, std::move(what)});
  }
  object got(query what) {
    auto answer = ask(std::move(what));
    const auto* given = std::get_if<value>(&answer);
    EXPECT_NE(given, nullptr);
    return given == nullptr ? object{} : *given->as_object();
  }
  static value member(const value& of, const std::string& path) {
    const auto* found = find_path(*of.as_object(), path);
    return found == nullptr ? value{} : *found;
  }
  /// All events page by page, so many at once.
  value::list paged(query what, const std::string& limit) {
    value::list result;
    what.emplace("limit", limit);
    for (std::size_t pages = 0; pages < 1000; ++pages) {
      const auto part = got(what);
      for (const auto& x : *part.find("events")->as_list())
        result.push_back(x);
      const auto* next = part.find("next_cursor")->as_string();
      if (next == nullptr)
        break;
      what.erase("cursor");
      what.emplace("cursor", *next);
    }
    return result;
  }
  static std::vector<std::string> kinds_of(const value::list& events) {
    std::vector<std::string> result;
    for (const auto& x : events)
      result.push_back(to_text(member(x, "kind")));
    return result;
  }

  sequence last_ = 0;
  std::unique_ptr<views> uut_;
};

TEST_F(record_log_test, has_all_events_in_their_order) {
  const auto all = paged({}, "1000");

  ASSERT_EQ(all.size(), last_);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(member(all[i], "seq"), value{static_cast<std::int64_t>(i + 1)});
  EXPECT_THAT(kinds_of(all), testing::Contains("reported"));
  EXPECT_EQ(paged({}, "1"), all);
  EXPECT_EQ(paged({}, "7"), all);
  EXPECT_EQ(*got({{"limit", "1000"}}).find("next_seq"), value{static_cast<std::int64_t>(last_)});
}

TEST_F(record_log_test, chooses_by_trial_and_kind) {
  const auto of_one = paged({{"trial", "1"}}, "1000");
  EXPECT_EQ(kinds_of(of_one),
            (std::vector<std::string>{"placed", "reported", "reported", "reported", "ended"}));
  EXPECT_EQ(paged({{"trial", "00001"}}, "2"), of_one);

  // The seventh is stopped: the decision about it names it in a list.
  EXPECT_EQ(kinds_of(paged({{"trial", "7"}}, "1")),
            (std::vector<std::string>{"placed", "reported", "reported", "decided", "ended"}));

  const auto ended = paged({{"kind", "ended"}}, "3");
  EXPECT_EQ(kinds_of(ended), std::vector<std::string>(8, "ended"));
  EXPECT_TRUE(paged({{"kind", "node_down"}}, "3").empty());
  EXPECT_TRUE(paged({{"trial", "99"}}, "3").empty());
}

TEST_F(record_log_test, has_reports_as_the_view_events_has_them) {
  const auto all = paged({{"kind", "reported"}, {"trial", "2"}}, "2");

  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(member(all[1], "body/trial"), value{2});
  EXPECT_EQ(member(all[1], "body/training_iteration"), value{2});
  EXPECT_EQ(member(all[1], "body/attempt"), value{"1.3"});
  EXPECT_EQ(member(all[1], "body/metrics/loss"), value{support::grown_record::loss_of(2, 2)});
}

TEST_F(record_log_test, tells_where_a_search_without_finds_goes_on) {
  const auto part = got({{"kind", "node_down"}});

  EXPECT_TRUE(part.find("next_cursor")->is_null());
  EXPECT_EQ(*part.find("next_seq"), value{static_cast<std::int64_t>(last_)});
}

TEST_F(record_log_test, refuses_what_there_is_not) {
  for (const auto& what : {query{{"kind", "zz"}}, query{{"trial", "x"}}}) {
    auto answer = ask(what);
    auto* fault = std::get_if<view_fault>(&answer);
    ASSERT_NE(fault, nullptr);
    EXPECT_EQ(fault->status, 400);
    EXPECT_EQ(fault->code, "bad_query");
  }
  auto answer = ask({{"kind", "zz"}});
  EXPECT_THAT(std::get<view_fault>(answer).detail, HasSubstr("opened, suggest_asked"));
}

} // namespace
} // namespace tune::cli
