// The table of docs/security.md and the sources agree on which actors peers can reach.
// SPDX-License-Identifier: BSD-3-Clause
#include "../../src/net/reachable_actors.hpp"

#include "tune/net/system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::ContainerEq;
using testing::IsEmpty;

std::string text_of(const fs::path& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

fs::path root() {
  return TUNE_SOURCE_DIR;
}

/// A row of the table; its first cell is `tune.name`.
struct row {
  std::string name;
  std::vector<std::string> cells;
};

/// Rows of the tables below a heading, up to the next heading.
std::vector<row> rows_below(const std::string& heading) {
  auto text = text_of(root() / "docs/security.md");
  auto begin = text.find("\n" + heading + "\n");
  EXPECT_NE(begin, std::string::npos) << heading;
  if (begin == std::string::npos)
    return {};
  auto part = text.substr(begin + 1, text.find("\n## ", begin + 1) - begin);
  std::vector<row> result;
  static const std::regex line{R"(\n\| `(tune\.\w+)`[^|]*\|([^\n]*)\|)"};
  for (std::sregex_iterator i{part.begin(), part.end(), line}, end; i != end; ++i) {
    row found{(*i)[1], {}};
    std::string rest = (*i)[2];
    static const std::regex cell{R"([^|]+)"};
    for (std::sregex_iterator j{rest.begin(), rest.end(), cell}, last; j != last; ++j)
      found.cells.push_back(j->str());
    result.push_back(std::move(found));
  }
  return result;
}

std::set<std::string> names_of(const std::vector<row>& rows) {
  std::set<std::string> result;
  for (const auto& x : rows)
    EXPECT_TRUE(result.insert(x.name).second) << x.name << " has two rows";
  return result;
}

/// All source files of the program.
std::vector<fs::path> sources() {
  std::vector<fs::path> result;
  for (const auto* room : {"src", "apps", "include"}) {
    for (const auto& entry : fs::recursive_directory_iterator{root() / room}) {
      auto kind = entry.path().extension();
      if (kind == ".cpp" || kind == ".hpp")
        result.push_back(entry.path());
    }
  }
  return result;
}

/// Names of all actors of the program, each with the text of its file.
std::map<std::string, std::string> actors_of_sources() {
  std::map<std::string, std::string> result;
  static const std::regex declared{R"re(const char\* name = "(tune\.\w+)")re"};
  for (const auto& file : sources()) {
    auto text = text_of(file);
    for (std::sregex_iterator i{text.begin(), text.end(), declared}, end; i != end; ++i)
      result.emplace((*i)[1], text);
  }
  return result;
}

std::set<std::string> names_of_actors() {
  std::set<std::string> result;
  for (const auto& [name, text] : actors_of_sources())
    result.insert(name);
  return result;
}

std::set<std::string> reachable() {
  network_config config{transport{}, 2};
  caf::actor_system system{config};
  auto result = reachable_actors{system}.names();
  result.erase("scoped_actor");
  return result;
}

const char* const of_peers = "## Whom a peer can reach";
const char* const of_nobody = "## Whom no peer can reach";

TEST(reachable_actors_test, is_what_the_table_says) {
  EXPECT_THAT(names_of(rows_below(of_peers)), ContainerEq(reachable()));
}

TEST(reachable_actors_test, leaves_no_actor_of_the_program_out_of_both_tables) {
  auto all = names_of(rows_below(of_peers));
  for (const auto& name : names_of(rows_below(of_nobody)))
    EXPECT_TRUE(all.insert(name).second) << name << " is in both tables";
  EXPECT_THAT(all, ContainerEq(names_of_actors()));
}

TEST(reachable_actors_test,
     has_a_table_that_says_of_each_what_it_is_sent_what_bounds_it_and_how_it_fails) {
  for (const auto* heading : {of_peers, of_nobody}) {
    for (const auto& x : rows_below(heading)) {
      EXPECT_EQ(x.cells.size(), 3U) << x.name;
      for (const auto& cell : x.cells)
        EXPECT_GT(cell.size(), 5U) << x.name;
    }
  }
}

TEST(reachable_actors_test, is_only_of_actors_that_stand_firm) {
  const auto all = actors_of_sources();
  for (const auto& name : reachable()) {
    ASSERT_TRUE(all.contains(name)) << name;
    EXPECT_NE(all.at(name).find("stand_firm(self);"), std::string::npos)
        << "the source of " << name << " does not call stand_firm";
  }
}

TEST(reachable_actors_test, is_only_of_actors_that_are_attacked_by_a_test) {
  auto tests = text_of(root() / "tests/net/firm_test.cpp");
  for (const auto& name : reachable())
    EXPECT_NE(tests.find("attack(\"" + name + "\""), std::string::npos)
        << name << " has no fault test in tests/net/firm_test.cpp";
}

TEST(reachable_actors_test, leaves_no_actor_without_a_name) {
  // An actor without a state has no name, and could not be told from others.
  static const std::regex stateful{R"(::stateful_pointer<(\w+)>)"};
  for (const auto& file : sources()) {
    // This header spawns the user's actors, which name themselves.
    if (file.filename() == "own_trainable.hpp")
      continue;
    auto text = text_of(file);
    for (std::sregex_iterator i{text.begin(), text.end(), stateful}, end; i != end; ++i) {
      std::regex state{"struct " + (*i)[1].str()
                       + R"((?: : \w+)? \{\s+static inline const char\* name = "tune\.)"};
      EXPECT_TRUE(std::regex_search(text, state)) << (*i)[1] << " in " << file;
    }
  }
}

} // namespace
} // namespace tune
