// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAre;

/// The request of type `T`; fails the test where it is another.
template <class T>
T parsed(const words& all) {
  auto result = parse(all);
  if (!result) {
    ADD_FAILURE() << result.error().detail;
    return {};
  }
  auto* what = std::get_if<T>(&result->what);
  EXPECT_NE(what, nullptr) << "another request: " << result->what.index();
  return what == nullptr ? T{} : *what;
}

command_line whole(const words& all) {
  auto result = parse(all);
  EXPECT_TRUE(result);
  return result ? *result : command_line{};
}

TEST(command_line, reads_a_run_at_a_head) {
  auto x = parsed<run_request>({"run", "a.ini", "--head", "h:7700", "--detach"});
  EXPECT_EQ(to_text(*x.head), "h:7700");
  EXPECT_TRUE(x.detach);
  EXPECT_FALSE(parsed<run_request>({"run", "a.ini"}).head);

  auto why = [](const words& all) { return parse(all).error().detail; };
  EXPECT_THAT(why({"run", "a.ini", "--head", "h:7700", "--listen", "h:1"}),
              HasSubstr("either --head or --listen"));
  EXPECT_THAT(why({"run", "a.ini", "--detach"}), HasSubstr("--detach needs --head"));
  EXPECT_THAT(why({"run", "a.ini", "--head", "h"}), HasSubstr("--head: 'h' is not HOST:PORT"));
}

/// The command that a head is to carry out.
remote_command for_head(words all) {
  all.insert(all.end(), {"--head", "h:7700"});
  auto read = whole(all);
  EXPECT_TRUE(read.at_head);
  return read.at_head ? read.at_head->command : remote_command{};
}

TEST(command_line, hands_commands_about_experiments_to_a_head) {
  auto x = whole({"trials", "x", "--head", "h:7700", "--certs", "c", "--cluster", "lab"});
  ASSERT_TRUE(x.at_head);
  EXPECT_EQ(to_text(x.at_head->head), "h:7700");
  EXPECT_EQ(x.at_head->certs, "c");
  EXPECT_EQ(x.at_head->cluster, "lab");
  EXPECT_FALSE(x.at_head->insecure_plaintext);
  EXPECT_FALSE(whole({"trials", "x"}).at_head);

  auto trials = for_head({"trials", "x", "--sort", "loss", "--reverse", "-o", "csv", "-vv"});
  EXPECT_EQ(trials.command, "trials");
  EXPECT_THAT(trials.experiments, ElementsAre("x"));
  EXPECT_THAT(trials.options, UnorderedElementsAre("--sort=loss", "--reverse", "--output=csv",
                                                   "--verbose", "--verbose"));
  EXPECT_THAT(for_head({"compare", "x", "y"}).experiments, ElementsAre("x", "y"));
  EXPECT_THAT(for_head({"stop", "x", "3", "17"}).arguments, ElementsAre("3", "17"));
  EXPECT_THAT(for_head({"add", "x", "lr=-1"}).arguments, ElementsAre("lr=-1"));
  auto list = for_head({"list", "experiments"});
  EXPECT_THAT(list.before, ElementsAre("experiments"));
  EXPECT_TRUE(list.experiments.empty());
}

TEST(command_line, keeps_from_a_head_where_its_client_writes) {
  EXPECT_THAT(for_head({"fetch", "x", "3", "--to", "here", "--color", "always"}).options,
              testing::IsEmpty());
}

TEST(command_line, knows_which_commands_a_head_carries_out) {
  auto why = [](const words& all) {
    auto read = parse(all);
    return read ? std::string{} : read.error().detail;
  };
  EXPECT_THAT(why({"status", "x", "--certs", "c"}), HasSubstr("--certs goes with --head"));
  EXPECT_THAT(why({"status", "x", "--insecure-plaintext"}),
              HasSubstr("--insecure-plaintext goes with --head"));
  EXPECT_THAT(why({"status", "x", "--head", "h"}), HasSubstr("--head: 'h' is not HOST:PORT"));
  EXPECT_THAT(why({"list", "searchers", "--head", "h:1"}),
              HasSubstr("a head lists its experiments alone"));
  EXPECT_THAT(why({"list", "experiments", "st", "--head", "h:1"}),
              HasSubstr("a head lists its experiments alone"));
  EXPECT_THAT(why({"resume", "x", "--head", "h:1"}), HasSubstr("--head"));
  EXPECT_THAT(why({"trials", "x", "--head", "h:1", "--limit", "x"}), HasSubstr("--limit"));
}

