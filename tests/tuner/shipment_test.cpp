// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/shipment.hpp"

#include "io/scratch_directory.hpp"

#include "tune/io/spec/record.hpp"
#include "tune/tuner/choices.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tune {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct shipment_test : samples::scratch_directory {
  void SetUp() override {
    samples::scratch_directory::SetUp();
    for (auto name : {"lab/config/train.sh", "lab/config/own.csv", "lab/data/a.csv",
                      "lab/data/b.csv", "lab/bin/tool"})
      fill(root / name, name);
    fs::permissions(root / "lab/bin/tool", fs::perms::owner_all);
    fill(root / "lab/data/curves.csv", "config.x,training_iteration,loss\n1,1,0.5\n");
  }

  loaded_spec load(const std::string& trainable) const {
    load_request wanted;
    auto all = builtin_choices();
    wanted.schedulers = all.schedulers;
    wanted.searchers = all.searchers;
    auto result = load_spec_text("[experiment]\nmetric = loss\nmode = min\n[space]\nx = 1\n"
                                 "k = choice(0, 1)\n[trainable]\n"
                                     + trainable + "\n",
                                 root / "lab/config/x.ini", wanted);
    EXPECT_TRUE(result) << to_text(result.faults);
    return result ? *result.loaded : loaded_spec{};
  }
  static std::vector<std::string> paths(const job_offer& x) {
    std::vector<std::string> result;
    for (const auto& file : x.manifest.files)
      result.push_back(file.path);
    return result;
  }
  job_offer offer(const std::string& trainable) const {
    auto result = shipment_of(load(trainable));
    EXPECT_TRUE(result) << to_text(result.error());
    return result ? *result : job_offer{};
  }
  std::string refusal(const std::string& trainable) const {
    auto result = shipment_of(load(trainable));
    EXPECT_FALSE(result) << trainable;
    return result ? std::string{} : result.error().detail;
  }
};

TEST_F(shipment_test, takes_along_what_the_command_names) {
  auto uut = offer("command = ../bin/tool ./train.sh --in={ini_dir}/../data/a.csv "
                   "{ini_dir}/own.csv {ini_dir}/none.csv {ini_dir}/../data /etc/hostname");

  // A bare word is a program on the worker, and so is an absolute path.
  EXPECT_THAT(paths(uut), ElementsAre("config/own.csv", "config/train.sh", "data/a.csv"));
  EXPECT_EQ(uut.root, fs::canonical(root / "lab"));
}

TEST_F(shipment_test, is_refused_beyond_its_limit_whatever_names_the_files) {
  fill(root / "lab/config/big.csv", std::string(3000, 'x'));

  const auto why = refusal("command = /bin/cat ./big.csv\nmax_files_size = 2KiB");

  EXPECT_THAT(why, HasSubstr("[trainable] command: \"big.csv\": "));
  EXPECT_THAT(why, HasSubstr("big.csv has 2.9 KiB, more than 2 KiB, which is max_files_size"));
}

TEST_F(shipment_test, of_a_configuration_that_is_too_long_is_refused_with_what_mends_it) {
  const auto why = refusal("command = /bin/echo " + std::string(5'000'000, 'x'));

  EXPECT_THAT(why, HasSubstr("the configuration has 4.8 MiB, and workers take at most 4 MiB: "));
  EXPECT_THAT(why, HasSubstr("shorten what is long in it"));
}

TEST_F(shipment_test, takes_along_what_a_script_imports) {
  fill(root / "lab/python/fit.py", "import model\n");
  fill(root / "lab/python/model.py", "");

  EXPECT_THAT(paths(offer("command = python3 {ini_dir}/../python/fit.py")),
              ElementsAre("python/fit.py", "python/model.py"));
}

