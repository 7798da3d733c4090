// SPDX-License-Identifier: BSD-3-Clause
#include "digits/register_digits.hpp"
#include "tune/io/sinks/builtin.hpp"
#include "tune/io/spec/command_template.hpp"
#include "tune/io/spec/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

using namespace tune;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

const std::filesystem::path config = TUNE_SOURCE_DIR "/config";

std::vector<std::string> shipped_files() {
  std::vector<std::string> result;
  for (const auto& x : std::filesystem::directory_iterator{config})
    if (x.path().extension() == ".ini")
      result.push_back(x.path().filename());
  std::sort(result.begin(), result.end());
  return result;
}

load_result load(const std::string& name) {
  trainable_registry trainables;
  examples::register_digits(trainables, TUNE_SOURCE_DIR "/data/digits/digits.csv");
  load_request with;
  with.schedulers = builtin_schedulers();
  with.searchers = builtin_searchers();
  with.trainables = &trainables;
  with.sinks = builtin_sinks();
  return load_spec(config / name, with);
}

class shipped : public testing::TestWithParam<std::string> {};

} // namespace

TEST_P(shipped, is_a_configuration_without_fault_or_warning) {
  auto uut = load(GetParam());

  EXPECT_TRUE(uut.faults.empty()) << to_text(uut.faults);
  EXPECT_THAT(uut.warnings, IsEmpty());
}

TEST_P(shipped, has_a_space_that_can_be_drawn_from) {
  auto uut = load(GetParam());
  ASSERT_TRUE(uut);

  for (std::uint64_t trial = 0; trial < 100; ++trial) {
    auto draws = rng{1, "config_files_test", trial};
    const auto values = uut.loaded->space->draw(draws);
    auto fault = uut.loaded->space->reject(uut.loaded->space->assemble(values), false);
    EXPECT_FALSE(fault) << "trial " << trial << ": " << fault->detail;
  }
}

INSTANTIATE_TEST_SUITE_P(config, shipped, testing::ValuesIn(shipped_files()),
                         [](const auto& about) {
                           auto name = about.param.substr(0, about.param.find('.'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(config_files, give_svm_train_the_words_of_each_kernel) {
  auto uut = load("svm-digits.ini");
  ASSERT_TRUE(uut);
  std::vector<std::string> names;
  for (const auto& x : uut.loaded->space->parameters())
    names.push_back(x.name);
  auto command = command_template::parse(uut.loaded->what.trainable.command, names);
  ASSERT_TRUE(command);
  auto words = [&](const char* kernel) {
    std::vector<value> values;
    for (const auto& x : uut.loaded->space->parameters())
      values.push_back(x.name == "kernel"   ? value{kernel}
                       : x.name == "C"      ? value{2.0}
                       : x.name == "gamma"  ? value{0.5}
                       : x.name == "degree" ? value{3}
                                            : std::get<constant>(x.what).what);
    auto all = command->render(uut.loaded->space->assemble(values), {"", "/ini", "", ""});
    // The words in place of the dots: svm-train -q -v 5 -m 64 -c 2 … digits.libsvm
    return std::vector<std::string>(all.begin() + 8, all.end() - 1);
  };

  EXPECT_THAT(words("linear"), ElementsAre("-t", "0"));
  EXPECT_THAT(words("poly"), ElementsAre("-t", "1", "-d", "3", "-g", "0.5"));
  EXPECT_THAT(words("rbf"), ElementsAre("-t", "2", "-g", "0.5"));
  EXPECT_THAT(words("sigmoid"), ElementsAre("-t", "3", "-g", "0.5"));
}