TEST(command_line, reads_what_is_to_be_fetched_and_waited_for) {
  auto x = parsed<fetch_request>({"fetch", "x"});
  EXPECT_FALSE(x.trial);
  EXPECT_EQ(x.what, fetch_request::part::checkpoint);
  x = parsed<fetch_request>({"fetch", "x", "7", "--what", "trial", "--to", "t"});
  EXPECT_EQ(x.trial, trial_id{7});
  EXPECT_EQ(x.what, fetch_request::part::trial);
  EXPECT_EQ(x.to, "t");
  EXPECT_TRUE(parsed<wait_request>({"wait", "x", "--strict"}).strict);
}

TEST(command_line, reads_when_silence_is_given_up) {
  using std::chrono::milliseconds;
  auto head = parsed<head_request>({"head", "--listen", "h:1", "--lost-after", "1500ms"});
  EXPECT_EQ(head.liveness.lost_after, milliseconds{1500});
  auto worker = parsed<worker_request>({"worker", "--join", "h:1", "--lost-after", "1m"});
  EXPECT_EQ(worker.liveness.lost_after, std::chrono::minutes{1});
  EXPECT_EQ(parsed<worker_request>({"worker", "--join", "h:1"}).liveness.lost_after,
            std::chrono::seconds{10});

  auto why = parse({"worker", "--join", "h:1", "--lost-after", "0.1"});
  ASSERT_FALSE(why);
  EXPECT_THAT(why.error().detail, HasSubstr("1s to 24h"));
}

TEST(command_line, lets_trials_outlive_a_standing_head_unless_told_otherwise) {
  const auto grace = [](std::vector<std::string> more) {
    std::vector<std::string> words{"head", "--listen", "h:1"};
    words.insert(words.end(), more.begin(), more.end());
    return parsed<head_request>(words).liveness.head_grace;
  };
  EXPECT_EQ(grace({}), std::chrono::minutes{10});
  EXPECT_EQ(grace({"--head-grace", "1m"}), std::chrono::minutes{1});
  EXPECT_EQ(grace({"--head-grace", "0"}), std::chrono::seconds{0});
  EXPECT_TRUE(parsed<head_request>({"head", "--listen", "h:1", "--standby"}).stands_by);

  const auto why = parse({"head", "--listen", "h:1", "--standby", "--head-grace", "0"});
  ASSERT_FALSE(why);
  EXPECT_THAT(why.error().detail, HasSubstr("--standby does not go with --head-grace 0"));
}

TEST(command_line, reads_head) {
  auto x = parsed<head_request>({"head", "--listen", "0.0.0.0:7700", "--storage", "/srv", "--work",
                                 "w", "--cluster", "lab", "--no-local", "--cpus", "2.5", "--custom",
                                 "licence=1"});
  EXPECT_EQ(to_text(x.listen), "0.0.0.0:7700");
  EXPECT_EQ(x.storage, "/srv");
  EXPECT_EQ(x.work, "w");
  EXPECT_EQ(x.cluster, "lab");
  EXPECT_FALSE(x.local);
  EXPECT_EQ(x.offers.cpus, 2.5);
  EXPECT_EQ(x.offers.custom.at("licence"), amount::of(1));

  x = parsed<head_request>({"head", "--listen", "h:1"});
  EXPECT_EQ(x.storage, "results");
  EXPECT_TRUE(x.local);
  EXPECT_THAT(parse({"head"}).error().detail, HasSubstr("head needs --listen HOST:PORT"));
}

TEST(command_line, reads_run) {
  auto x = parsed<run_request>({"run", "a.ini"});
  EXPECT_EQ(x.file, "a.ini");
  EXPECT_FALSE(x.dry_run);
  EXPECT_FALSE(x.strict);
  EXPECT_THAT(x.overrides, ElementsAre());

  x = parsed<run_request>({"run", "--dry-run", "--resume", "--strict", "a.ini"});
  EXPECT_TRUE(x.dry_run);
  EXPECT_EQ(x.resume, resume_mode::automatic);
  EXPECT_TRUE(x.strict);
  EXPECT_EQ(x.file, "a.ini");
}

