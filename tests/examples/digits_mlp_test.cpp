// SPDX-License-Identifier: BSD-3-Clause
#include "digits/digits_mlp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

using namespace tune;
using namespace tune::examples;
using testing::HasSubstr;

namespace {

const std::filesystem::path shipped = TUNE_SOURCE_DIR "/data/digits/digits.csv";

/// A directory for one test, empty at first and removed at the end.
class scratch {
public:
  scratch()
      : path_{std::filesystem::path{testing::TempDir()}
              / (std::string{"digits_mlp_"}
                 + testing::UnitTest::GetInstance()->current_test_info()->name())} {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

digits_mlp made(const object& config) {
  digits_mlp result{shipped};
  result.setup(config, {});
  return result;
}

metrics after(digits_mlp& uut, int epochs) {
  metrics last;
  while (epochs-- > 0)
    last = uut.step();
  return last;
}

std::vector<float> weights(const digits_mlp& of) {
  return {of.network().parameters().begin(), of.network().parameters().end()};
}

std::string complaint(const std::function<void()>& what) {
  try {
    what();
  } catch (const std::exception& why) {
    return why.what();
  }
  return "no complaint";
}

const object sgd{{"optimizer", "sgd"}, {"lr", 0.1},      {"momentum", 0.9},
                 {"hidden", 32},       {"dropout", 0.2}, {"weight_decay", 1e-3}};
const object adam{{"optimizer", "adam"}, {"lr", 0.003}, {"hidden", 24}, {"layers", 2}};

} // namespace

TEST(digits_mlp, learns_to_read_digits_within_fifty_epochs) {
  auto uut = made({{"optimizer", "adam"}, {"lr", 0.003}, {"hidden", 64}});

  auto last = after(uut, 25);

  EXPECT_GE(last.find("accuracy")->number(), 0.96);
  EXPECT_GE(last.find("test_accuracy")->number(), 0.96);
  EXPECT_LT(last.find("loss")->number(), 0.1);
  EXPECT_EQ(last.find("lr")->number(), 0.003);
}

TEST(digits_mlp, learns_poorly_from_poor_settings) {
  auto uut = made({{"optimizer", "sgd"}, {"lr", 1e-5}, {"momentum", 0.0}});

  EXPECT_LT(after(uut, 3).find("accuracy")->number(), 0.5);
}

TEST(digits_mlp, gives_the_same_weights_for_the_same_configuration) {
  auto one = made(sgd);
  auto two = made(sgd);
  auto other = sgd;
  other.set("seed", 1);
  auto three = made(other);
  for (auto* x : {&one, &two, &three})
    after(*x, 2);

  EXPECT_EQ(weights(one), weights(two));
  EXPECT_NE(weights(one), weights(three));
}

TEST(digits_mlp, goes_on_from_a_checkpoint_to_the_last_bit) {
  for (const auto& config : {sgd, adam}) {
    scratch checkpoint;
    auto whole = made(config);
    auto expected = after(whole, 6);
    auto before = made(config);
    after(before, 3);
    before.save(checkpoint.path());

    auto uut = made(config);
    after(uut, 1); // must leave no trace
    uut.load(checkpoint.path());
    auto last = after(uut, 3);

    EXPECT_EQ(uut.epoch(), 6u);
    EXPECT_EQ(weights(uut), weights(whole));
    EXPECT_EQ(last, expected);
  }
}

TEST(digits_mlp, takes_the_learning_rate_from_the_configuration_when_it_restores) {
  scratch checkpoint;
  auto donor = made(sgd);
  after(donor, 1);
  donor.save(checkpoint.path());
  auto changed = sgd;
  changed.set("lr", 0.01);

  auto uut = made(changed);
  uut.load(checkpoint.path());

  EXPECT_EQ(weights(uut), weights(donor));
  EXPECT_EQ(after(uut, 1).find("lr")->number(), 0.01);
  after(donor, 1);
  EXPECT_NE(weights(uut), weights(donor));
}

TEST(digits_mlp, is_as_new_after_a_reset) {
  auto uut = made(sgd);
  after(uut, 2);
  ASSERT_TRUE(uut.reset(adam));
  auto fresh = made(adam);

  after(uut, 2);
  after(fresh, 2);

  EXPECT_EQ(weights(uut), weights(fresh));
}

TEST(digits_mlp, reports_a_divergence_instead_of_hiding_it) {
  auto uut = made({{"optimizer", "sgd"}, {"lr", 1e30}});

  auto last = after(uut, 2);

  EXPECT_FALSE(std::isfinite(*last.find("loss")->number()));
}

TEST(digits_mlp, refuses_a_checkpoint_of_another_shape) {
  scratch checkpoint;
  auto donor = made({{"hidden", 16}});
  donor.save(checkpoint.path());
  auto uut = made({{"hidden", 17}});
  auto kept = weights(uut);

  EXPECT_THAT(complaint([&] { uut.load(checkpoint.path()); }), HasSubstr("another shape"));
  EXPECT_EQ(weights(uut), kept);
}

TEST(digits_mlp, refuses_a_torn_checkpoint_at_any_length) {
  scratch checkpoint;
  auto donor = made({{"hidden", 1}});
  after(donor, 1);
  donor.save(checkpoint.path());
  auto file = checkpoint.path() / "network.bin";
  auto uut = made({{"hidden", 1}});
  auto kept = weights(uut);

  auto length = std::filesystem::file_size(file);
  for (std::size_t left :
       {length - 1, length / 2, std::uintmax_t{40}, std::uintmax_t{7}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(file, left);
    EXPECT_NE(complaint([&] { uut.load(checkpoint.path()); }), "no complaint") << left;
    EXPECT_EQ(weights(uut), kept);
  }
  std::filesystem::remove(file);
  EXPECT_THAT(complaint([&] { uut.load(checkpoint.path()); }), HasSubstr("cannot read"));
}

TEST(digits_mlp, names_the_entry_its_value_and_the_legal_range_of_a_bad_option) {
  auto fault = [](const object& config) { return complaint([&] { made(config); }); };

  EXPECT_EQ(fault({{"lr", 0}}), "lr = 0: expected a number > 0");
  EXPECT_EQ(fault({{"momentum", 1.0}}), "momentum = 1: expected a number >= 0 and < 1");
  EXPECT_EQ(fault({{"optimizer", "lion"}}), "optimizer = lion: expected sgd or adam");
  EXPECT_EQ(fault({{"hidden", 2.5}}), "hidden = 2.5: expected a whole number in 1..4096");
  EXPECT_EQ(fault({{"layers", 9}}), "layers = 9: expected a whole number in 1..8");
  EXPECT_EQ(fault({{"data", 3}}), "data = 3: expected the path of a file");
  EXPECT_THAT(fault({{"data", "/nowhere.csv"}}), HasSubstr("/nowhere.csv"));
}

TEST(digits_mlp, reads_the_data_that_the_configuration_names) {
  digits_mlp uut{"/nowhere.csv"};

  uut.setup({{"data", shipped.string()}, {"hidden", 4}}, {});

  EXPECT_GT(uut.step().find("loss")->number(), 0);
}