TEST_F(shipment_test, takes_templates_along_and_reads_the_workers_copies) {
  fill(root / "lab/data/conf.in", "x = {x}\n");
  auto offered = offer("command = true\ntemplate = ../data/conf.in -> conf.toml\n"
                       "env.X = {x}\nenv.DIR = {trial_dir}");
  EXPECT_THAT(paths(offered), ElementsAre("data/conf.in"));
  auto files = root / "work/jobs" / offered.job / "files";
  fill(files / "data/conf.in", "y = {x}\n");

  auto made = worker_job_maker()({offered.job, offered.record, files, {}});

  ASSERT_TRUE(made) << to_text(made.error());
  const auto& plan = std::get<run_command>((*made)->plan);
  ASSERT_EQ(plan.templates.size(), 1u);
  EXPECT_EQ(*plan.templates[0].render({{"x", 1}}, {}), "y = 1\n");
  EXPECT_EQ(plan.environment[0].second.render({{"x", 1}}, {}), "1");
  EXPECT_EQ(plan.environment[1].second.render({{"x", 1}}, {"/t", "", "", ""}), "/t");
}

TEST_F(shipment_test, takes_a_program_beside_the_directory_of_the_ini_file) {
  EXPECT_THAT(paths(offer("command = {ini_dir}/../bin/tool")), ElementsAre("bin/tool"));
}

TEST_F(shipment_test, adds_the_files_that_are_declared) {
  auto uut = offer("command = sh {ini_dir}/fold{k}.sh\nfiles = ../data/*.csv, own.csv");

  EXPECT_THAT(paths(uut),
              ElementsAre("config/own.csv", "data/a.csv", "data/b.csv", "data/curves.csv"));
}

TEST_F(shipment_test, takes_a_table_along) {
  EXPECT_THAT(paths(offer("path = ../data/curves.csv")), ElementsAre("data/curves.csv"));
}

TEST_F(shipment_test, tells_nothing_of_the_directories_above) {
  auto beside = offer("command = true {ini_dir}/../data/a.csv");
  auto below = offer("command = true {ini_dir}/own.csv");

  EXPECT_EQ(spec_from_json(beside.record)->ini_dir, "config");
  EXPECT_EQ(spec_from_json(below.record)->ini_dir, "");
  EXPECT_THAT(beside.record, Not(HasSubstr(root.string())));
}

TEST_F(shipment_test, names_the_key_of_what_cannot_be_shipped) {
  fs::create_symlink("/etc/hostname", root / "lab/config/link");

  EXPECT_THAT(refusal("command = true\nfiles = own.csv, " + (root / "lab/data/a.csv").string()),
              AllOf(HasSubstr("[trainable] files: "), HasSubstr("\"../data/a.csv\"")));
  EXPECT_THAT(refusal("path = " + (root / "lab/data/curves.csv").string()),
              AllOf(HasSubstr("[trainable] path: "), HasSubstr("\"../data/curves.csv\"")));
  EXPECT_THAT(refusal("command = true ./link"),
              AllOf(HasSubstr("[trainable] command: "), HasSubstr("leads out of")));
}

TEST_F(shipment_test, becomes_a_job_whose_names_mean_the_workers_copies) {
  auto offered = offer("command = true {ini_dir}/../data/a.csv");
  auto files = root / "work/jobs" / offered.job / "files";

  auto made = worker_job_maker()({offered.job, offered.record, files, {}});

  ASSERT_TRUE(made) << to_text(made.error());
  const auto& plan = std::get<run_command>((*made)->plan);
  EXPECT_EQ(plan.ini_dir, (files / "config").string());
  // `..` leads through this directory, even if no file lies in it.
  EXPECT_TRUE(fs::is_directory(plan.ini_dir));
  EXPECT_EQ((*made)->directory, files.parent_path());
}

TEST_F(shipment_test, does_not_let_a_record_lead_out_of_the_jobs_files) {
  auto files = root / "work/jobs/x/files";
  auto what = load("command = true").what;

  for (const auto* way : {"/etc", "..", "a/../../.."}) {
    what.ini_dir = way;
    auto made = worker_job_maker()({"x", to_json(what), files, {}});
    ASSERT_FALSE(made) << way;
    EXPECT_EQ(made.error().code, ec::protocol);
  }
  EXPECT_FALSE(fs::exists(root / "work"));
}

} // namespace
} // namespace tune