TEST(command_line, reads_how_to_resume) {
  EXPECT_EQ(parsed<run_request>({"run", "a.ini"}).resume, std::nullopt);
  EXPECT_EQ(parsed<run_request>({"run", "a.ini", "--resume=errored_only"}).resume,
            resume_mode::errored_only);
  auto x = parsed<resume_request>(
      {"resume", "dir", "--mode", "restart_errored", "--strict", "--experiment.num_samples", "9"});
  EXPECT_EQ(x.directory, "dir");
  EXPECT_EQ(x.mode, resume_mode::restart_errored);
  EXPECT_TRUE(x.strict);
  EXPECT_THAT(x.overrides, ElementsAre(named_text{"experiment.num_samples", "9"}));
  EXPECT_EQ(parsed<resume_request>({"resume", "dir"}).mode, resume_mode::automatic);
  EXPECT_THAT(parse({"run", "a.ini", "--resume=errored"}).error().detail,
              HasSubstr("--resume is one of auto, errored_only, restart_errored"));
  EXPECT_THAT(parse({"run", "a.ini", "--resume", "--resume=auto"}).error().detail,
              HasSubstr("--resume is given more than once"));
}

TEST(command_line, reads_a_choice_in_capitals_as_well) {
  for (const auto* word : {"PENDING", "pending", "Pending"})
    EXPECT_EQ(parsed<trials_request>({"trials", "dir", "--status", word}).status,
              trial_status::pending);
  EXPECT_THAT(parse({"trials", "dir", "--status", "GONE"}).error().detail, HasSubstr("not 'GONE'"));
}

TEST(command_line, reads_what_clients_want) {
  using op = control_request::op;
  auto x = parsed<client_command>({"stop", "dir", "3", "00017"});
  EXPECT_EQ(x.what, op::stop);
  EXPECT_EQ(x.directory, "dir");
  EXPECT_THAT(x.trials, ElementsAre(trial_id{3}, trial_id{17}));
  EXPECT_THAT(parsed<client_command>({"pause", "dir"}).trials, ElementsAre());
  EXPECT_EQ(parsed<client_command>({"unpause", "dir", "1"}).what, op::unpause);
  EXPECT_TRUE(parsed<client_command>({"retry", "dir", "1", "--from-scratch"}).from_scratch);
  EXPECT_THAT(parse({"retry", "dir"}).error().detail, HasSubstr("retry needs TRIAL"));
  EXPECT_THAT(parse({"stop", "dir", "x"}).error().detail, HasSubstr("TRIAL is a whole number"));
  EXPECT_THAT(parse({"status", "dir", "3"}).error().detail, HasSubstr("one argument too many"));
}

TEST(command_line, reads_configurations_to_add) {
  auto x = parsed<client_command>({"add", "dir", "lr=0.1", "note=a=b", "--key", "k"});
  EXPECT_EQ(x.what, control_request::op::add);
  EXPECT_THAT(x.values, ElementsAre(named_text{"lr", "0.1"}, named_text{"note", "a=b"}));
  EXPECT_EQ(x.key, "k");
  EXPECT_EQ(parsed<client_command>({"add", "dir", "--config", "{}"}).config, "{}");
  EXPECT_THAT(parse({"add", "dir", "lr"}).error().detail, HasSubstr("is not NAME=VALUE"));
  EXPECT_THAT(parse({"add", "dir", "lr=1", "--config", "{}"}).error().detail,
              HasSubstr("either NAME=VALUE or --config"));
}

TEST(command_line, reads_logs) {
  auto x = parsed<logs_request>({"logs", "dir", "42", "-f", "--stderr"});
  EXPECT_EQ(x.trial, trial_id{42});
  EXPECT_TRUE(x.follow);
  EXPECT_TRUE(x.errors);
  EXPECT_EQ(parsed<logs_request>({"logs", "dir"}).trial, std::nullopt);
  EXPECT_THAT(parse({"logs", "dir", "--stderr"}).error().detail, HasSubstr("--stderr needs"));
  EXPECT_THAT(parse({"logs", "dir", "1", "2"}).error().detail, HasSubstr("one argument too many"));
}

TEST(command_line, reads_overrides_in_order_and_as_written) {
  auto x = parsed<run_request>({"run", "--experiment.seed", "-1", "a.ini",
                                "--space.lr=uniform(0, 1)", "--space.a.b", "x=y", "--c.d="});

  EXPECT_EQ(x.file, "a.ini");
  EXPECT_THAT(x.overrides, ElementsAre(named_text{"experiment.seed", "-1"},
                                       named_text{"space.lr", "uniform(0, 1)"},
                                       named_text{"space.a.b", "x=y"}, named_text{"c.d", ""}));
}

