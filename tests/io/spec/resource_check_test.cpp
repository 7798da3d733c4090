// SPDX-License-Identifier: BSD-3-Clause
#include "io/spec/spec_support.hpp"

#include "tune/io/spec/resource_check.hpp"

#include <gtest/gtest.h>

using namespace tune;

namespace {

using capacities = std::map<std::string, resources>;

resources machine(double cpu, double gpu = 0, std::uint64_t memory = 0) {
  return {amount::of(cpu), amount::of(gpu), memory, {}};
}

/// The fault of a configuration with these further lines, which begin at line 7; empty if there is
/// none.
std::string fault_of(const std::string& lines, const capacities& nodes,
                     const load_request& with = support::request()) {
  auto loaded = support::load_text(std::string{support::small} + lines, with);
  EXPECT_TRUE(loaded) << to_text(loaded.faults);
  if (!loaded)
    return "not loaded";
  auto fault = impossible_request(*loaded.loaded, nodes);
  return fault ? to_text(*fault) : std::string{};
}

constexpr const char* hint
    = "; with [cluster] listen (--listen HOST:PORT) workers that can hold it may join";

TEST(impossible_request, finds_nothing_wrong_with_what_fits) {
  EXPECT_EQ(fault_of("", {{"local", machine(1)}}), "");
  EXPECT_EQ(fault_of("[resources]\ncpu = 2\ngpu = 0.5\nmemory = 1GiB\n",
                     {{"local", machine(2, 1, 1U << 30U)}}),
            "");
}

TEST(impossible_request, names_file_line_key_request_and_cluster) {
  EXPECT_EQ(fault_of("[resources]\ncpu = 500\n", {{"local", machine(2, 0, 1U << 30U)}}),
            "/nowhere/digits.ini:8: [resources] cpu = 500: no node can hold 500 CPU: the cluster "
            "has 1 node: 2 CPU, 1 GiB memory"
                + std::string{hint});
}

TEST(impossible_request, says_why_there_are_no_more_gpus) {
  auto message = [](const std::string& line) {
    auto loaded = support::load_text(std::string{support::small} + "[resources]\n" + line + "\n");
    auto fault = impossible_request(*loaded.loaded, {{"local", machine(2, 1)}}, "1 of 4 is hidden");
    return fault ? fault->message : std::string{};
  };

  EXPECT_NE(message("gpu = 2").find("2 CPU, 1 GPU; 1 of 4 is hidden; with [cluster]"),
            std::string::npos)
      << message("gpu = 2");
  EXPECT_EQ(message("cpu = 9").find("hidden"), std::string::npos);
}

TEST(impossible_offer, is_one_of_gpus_that_this_machine_lacks) {
  auto text = [](const std::string& lines, const std::string& lack) {
    auto loaded = support::load_text(std::string{support::small} + "[cluster]\n" + lines);
    auto fault = impossible_offer(*loaded.loaded, lack);
    return fault ? to_text(*fault) : std::string{};
  };

  EXPECT_EQ(text("gpus = 2\n", "there is 1"),
            "/nowhere/digits.ini:8: [cluster] gpus = 2: there is 1");
  EXPECT_EQ(text("gpus = 2\n", ""), "");
  EXPECT_EQ(text("gpus = 2\nlocal = false\nlisten = a:1\n", "there is 1"), "");
  EXPECT_EQ(text("cpus = 2\n", "there is 1"), "");
}

TEST(impossible_request, blames_the_key_that_does_not_fit) {
  capacities nodes{{"local", machine(2, 0, 1U << 30U)}};
  auto where = [](int line, const std::string& key) {
    return "/nowhere/digits.ini:" + std::to_string(line) + ": [resources] " + key + " = ";
  };

  EXPECT_EQ(fault_of("[resources]\ncpu = 2\ngpu = 1\n", nodes).find(where(9, "gpu") + "1:"), 0u);
  EXPECT_EQ(fault_of("[resources]\nmemory = 2GiB\n", nodes).find(where(8, "memory")), 0u);
  EXPECT_EQ(fault_of("[resources]\ncustom.licence = 1.5\n", nodes)
                .find(where(8, "custom.licence") + "1.5:"),
            0u);
  EXPECT_EQ(fault_of("[resources]\nbundles = [{\"cpu\": 2}]\n", nodes).find(where(8, "bundles")),
            0u);
  EXPECT_EQ(fault_of("[resources]\nbundles = [{\"cpu\": 1}]\nstrategy = strict_spread\n", nodes)
                .find(where(9, "strategy")),
            0u);
}

TEST(impossible_request, names_the_source_that_asked) {
  auto with = support::request();
  with.overrides = {{"resources.cpu", "64"}};

  EXPECT_EQ(fault_of("[resources]\ncpu = 1\n", {{"local", machine(2)}}, with)
                .find("command line --resources.cpu: [resources] cpu = 64: "),
            0u);
}

TEST(impossible_request, blames_a_default_where_nobody_asked) {
  EXPECT_EQ(fault_of("", {{"local", machine(0.5)}}).find("default: [resources] cpu = 1: "), 0u);
}

TEST(impossible_request, knows_what_only_several_nodes_have) {
  capacities nodes{{"a", machine(8)}, {"b", machine(1, 1)}};

  EXPECT_EQ(fault_of("[resources]\ncpu = 8\n", nodes), "");
  EXPECT_EQ(fault_of("[resources]\ncpu = 4\ngpu = 1\n", nodes)
                .find("/nowhere/digits.ini:9: [resources] gpu"),
            0u);
}

TEST(impossible_request, lets_nothing_wait_for_workers_that_cannot_join) {
  EXPECT_EQ(
      fault_of("[resources]\ncpu = 500\n[cluster]\nqueue_trials = true\n", {{"local", machine(2)}}),
      "/nowhere/digits.ini:8: [resources] cpu = 500: no node can hold 500 CPU: the cluster has 1 "
      "node: 2 CPU; [cluster] queue_trials = true waits for workers, but none can join without "
      "[cluster] listen (--listen HOST:PORT)");
}

} // namespace
