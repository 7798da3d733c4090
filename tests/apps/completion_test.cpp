// SPDX-License-Identifier: BSD-3-Clause
#include "command/completion.hpp"

#include "command/command_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tune::cli {
namespace {

using shell = completion_request::shell;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

/// A file that goes away with its owner.
class scratch_file {
public:
  explicit scratch_file(const std::string& content) {
    auto pattern = (std::filesystem::temp_directory_path() / "tune-XXXXXX").string();
    auto descriptor = mkstemp(pattern.data());
    EXPECT_GE(descriptor, 0);
    if (descriptor >= 0)
      close_it(descriptor);
    path_ = pattern;
    std::ofstream{path_} << content;
  }
  ~scratch_file() { std::filesystem::remove(path_); }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

private:
  std::string path_;
  static void close_it(int descriptor) { std::fclose(fdopen(descriptor, "w")); }
};

/// What bash offers at the end of `words`, whose last one is being typed.
std::vector<std::string> offered(const std::vector<std::string>& typed) {
  auto script = completion_script(shell::bash) + "COMP_WORDS=(";
  for (const auto& x : typed)
    script += "'" + x + "' ";
  script += ")\nCOMP_CWORD=" + std::to_string(typed.size() - 1)
            + "\n_tune_node\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  scratch_file file{script};
  auto* pipe = popen(("bash " + file.path() + " 2>&1").c_str(), "r");
  std::vector<std::string> result;
  std::array<char, 512> line{};
  while (pipe != nullptr && fgets(line.data(), line.size(), pipe) != nullptr)
    result.emplace_back(line.data()).pop_back();
  EXPECT_EQ(pclose(pipe), 0);
  std::erase(result, "");
  return result;
}

TEST(completion, offers_commands_first) {
  EXPECT_THAT(offered({"tune-node", "ru"}), ElementsAre("run"));
  EXPECT_THAT(offered({"tune-node", "--quiet", "tr"}), ElementsAre("trials"));
  EXPECT_THAT(offered({"tune-node", "--output", "json", "tr"}), ElementsAre("trials"));
}

TEST(completion, offers_options_of_the_command_and_of_all) {
  EXPECT_THAT(offered({"tune-node", "run", "--"}),
              IsSupersetOf({"--dry-run", "--strict", "--output"}));
  EXPECT_THAT(offered({"tune-node", "trials", "dir", "--l"}), ElementsAre("--limit"));
  EXPECT_THAT(offered({"tune-node", "run", "--l"}), IsSupersetOf({"--listen", "--log.level"}));
}

TEST(completion, offers_keys_of_the_file) {
  EXPECT_THAT(offered({"tune-node", "run", "x.ini", "--experiment.num"}),
              ElementsAre("--experiment.num_samples"));
  EXPECT_THAT(offered({"tune-node", "resume", "d", "--search.ty"}), ElementsAre("--search.type"));
  EXPECT_THAT(offered({"tune-node", "trials", "d", "--experiment.num"}), ElementsAre());
  EXPECT_THAT(offered({"tune-node", "run", "--"}), Not(Contains("--experiment.num_samples")));
}

TEST(completion, offers_values) {
  EXPECT_THAT(offered({"tune-node", "trials", "--output", "j"}), ElementsAre("json", "jsonl"));
  EXPECT_THAT(offered({"tune-node", "trials", "d", "--status", "p"}),
              ElementsAre("pending", "paused"));
  EXPECT_THAT(offered({"tune-node", "list", "s"}),
              ElementsAre("searchers", "schedulers", "stoppers", "sinks"));
  EXPECT_THAT(offered({"tune-node", "config", "c"}), ElementsAre("check"));
  EXPECT_THAT(offered({"tune-node", "help", "ver"}), ElementsAre("version"));
}

TEST(completion, offers_files_where_a_file_is_due) {
  auto here = std::string{TUNE_SOURCE_DIR};
  EXPECT_THAT(offered({"tune-node", "run", here + "/LIC"}), ElementsAre(here + "/LICENSE"));
  EXPECT_THAT(offered({"tune-node", "trials", here + "/LIC"}), ElementsAre()) << "directories only";
  EXPECT_THAT(offered({"tune-node", "config", "check", here + "/LIC"}),
              ElementsAre(here + "/LICENSE"));
}

TEST(completion, offers_what_certs_takes) {
  auto here = std::string{TUNE_SOURCE_DIR};
  EXPECT_THAT(offered({"tune-node", "certs", "i"}), ElementsAre("init", "issue"));
  EXPECT_THAT(offered({"tune-node", "certs", "show", here + "/LIC"}),
              ElementsAre(here + "/LICENSE"));
  EXPECT_THAT(offered({"tune-node", "certs", "init", "--certs", here + "/app"}),
              ElementsAre(here + "/apps"));
  EXPECT_THAT(offered({"tune-node", "certs", "init", "--certs", here + "/LIC"}), ElementsAre());
}

TEST(completion, knows_every_command_and_option_in_every_shell) {
  for (auto which : {shell::bash, shell::zsh, shell::fish}) {
    auto script = completion_script(which);
    auto prefix = which == shell::fish ? "-l " : "--";
    for (const auto& command : commands()) {
      EXPECT_THAT(script, HasSubstr(std::string{command.name}));
      for (const auto& option : command.options)
        EXPECT_THAT(script, HasSubstr(prefix + std::string{option.name}));
    }
    for (const auto& option : global_options())
      EXPECT_THAT(script, HasSubstr(prefix + std::string{option.name}));
  }
}

} // namespace
} // namespace tune::cli