TEST(command_line, reads_overrides_before_the_command_and_of_config) {
  EXPECT_THAT(parsed<run_request>({"--a.b", "run", "run", "f"}).overrides,
              ElementsAre(named_text{"a.b", "run"}));
  EXPECT_THAT(parsed<config_request>({"config", "check", "f", "--a.b", "1"}).overrides,
              ElementsAre(named_text{"a.b", "1"}));
}

TEST(command_line, takes_words_behind_two_dashes_as_they_are) {
  EXPECT_EQ(parsed<run_request>({"run", "--", "--a.b"}).file, "--a.b");
}

TEST(command_line, reads_trials) {
  auto x = parsed<trials_request>({"trials", "dir", "--why", "00042", "--status", "errored",
                                   "--sort", "lr", "--reverse", "--limit", "10"});
  EXPECT_EQ(x.directory, "dir");
  EXPECT_EQ(x.why, trial_id{42});
  EXPECT_EQ(x.status, trial_status::errored);
  EXPECT_EQ(x.sort, "lr");
  EXPECT_TRUE(x.reverse);
  EXPECT_EQ(x.limit, 10u);

  EXPECT_EQ(parsed<trials_request>({"trials", "dir", "--policy", "3"}).policy, trial_id{3});
  x = parsed<trials_request>({"trials", "dir"});
  EXPECT_EQ(x.why, std::nullopt);
  EXPECT_EQ(x.status, std::nullopt);
  EXPECT_EQ(x.sort, "trial");
  EXPECT_EQ(x.limit, std::nullopt);
}

TEST(command_line, reads_every_status) {
  using enum trial_status;
  const std::pair<std::string, trial_status> all[] = {{"pending", pending},
                                                      {"running", running},
                                                      {"paused", paused},
                                                      {"terminated", terminated},
                                                      {"errored", errored}};
  for (const auto& [name, status] : all)
    EXPECT_EQ(parsed<trials_request>({"trials", "d", "--status", name}).status, status);
}

TEST(command_line, reads_the_small_commands) {
  using part = list_request::part;
  EXPECT_EQ(parsed<list_request>({"list", "searchers"}).what, part::searchers);
  EXPECT_EQ(parsed<list_request>({"list", "schedulers"}).what, part::schedulers);
  EXPECT_EQ(parsed<list_request>({"list", "trainables"}).what, part::trainables);
  EXPECT_EQ(parsed<list_request>({"list", "sinks"}).what, part::sinks);
  EXPECT_EQ(parsed<list_request>({"list", "experiments"}).storage, "results");
  EXPECT_EQ(parsed<list_request>({"list", "experiments", "d"}).storage, "d");
  EXPECT_EQ(parsed<rerun_request>({"rerun", "d", "7"}).trial, trial_id{7});
  EXPECT_EQ(parsed<compare_request>({"compare", "a", "b", "c"}).directories.size(), 3u);
  EXPECT_EQ(parsed<attach_request>({"attach", "x", "--head", "h:1"}).head.first.port, 1u);
  using action = config_request::action;
  EXPECT_EQ(parsed<config_request>({"config", "check", "f"}).what, action::check);
  EXPECT_EQ(parsed<config_request>({"config", "explain", "f"}).what, action::explain);
  EXPECT_EQ(parsed<config_request>({"config", "print", "f"}).file, "f");
  using shell = completion_request::shell;
  EXPECT_EQ(parsed<completion_request>({"completion", "bash"}).what, shell::bash);
  EXPECT_EQ(parsed<completion_request>({"completion", "fish"}).what, shell::fish);
  (void)parsed<version_request>({"version"});
  (void)parsed<version_request>({"--version"});
  EXPECT_EQ(parsed<help_request>({"help"}).topic, "");
  EXPECT_EQ(parsed<help_request>({"help", "run"}).topic, "run");
}

