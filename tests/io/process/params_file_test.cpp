// SPDX-License-Identifier: BSD-3-Clause
#include "tune/io/process/params_file.hpp"

#include "../scratch_directory.hpp"

#include "tune/io/process/host.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <filesystem>
#include <limits>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using real = std::numeric_limits<double>;

struct params_file_test : samples::scratch_directory {
  fs::path file() const { return root / "params.json"; }
  object written_and_read(const object& config, bool exact) const {
    auto written = write_params(file(), config, exact);
    EXPECT_TRUE(written) << to_text(written.error());
    auto read = read_params(file());
    EXPECT_TRUE(read) << to_text(read.error());
    return read ? *read : object{};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator{root}, fs::directory_iterator{}));
  }
};

TEST_F(params_file_test, gives_back_numbers_that_json_does_not_know) {
  const object config{{"a", real::quiet_NaN()},
                      {"b", "nan"},
                      {"c", object{{"d", value::list{1, -real::infinity(), "-inf"}}}},
                      {"e", real::infinity()}};

  EXPECT_EQ(written_and_read(config, true), config);
  EXPECT_THAT(content(file()), HasSubstr("\"a\":\"nan\",\"b\":\"nan\""));
}

TEST_F(params_file_test, writes_nothing_beside_where_nothing_needs_it) {
  const object config{{"x", 1e-310}, {"y", -0.0}, {"z", "inf"}, {"n", nullptr}};

  EXPECT_EQ(written_and_read(config, true), config);
  EXPECT_EQ(files(), 1u);
}

TEST_F(params_file_test, has_texts_for_other_programs) {
  EXPECT_EQ(written_and_read({{"x", real::quiet_NaN()}}, false), (object{{"x", "nan"}}));
  EXPECT_EQ(files(), 1u);
}

TEST_F(params_file_test, puts_a_file_in_the_place_of_a_pipe_and_says_so) {
  ASSERT_EQ(::mkfifo(file().c_str(), 0666), 0);
  ASSERT_EQ(::mkfifo((root / ".params.json.places").c_str(), 0666), 0);
  ASSERT_EQ(::mkfifo((root / ".params.json.new").c_str(), 0666), 0);

  auto written = write_params(file(), {{"x", 1}}, true);

  ASSERT_TRUE(written) << written.error().detail;
  EXPECT_EQ(*written, file().string() + " was a named pipe and is replaced by a new file");
  EXPECT_EQ(content(file()), "{\"x\":1}\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(params_file_test, writes_through_no_link) {
  fill(root / "victim", "precious");
  fs::create_symlink(root / "victim", file());

  EXPECT_TRUE(write_params(file(), {{"x", 1}}, true));

  EXPECT_EQ(content(root / "victim"), "precious");
  EXPECT_EQ(content(file()), "{\"x\":1}\n");
}

TEST_F(params_file_test, reads_no_pipe) {
  ASSERT_EQ(::mkfifo(file().c_str(), 0666), 0);

  auto read = read_params(file());

  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().detail, HasSubstr("is a named pipe, not a file"));
}

TEST_F(params_file_test, forgets_what_an_earlier_attempt_needed) {
  written_and_read({{"x", real::quiet_NaN()}}, true);

  EXPECT_EQ(written_and_read({{"x", "nan"}}, true), (object{{"x", "nan"}}));
  EXPECT_EQ(files(), 1u);
}

TEST_F(params_file_test, tells_what_it_cannot_read) {
  EXPECT_THAT(read_params(file()).error().detail, HasSubstr(file().string()));
  fill(file(), "[");
  EXPECT_THAT(read_params(file()).error().detail, HasSubstr(file().string()));
}

TEST(trial_environment, leaves_out_what_no_program_could_be_started_with) {
  const object config{
      {"small", "text"}, {"large", std::string(100'000, 'x')}, {"nul", std::string{"a\0b", 3}}};

  std::string names;
  for (const auto& [name, text] : trial_environment(config, {}, "params.json", std::nullopt))
    names += name.starts_with("TUNE_TRIAL_PARAM_") ? name + " " : "";

  EXPECT_EQ(names, "TUNE_TRIAL_PARAM_small ");
}

TEST(trial_environment, leaves_out_what_is_too_much_in_all) {
  object config;
  for (int i = 0; i < 100; ++i)
    config.set("x" + std::to_string(i), std::string(10'000, 'x'));

  std::size_t sum = 0;
  for (const auto& [name, text] : trial_environment(config, {}, "params.json", std::nullopt))
    sum += text.size();

  EXPECT_GT(sum, 500'000u);
  EXPECT_LT(sum, 530'000u);
}

} // namespace
} // namespace tune