TEST(command_line, reads_certs) {
  using action = certs_request::action;
  auto x = parsed<certs_request>({"certs", "init"});
  EXPECT_EQ(x.what, action::init);
  EXPECT_EQ(x.directory, "");
  EXPECT_EQ(x.lifetime, std::chrono::days{825});
  EXPECT_FALSE(x.force);

  x = parsed<certs_request>({"certs", "init", "--cluster", "lab", "--certs", "c", "--days=30"});
  EXPECT_EQ(x.cluster, "lab");
  EXPECT_EQ(x.directory, "c");
  EXPECT_EQ(x.lifetime, std::chrono::days{30});

  x = parsed<certs_request>(
      {"certs", "issue", "w1", "--out", "o", "--host", "w1.lab,10.0.0.7,::1", "--force"});
  EXPECT_EQ(x.what, action::issue);
  EXPECT_EQ(x.subject, "w1");
  EXPECT_EQ(x.out, "o");
  EXPECT_THAT(x.hosts, ElementsAre("w1.lab", "10.0.0.7", "::1"));
  EXPECT_TRUE(x.force);

  EXPECT_EQ(parsed<certs_request>({"certs", "show"}).what, action::show);
  EXPECT_EQ(parsed<certs_request>({"certs", "show", "a.pem"}).subject, "a.pem");
}

TEST(command_line, help_wins_over_what_is_missing) {
  EXPECT_EQ(parsed<help_request>({"run", "--help"}).topic, "run");
  EXPECT_FALSE(parsed<help_request>({"run", "-h"}).all);
  EXPECT_TRUE(parsed<help_request>({"--help-all"}).all);
  EXPECT_EQ(parsed<help_request>({"-h"}).topic, "");
  EXPECT_EQ(parsed<help_request>({"config", "chekc", "--help-all"}).topic, "config");
}

TEST(command_line, reads_global_options_before_and_behind_the_command) {
  auto x = whole({"--output", "json", "-v", "trials", "d", "--color=never", "-vq"});
  EXPECT_EQ(x.output, output_format::json);
  EXPECT_EQ(x.color, color_mode::never);
  EXPECT_TRUE(x.quiet);
  EXPECT_EQ(x.verbosity, 2);

  x = whole({"-o", "csv", "trials", "d"});
  EXPECT_EQ(x.output, output_format::csv);
  EXPECT_EQ(x.color, color_mode::automatic);

  x = whole({"trials", "d"});
  EXPECT_EQ(x.output, std::nullopt);
  EXPECT_FALSE(x.quiet);
  EXPECT_EQ(x.verbosity, 0);
}

struct wrong_line {
  words all;
  /// The first line.
  std::string said;
};

TEST(command_line, says_what_has_the_wrong_shape) {
  const wrong_line lines[] = {
      {{}, "which command?"},
      {{"rnu", "a.ini"}, "unknown command 'rnu'; did you mean 'run'?"},
      {{"xyzzy"}, "unknown command 'xyzzy'"},
      {{"\x1b[2J"}, "unknown command '\\x1b[2J'"},
      {{"--outptu", "json", "trials"}, "unknown option '--outptu'; did you mean '--output'?"},
      {{"run"}, "run needs FILE"},
      {{"run", "a", "b"}, "one argument too many: 'b'"},
      {{"run", "a", "--dry-rnu"}, "unknown option '--dry-rnu'; did you mean '--dry-run'?"},
      {{"run", "a", "--dry"}, "unknown option '--dry'; did you mean '--dry-run'?"},
      {{"run", "a", "--dry-run=1"}, "--dry-run takes no value"},
      {{"run", "a", "--a.b"}, "--a.b: its value is missing"},
      {{"run", "a", "--a.b", "--c.d", "1"}, "--a.b: its value is missing"},
      {{"run", "a", "--a.b", "-q"}, "--a.b: its value is missing"},
      {{"run", "a", "-x"}, "unknown option '-x'"},
      {{"trials"}, "trials needs DIR"},
      {{"trials", "d", "--a.b", "1"}, "unknown option '--a.b'; trials takes no --section.key"},
      {{"trials", "d", "--why", "x"}, "--why is a whole number from 0, not 'x'"},
      {{"trials", "d", "--policy", "x"}, "--policy is a whole number from 0, not 'x'"},
      {{"trials", "d", "--why", "-1"}, "--why is a whole number from 0, not '-1'"},
      {{"trials", "d", "--limit", "-1"}, "--limit is a whole number from 0, not '-1'"},
      {{"trials", "d", "--scope", "first"},
       "--scope is one of best, last, avg, last-5-avg, last-10-avg, min, max, not 'first'"},
      {{"trials", "d", "--failed", "--why", "1"},
       "--failed goes with neither --why, --policy, --pareto nor --columns"},
      {{"run", "a.ini", "--yes"}, "--yes is for --overwrite"},
      {{"run", "a.ini", "--overwrite", "--resume"}, "either --overwrite or --resume"},
      {{"run", "a.ini", "--overwrite", "--head", "h:1"},
       "--overwrite is for experiments of this machine: a head's are removed where it runs"},
      {{"compare", "a"}, "compare needs another DIR"},
      {{"attach", "x"}, "attach needs --head HOST:PORT"},
      {{"rerun", "d", "best"}, "TRIAL is a whole number from 0, not 'best'"},
      {{"list", "sinks", "results"}, "one argument too many: 'results'"},
      {{"trials", "d", "--limit"}, "--limit needs a value"},
      {{"trials", "d", "--status", "error"},
       "--status is one of pending, running, paused, terminated, errored, not 'error'; did you "
       "mean 'errored'?"},
      {{"trials", "d", "--output", "xml"}, "--output is one of table, json, jsonl, csv, not 'xml'"},
      {{"trials", "d", "-o", "csv", "-o", "json"}, "--output is given more than once"},
      {{"list"}, "list needs searchers|schedulers|stoppers|trainables|sinks|experiments"},
      {{"list", "searcher"},
       "the argument of list is one of searchers, schedulers, stoppers, trainables, sinks, "
       "experiments, not "
       "'searcher'; did you mean 'searchers'?"},
      {{"config", "check"}, "config needs FILE"},
      {{"certs"}, "certs needs init|issue|show|rotate|revoke|token"},
      {{"certs", "isue", "w1"},
       "the argument of certs is one of init, issue, show, rotate, revoke, token, not 'isue'; did "
       "you mean 'issue'?"},
      {{"certs", "token", "--uses", "10001"}, "--uses is at most 10000"},
      {{"certs", "revoke"}, "certs revoke needs NAME, or the FILE of a certificate"},
      {{"certs", "issue"}, "certs issue needs NAME"},
      {{"certs", "issue", "a b"}, "'a b' cannot be the name of a node"},
      {{"certs", "init", "w1"}, "one argument too many: 'w1'"},
      {{"certs", "init", "--cluster", ""}, "'' cannot be the name of a cluster"},
      {{"certs", "init", "--host", "a,"}, "--host: '' is neither a host name nor an address"},
      {{"certs", "init", "--host", "a,DNS:b"},
       "--host: 'DNS:b' is neither a host name nor an address"},
      {{"certs", "init", "--certs="}, "--certs needs a value"},
      {{"certs", "init", "--out", "o"}, "--out is for certs issue and certs rotate"},
      {{"certs", "issue", "w1", "--cluster", "c"}, "--cluster is for certs init"},
      {{"certs", "issue", "w1", "--days", "0"}, "--days is a whole number from 1, not '0'"},
      {{"certs", "issue", "w1", "--days", "3654"}, "--days is at most 3653, the days of a CA"},
      {{"certs", "show", "--force"}, "--force is for certs init and certs issue"},
      {{"certs", "show", "x", "--certs", "d"}, "certs show takes either a path or --certs"},
      {{"help", "rum"}, "no command 'rum'; did you mean 'run'?"},
      {{"completion", "tcsh"}, "the argument of completion is one of bash, zsh, fish, not 'tcsh'"},
  };
  for (const auto& x : lines) {
    auto result = parse(x.all);
    ASSERT_FALSE(result) << testing::PrintToString(x.all);
    EXPECT_THAT(result.error().detail, StartsWith(x.said + "\nusage: "));
    EXPECT_THAT(result.error().detail, HasSubstr("\nusage: tune-node "));
    EXPECT_THAT(result.error().detail, HasSubstr("--help"));
  }
}

TEST(command_line, names_the_usage_of_the_command_in_question) {
  auto result = parse({"trials"});
  ASSERT_FALSE(result);
  EXPECT_EQ(
      result.error().detail,
      "trials needs DIR\n"
      "usage: tune-node trials DIR [--why TRIAL] [--policy TRIAL] [--status STATUS] [--failed] "
      "[--pareto] [--sort KEY] [--reverse] [--scope SCOPE] [--columns NAME,...] [--limit N] "
      "[--head HOST:PORT]\n"
      "see: tune-node trials --help");
}

TEST(command_line, reads_the_arguments_of_main) {
  const char* argv[] = {"tune-node", "list", "sinks"};
  auto result = parse(3, argv);
  ASSERT_TRUE(result);
  EXPECT_TRUE(std::holds_alternative<list_request>(result->what));
  EXPECT_FALSE(parse(0, argv));
}

} // namespace
} // namespace tune::cli
