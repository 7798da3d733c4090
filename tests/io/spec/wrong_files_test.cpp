/// Wrong configurations, one per row: the fault must name the right line, the key, and the remedy.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/spec/spec_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

using namespace tune;
using testing::AllOf;
using testing::HasSubstr;

namespace {

struct wrong_file {
  const char* name;
  /// The whole text; or, after a leading '+', what is appended to the small configuration.
  std::string text;
  /// Line of the first fault; `small` has six lines. 0: the file as a whole.
  std::size_t line;
  const char* section;
  const char* key;
  /// Texts that the message must contain.
  std::vector<const char*> says;

  friend void PrintTo(const wrong_file& x, std::ostream* to) { *to << x.name; }
};

std::string without(std::string_view line) {
  std::string text{support::small};
  return text.erase(text.find(line), line.size());
}

std::string with(std::string_view line, std::string_view instead) {
  std::string text{support::small};
  return text.replace(text.find(line), line.size(), instead);
}

/// More dots than a name may have.
const std::string deep = [] {
  std::string result;
  for (int i = 0; i < 100; ++i)
    result += ".b";
  return result;
}();

const wrong_file wrong_files[] = {
    // Lines that are no keys, and faults of the file as a whole.
    {"empty", "", 0, "", "", {"is empty", "[experiment] metric"}},
    {"bound_of_a_single_run",
     with("[trainable]\n", "confirm = 2\nconfirm_runs = 1\n[search]\n"
                           "repeat_judge = lower_bound\n[trainable]\n"),
     4,
     "experiment",
     "confirm_runs",
     {"confirm_runs = 1", "at least 2"}},
    {"option_of_a_scheduler_that_is_not_chosen",
     "+[scheduler]\ngrace_period = 3\n",
     8,
     "scheduler",
     "grace_period",
     {"\"grace_period\" is not a known option", "; type = halving has it"}},
    {"misspelt_type_of_the_searcher",
     "+[search]\ntyp = any\n",
     8,
     "search",
     "typ",
     {"\"typ\" is not a known option", "; did you mean type of [search]?"}},
    {"bundles_that_are_words",
     "+[resources]\nbundles = x y\n",
     8,
     "resources",
     "bundles",
     {"bundles = x y: not JSON at byte 1"}},
    {"part_of_a_device_too_much",
     "+[resources]\ngpu = 1.5\n",
     8,
     "resources",
     "gpu",
     {"gpu = 1.5: above 1 it must be whole"}},
    {"negative_time",
     with("[trainable]\n", "time_limit = -1\n[trainable]\n"),
     3,
     "experiment",
     "time_limit",
     {"time_limit = -1: must be a duration of 0 or more"}},
    {"only_comments", "# nothing\n\n", 0, "", "", {"has no sections"}},
    {"only_a_section",
     "[experiment]\n",
     1,
     "experiment",
     "metric",
     {"metric is missing", "metric = accuracy"}},
    {"nul",
     std::string{"[experiment]\nname = a\0b\n", 24},
     2,
     "experiment",
     "",
     {"NUL", "column 9"}},
    {"utf16", std::string{"\xFF\xFE[\0e\0\n", 7}, 1, "", "", {"UTF-8"}},
    {"latin1", "[experiment]\nname = \xE9t\xE9\n", 2, "experiment", "", {"0xe9", "UTF-8"}},
    {"escape_sequence", "[experiment]\nname = \x1b[2J\n", 2, "experiment", "", {"0x1b"}},
    {"semicolon_line", "; hello\n[experiment]\n", 1, "", "", {"';'", "'#'"}},
    {"semicolon_behind_a_value",
     "+[failure]\nmax_failures = 3 ; three\n",
     8,
     "failure",
     "max_failures",
     {"max_failures", "';' does not start a comment", "#"}},
    {"unclosed_section", "[experiment\nmetric = a\n", 1, "", "", {"[experiment", "']'"}},
    {"key_behind_a_section", "[search] type = any\n", 1, "", "", {"line of its own"}},
    {"missing_equals", "+[failure]\nmax_failures 3\n", 8, "failure", "max_failures 3", {"'='"}},
    {"missing_key", "+[failure]\n= 3\n", 8, "failure", "", {"key before '='"}},
    {"blank_in_a_key",
     "+[failure]\nmax failures = 3\n",
     8,
     "failure",
     "max failures",
     {"no blanks"}},
    {"before_any_section",
     "metric = accuracy\n[experiment]\n",
     1,
     "",
     "metric",
     {"before any [section]"}},
    {"unknown_section", "+[shceduler]\ntype = first\n", 7, "", "", {"[shceduler]", "[scheduler]?"}},
    {"strange_section", "+[zzzzzzzzzz]\n", 7, "", "", {"known: experiment, trainable, space"}},
    {"empty_section", "+[]\n", 7, "", "", {"unknown section []"}},
    {"section_in_capitals", "+[Failure]\n", 7, "", "", {"[failure]?"}},
    {"unknown_key",
     "+[failure]\nmax_failure = 3\n",
     8,
     "failure",
     "max_failure",
     {"\"max_failures\"?"}},
    {"key_in_capitals",
     "+[failure]\nMAX_FAILURES = 3\n",
     8,
     "failure",
     "MAX_FAILURES",
     {"\"max_failures\"?"}},
    {"key_of_another_section",
     "+[failure]\nnum_samples = 3\n",
     8,
     "failure",
     "num_samples",
     {"belongs to [experiment]"}},
    {"strange_key",
     "+[checkpoint]\nqqqqqqq = 3\n",
     8,
     "checkpoint",
     "qqqqqqq",
     {"known: frequency, at_end"}},
    {"key_twice",
     "+[failure]\nmax_failures = 3\n[failure]\nmax_failures = 4\n",
     10,
     "failure",
     "max_failures",
     {"line 8"}},
    {"parameter_twice", "+lr = 3\n", 7, "space", "lr", {"line 6"}},

    // [experiment]
    {"no_metric", without("metric = accuracy\n"), 1, "experiment", "metric", {"metric is missing"}},
    {"empty_metric", with("accuracy", ""), 2, "experiment", "metric", {"metric"}},
    {"metric_mode",
     with("accuracy", "a:max, b:maximum"),
     2,
     "experiment",
     "metric",
     {"b:maximum", "min, max"}},
    {"metric_twice", with("accuracy", "a, b, a"), 2, "experiment", "metric", {"\"a\"", "twice"}},
    {"constraint_without_number",
     with("metric = accuracy\n", "metric = accuracy\nconstraints = latency <= fast\n"),
     3,
     "experiment",
     "constraints",
     {"latency <= fast", "column 12", "a number"}},
    {"constraint_of_equality",
     with("metric = accuracy\n", "metric = accuracy\nconstraints = latency == 3\n"),
     3,
     "experiment",
     "constraints",
     {"latency == 3", "<=, <, >= and >"}},
    {"metric_between_commas", with("accuracy", "a,,b"), 2, "experiment", "metric", {"missing"}},
    {"mode",
     with("metric = accuracy\n", "metric = a\nmode = maximise\n"),
     3,
     "experiment",
     "mode",
     {"mode = maximise", "one of: min, max"}},
    {"negative_samples",
     with("metric = accuracy\n", "metric = a\nnum_samples = -1\n"),
     3,
     "experiment",
     "num_samples",
     {"num_samples = -1", ">= 0"}},
    {"fractional_samples",
     with("metric = accuracy\n", "num_samples = 1.5\nmetric = a\n"),
     2,
     "experiment",
     "num_samples",
     {"num_samples = 1.5"}},
    {"huge_seed",
     with("metric = accuracy\n", "seed = 99999999999999999999\nmetric = a\n"),
     2,
     "experiment",
     "seed",
     {"seed"}},
    {"hex_seed",
     with("metric = accuracy\n", "seed = 0x10\nmetric = a\n"),
     2,
     "experiment",
     "seed",
     {"seed = 0x10"}},
    {"unit_of_time",
     with("metric = accuracy\n", "time_limit = 2 weeks\nmetric = a\n"),
     2,
     "experiment",
     "time_limit",
     {"time_limit = 2 weeks", "10m"}},
    {"unit_of_time_twice",
     with("metric = accuracy\n", "time_limit = 1h1h\nmetric = a\n"),
     2,
     "experiment",
     "time_limit",
     {"time_limit = 1h1h", "1h30m"}},
    {"endless_time",
     with("metric = accuracy\n", "time_limit = 1e30\nmetric = a\n"),
     2,
     "experiment",
     "time_limit",
     {"time_limit"}},
    {"name_with_a_slash",
     with("metric = accuracy\n", "name = a/b\nmetric = a\n"),
     2,
     "experiment",
     "name",
     {"name = a/b", "'/'"}},
    {"name_of_dots",
     with("metric = accuracy\n", "name = ..\nmetric = a\n"),
     2,
     "experiment",
     "name",
     {"name = ..", "not beginning with '.' or '-'"}},
    {"hidden_name",
     with("metric = accuracy\n", "name = .x\nmetric = a\n"),
     2,
     "experiment",
     "name",
     {"name = .x", "not beginning with '.' or '-'"}},
    {"name_like_an_option",
     with("metric = accuracy\n", "name = -x\nmetric = a\n"),
     2,
     "experiment",
     "name",
     {"name = -x", "not beginning with '.' or '-'"}},
    {"name_with_a_sign_that_turns_letters_round",
     with("metric = accuracy\n", "name = y\u202ex\nmetric = a\n"),
     2,
     "experiment",
     "name",
     {"no control characters"}},
    {"no_storage",
     with("metric = accuracy\n", "storage =\nmetric = a\n"),
     2,
     "experiment",
     "storage",
     {"storage is empty"}},
    {"storage_at_an_address",
     with("metric = accuracy\n", "storage = s3://b/x\nmetric = a\n"),
     2,
     "experiment",
     "storage",
     {"s3://b/x is an address", "[sinks] s3 = s3://b/x keeps a copy"}},

    // [trainable]
    {"nothing_to_run",
     without("command = /bin/echo {lr}\n"),
     3,
     "trainable",
     "command",
     {"command, name, path"}},
    {"no_trainable",
     "[experiment]\nmetric = a\n",
     0,
     "trainable",
     "command",
     {"command, name, path"}},
    {"two_kinds",
     with("[space]", "path = x.csv\n[space]"),
     5,
     "trainable",
     "path",
     {"path", "command"}},
    {"kind",
     with("[space]", "kind = script\n[space]"),
     5,
     "trainable",
     "kind",
     {"kind = script", "command, function, class, table"}},
    {"kind_without_its_key",
     with("command = /bin/echo {lr}", "kind = function"),
     4,
     "trainable",
     "kind",
     {"name is missing"}},
    {"kind_with_another_key",
     with("[space]", "kind = table\npath = /\n[space]"),
     4,
     "trainable",
     "command",
     {"no meaning for kind = table"}},
    {"missing_table",
     with("command = /bin/echo {lr}", "path = curves.csv"),
     4,
     "trainable",
     "path",
     {"/nowhere/curves.csv", "does not exist"}},
    {"table_that_is_a_directory",
     with("command = /bin/echo {lr}", "path = /tmp"),
     4,
     "trainable",
     "path",
     {"\"/tmp\" is a directory"}},
    {"table_without_an_end",
     with("command = /bin/echo {lr}", "path = /dev/zero"),
     4,
     "trainable",
     "path",
     {"\"/dev/zero\" is no regular file"}},
    {"table_of_nothing",
     with("command = /bin/echo {lr}", "path = /dev/null"),
     4,
     "trainable",
     "path",
     {"\"/dev/null\" is no regular file"}},
    {"missing_program",
     with("/bin/echo", "./train"),
     4,
     "trainable",
     "command",
     {"\"/nowhere/train\" does not exist"}},
    {"program_that_is_a_directory",
     with("/bin/echo", "/tmp"),
     4,
     "trainable",
     "command",
     {"\"/tmp\" is a directory"}},
    {"program_that_is_none",
     with("/bin/echo", "/etc/passwd"),
     4,
     "trainable",
     "command",
     {"\"/etc/passwd\"", "executed"}},
    {"objective_that_nothing_reads",
     with("[space]", "metric.accurcy = a=(.*)\n[space]"),
     2,
     "experiment",
     "metric",
     {"no metric.accuracy reads it", "\"accurcy\"?"}},
    {"expression_that_repeats_nothing",
     with("[space]", "metric.loss = a=(.*)\nreport_on = *\n[space]"),
     6,
     "trainable",
     "report_on",
     {"nothing stands before '*'"}},
    {"expression_for_a_function",
     with("command = /bin/echo {lr}", "name = f\nkind = function\nmetric.accuracy = a=(.*)"),
     6,
     "trainable",
     "metric.accuracy",
     {"no meaning for kind = function"}},
    {"missing_file",
     with("[space]", "files = / b.py\n[space]"),
     5,
     "trainable",
     "files",
     {"/nowhere/b.py", "does not exist"}},
    {"open_quote", with("{lr}", "'{lr}"), 4, "trainable", "command", {"quote '", "column 11"}},
    {"empty_command", with("/bin/echo {lr}", "''"), 4, "trainable", "command", {"command"}},
    {"unknown_placeholder", with("{lr}", "{lrr}"), 4, "trainable", "command", {"{lrr}", "{lr}?"}},
    {"open_group", with("{lr}", "[-l {lr}"), 4, "trainable", "command", {"not closed"}},
    {"comment_in_a_command", with("{lr}", "'#{lr}'"), 4, "trainable", "command", {"quote", "\\#"}},
    {"program_that_may_vanish",
     with("/bin/echo {lr}\n[space]\n", "{p}\n[space]\np = a if lr > 0.5\n"),
     4,
     "trainable",
     "command",
     {"inactive"}},
    {"name_of_the_runtime", "+trial_dir = 3\n", 7, "space", "trial_dir", {"rename"}},
    {"isolation",
     with("[space]", "isolation = docker\n[space]"),
     5,
     "trainable",
     "isolation",
     {"process, thread"}},
    {"reuse_of_a_command",
     with("[space]", "reuse_actors = true\n[space]"),
     5,
     "trainable",
     "reuse_actors",
     {"no meaning for kind = command", "isolation = process"}},
    {"reuse_of_a_thread",
     with("command = /bin/echo {lr}",
          "kind = function\nname = f\nisolation = thread\nreuse_actors = true"),
     7,
     "trainable",
     "reuse_actors",
     {"no meaning for isolation = thread"}},
    {"reuse_that_is_no_truth_value",
     with("[space]", "reuse_actors = 2\n[space]"),
     5,
     "trainable",
     "reuse_actors",
     {"true"}},
    {"ranks_that_are_none",
     with("[space]", "ranks = 0\n[space]"),
     5,
     "trainable",
     "ranks",
     {"ranks = 0", "from 1 to 1024, or bundles"}},
    {"ranks_without_as_many_bundles",
     with("[space]", "ranks = 3\n[resources]\nbundles = [{\"cpu\": 1}]\n[space]"),
     5,
     "trainable",
     "ranks",
     {"ranks = 3", "a trial has 2 bundles", "ranks = bundles"}},
    {"ranks_of_a_function",
     with("command = /bin/echo {lr}", "kind = function\nname = f\nranks = 2"),
     6,
     "trainable",
     "ranks",
     {"no meaning for kind = function", "a command"}},
    {"report",
     with("[space]", "report = lines\n[space]"),
     5,
     "trainable",
     "report",
     {"line, final", "\"line\""}},
    {"bad_expression",
     with("[space]", "metric.a = a = ([0-9\n[space]"),
     5,
     "trainable",
     "metric.a",
     {"metric.a", "ECMAScript"}},
    {"expression_without_a_group",
     with("[space]", "metric.a = a = [0-9]\n[space]"),
     5,
     "trainable",
     "metric.a",
     {"metric.a", "group"}},
    {"bad_report_on",
     with("[space]", "report_on = *\n[space]"),
     5,
     "trainable",
     "report_on",
     {"report_on"}},
    {"mistyped_family",
     with("[space]", "metrics.a = (a)\n[space]"),
     5,
     "trainable",
     "metrics.a",
     {"\"metric.a\"?"}},
    {"family_without_a_name",
     with("[space]", "env. = a\n[space]"),
     5,
     "trainable",
     "env.",
     {"env.", "a name must follow the dot: env.<"}},
    {"variable_with_a_dash",
     with("[space]", "env.MY-VAR = a\n[space]"),
     5,
     "trainable",
     "env.MY-VAR",
     {"letters, digits and underscores"}},
    {"variable_of_the_protocol",
     with("[space]", "env.TUNE_TRIAL_DIR = a\n[space]"),
     5,
     "trainable",
     "env.TUNE_TRIAL_DIR",
     {"belong to the runtime"}},
    {"output_cap",
     with("[space]", "output_cap = lots\n[space]"),
     5,
     "trainable",
     "output_cap",
     {"output_cap = lots", "2GiB"}},

    // [space]
    {"unknown_distribution", "+x = unifrom(0, 1)\n", 7, "space", "x", {"uniform"}},
    {"bounds_swapped", "+x = uniform(1, 0)\n", 7, "space", "x", {"x"}},
    {"logarithm_of_zero", "+x = loguniform(0, 1)\n", 7, "space", "x", {"x"}},
    {"grid_of_nothing", "+x = grid()\n", 7, "space", "x", {"x"}},
    {"choice_of_nothing", "+x = choice()\n", 7, "space", "x", {"x"}},
    {"open_parenthesis", "+x = uniform(0, 1\n", 7, "space", "x", {"x"}},
    {"condition_on_nobody",
     "+x = 1 if kernle == rbf\nkernel = choice(rbf, poly)\n",
     7,
     "space",
     "x",
     {"kernle", "kernel"}},
    {"condition_of_nothing", "+x = 1 if lr >\n", 7, "space", "x", {"x"}},
    {"cycle", "+a = 1 if b > 0\nb = 1 if a > 0\n", 7, "space", "a", {"b"}},
    {"prefix_of_another", "+a = 1\na.b = 1\n", 7, "space", "a", {"\"a.b\""}},
    {"cut_by_a_hash", "+c = choice(\"#fff\", x)\n", 7, "space", "c", {"\\#"}},

    // [resources]
    {"negative_cpu", "+[resources]\ncpu = -1\n", 8, "resources", "cpu", {"cpu = -1", "0 to"}},
    {"cpu_of_nan", "+[resources]\ncpu = nan\n", 8, "resources", "cpu", {"cpu = nan"}},
    {"fraction_above_one_gpu",
     "+[resources]\ngpu = 1.5\n",
     8,
     "resources",
     "gpu",
     {"gpu", "whole"}},
    {"negative_memory",
     "+[resources]\nmemory = -1GiB\n",
     8,
     "resources",
     "memory",
     {"memory = -1GiB", ">= 0"}},
    {"unit_of_memory", "+[resources]\nmemory = 2 gibibytes\n", 8, "resources", "memory", {"2GiB"}},
    {"custom",
     "+[resources]\ncustom.licence = many\n",
     8,
     "resources",
     "custom.licence",
     {"custom.licence = many", ">= 0"}},
    {"bundles",
     "+[resources]\nbundles = [{\"cpus\": 1}]\n",
     8,
     "resources",
     "bundles",
     {"number 1", "cpus", "cpu, gpu, memory"}},
    {"bundles_that_are_no_json",
     "+[resources]\nbundles = [{cpu: 1}]\n",
     8,
     "resources",
     "bundles",
     {"JSON"}},
    {"strategy", "+[resources]\nstrategy = wide\n", 8, "resources", "strategy", {"strict_spread"}},

    // [search], [scheduler], [stop]
    {"searcher", "+[search]\ntype = anny\n", 8, "search", "type", {"any, narrow", "\"any\"?"}},
    {"option_of_a_searcher",
     "+[search]\nportions = 3\n",
     8,
     "search",
     "portions",
     {"any", "\"portion\"?"}},
    {"range_of_an_option",
     "+[search]\nportion = 0\n",
     8,
     "search",
     "portion",
     {"portion = 0", ">= 1"}},
    {"listening_without_a_port",
     "+[cluster]\nlisten = nowhere\n",
     8,
     "cluster",
     "listen",
     {"listen: 'nowhere' is not HOST:PORT", "the port is missing"}},
    {"listening_at_no_port",
     "+[cluster]\nlisten = 0.0.0.0:99999\n",
     8,
     "cluster",
     "listen",
     {"'0.0.0.0:99999'", "the port is a number from 0 to 65535"}},
    {"metric_of_many_parts",
     "+[trainable]\nmetric.m" + deep + " = (1)\n",
     8,
     "trainable",
     "metric.m.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b…",
     {"at most 64 parts"}},
    {"objective_of_many_parts",
     with("metric = accuracy", "metric = m" + deep),
     2,
     "experiment",
     "metric",
     {"at most 64 parts"}},
    {"condition_on_a_metric_of_many_parts",
     "+[stop]\nwhen = m" + deep + " > 1\n",
     8,
     "stop",
     "when",
     {"column 1", "at most 64 parts"}},
    {"plateau_of_a_long_metric",
     "+[stop]\nplateau = " + std::string(1001, 'm') + " std 1\n",
     8,
     "stop",
     "plateau",
     {"at most 1000 bytes"}},
    {"batch_of_nobody_knows_how_many",
     "+[search]\nbatch = true\n",
     8,
     "search",
     "batch",
     {"max_pending", "1 or more"}},
    {"negative_number_under_way",
     "+[search]\nmax_pending = -1\n",
     8,
     "search",
     "max_pending",
     {"-1", "0"}},
    {"points", "+[search]\npoints = [{\"lr\": }]\n", 8, "search", "points", {"points", "JSON"}},
    {"point_that_says_a_thing_twice",
     "+[search]\npoints = [{\"lr\": 0.5, \"lr\": 0.25}]\n",
     8,
     "search",
     "points",
     {"\"lr\" stands twice"}},
    {"points_that_are_no_list",
     "+[search]\npoints = {\"lr\": 1}\n",
     8,
     "search",
     "points",
     {"list of objects"}},
    {"points_that_are_no_objects",
     "+[search]\npoints = [1]\n",
     8,
     "search",
     "points",
     {"list of objects"}},
    {"point_outside",
     "+[search]\npoints = [{\"lr\": 0.5}, {\"lr\": 2}]\n",
     8,
     "search",
     "points",
     {"number 2", "lr"}},
    {"point_of_nobody",
     "+[search]\npoints = [{\"momentum\": 2}]\n",
     8,
     "search",
     "points",
     {"number 1", "momentum"}},
    {"too_many_objectives",
     with("accuracy", "a, b") + "[search]\ntype = narrow\n",
     2,
     "experiment",
     "metric",
     {"narrow", "1 objective"}},
    {"no_conditions",
     "+x = 1 if lr > 0.5\n[search]\ntype = narrow\n",
     7,
     "space",
     "x",
     {"narrow", "conditional"}},
    {"scheduler",
     "+[scheduler]\ntype = median\n",
     8,
     "scheduler",
     "type",
     {"first, halving, pausing"}},
    {"option_of_another_scheduler",
     "+[scheduler]\ntype = first\ngrace_period = 2\n",
     9,
     "scheduler",
     "grace_period",
     {"first"}},
    {"options_that_contradict",
     "+[scheduler]\ntype = halving\ngrace_period = 200\n",
     9,
     "scheduler",
     "grace_period",
     {"at most max_t"}},
    {"stop_at_a_word",
     "+[stop]\ntraining_iteration = fifty\n",
     8,
     "stop",
     "training_iteration",
     {"training_iteration"}},
    {"stop_condition",
     "+[stop]\ntraining_iteration = 5\nwhen = accuracy >=\n",
     9,
     "stop",
     "when",
     {"when"}},

    // The rest.
    {"max_failures",
     "+[failure]\nmax_failures = -2\n",
     8,
     "failure",
     "max_failures",
     {"unlimited"}},
    {"fail_fast", "+[failure]\nfail_fast = maybe\n", 8, "failure", "fail_fast", {"true or false"}},
    {"backoff",
     "+[failure]\nbackoff = 1m\nmost_backoff = 1s\n",
     9,
     "failure",
     "most_backoff",
     {"at least backoff"}},
    {"frequency",
     "+[checkpoint]\nfrequency = often\n",
     8,
     "checkpoint",
     "frequency",
     {"frequency = often"}},
    {"policy", "+[cluster]\npolicy = best\n", 8, "cluster", "policy", {"pack, spread"}},
    {"cpus", "+[cluster]\ncpus = all\n", 8, "cluster", "cpus", {"cpus = all"}},
    {"kill_grace",
     "+[cluster]\nkill_grace = -1\n",
     8,
     "cluster",
     "kill_grace",
     {"kill_grace = -1"}},
    {"lost_after",
     "+[cluster]\nlost_after = 500ms\n",
     8,
     "cluster",
     "lost_after",
     {"lost_after = 500ms", "1s to 24h"}},
    {"head_grace",
     "+[cluster]\nhead_grace = 25h\n",
     8,
     "cluster",
     "head_grace",
     {"head_grace = 25h", "0, or 1s to 24h"}},
    {"scale_max",
     "+[cluster]\nscale_max = 0\n",
     8,
     "cluster",
     "scale_max",
     {"scale_max = 0", "1 to 10000"}},
    {"scale_min",
     "+[cluster]\nscale_min = 11\n",
     8,
     "cluster",
     "scale_min",
     {"scale_min = 11", "0 to scale_max, which is 10"}},
    {"scale_cooldown",
     "+[cluster]\nscale_cooldown = 0\n",
     8,
     "cluster",
     "scale_cooldown",
     {"scale_cooldown = 0", "1s to 24h"}},
    {"scale_idle",
     "+[cluster]\nscale_idle = 10ms\n",
     8,
     "cluster",
     "scale_idle",
     {"scale_idle = 10ms", "0 or 1s to 24h"}},
    {"scale_worker",
     "+[cluster]\nscale_worker = 4\n",
     8,
     "cluster",
     "scale_worker",
     {"scale_worker = 4", "JSON"}},
    {"level", "+[log]\nlevel = warn\n", 8, "log", "level", {"level = warn", "warning"}},
};

class wrong_files_test : public testing::TestWithParam<wrong_file> {};

TEST_P(wrong_files_test, are_refused_where_they_are_wrong) {
  auto x = GetParam();
  auto text = x.text.substr(0, 1) == "+" ? std::string{support::small} + x.text.substr(1) : x.text;

  auto uut = support::load_text(text);

  ASSERT_FALSE(uut);
  ASSERT_FALSE(uut.faults.empty());
  const auto& first = uut.faults.list().front();
  auto shown = to_text(uut.faults);
  EXPECT_EQ(first.at.where, support::ini_name);
  EXPECT_EQ(first.at.line, x.line) << shown;
  EXPECT_EQ(first.section, x.section) << shown;
  EXPECT_EQ(first.key, x.key) << shown;
  for (const auto* says : x.says)
    EXPECT_THAT(to_text(first), HasSubstr(says));
  EXPECT_LE(std::count(shown.begin(), shown.end(), '\n'), 7) << shown;
}

INSTANTIATE_TEST_SUITE_P(all, wrong_files_test, testing::ValuesIn(wrong_files),
                         [](const auto& x) { return std::string{x.param.name}; });

TEST(wrong_files, show_three_faults_and_count_the_rest) {
  auto uut = support::load_text("[experiment]\nmode = x\nseed = x\n[failure]\nfail_fast = x\n"
                                "backof = x\nmost_backoff = x\n[trainable]\ncommand = x\n");

  ASSERT_FALSE(uut);
  EXPECT_EQ(uut.faults.total(), 5u);
  EXPECT_THAT(to_text(uut.faults), testing::EndsWith("\nand 2 more"));
  EXPECT_EQ(to_error(uut.faults).code, ec::bad_option);
}

TEST(wrong_files, tell_several_faults_of_a_space_at_once) {
  auto uut = support::load_text(std::string{support::small} + "x = unifrom(0, 1)\ny = grid()\n");

  ASSERT_FALSE(uut);
  ASSERT_EQ(uut.faults.total(), 2u) << to_text(uut.faults);
  EXPECT_EQ(uut.faults.list()[0].at.line, 7u);
  EXPECT_EQ(uut.faults.list()[1].at.line, 8u);
}

TEST(wrong_files, have_no_more_parameters_than_the_limit) {
  std::string text{support::small};
  for (std::size_t i = 0; i < most_parameters; ++i)
    text += "x" + std::to_string(i) + " = 1\n";

  auto uut = support::load_text(text);

  ASSERT_FALSE(uut);
  ASSERT_EQ(uut.faults.total(), 1u) << to_text(uut.faults);
  EXPECT_EQ(uut.faults.list()[0].at.line, most_parameters + 6);
  EXPECT_THAT(to_text(uut.faults), HasSubstr("at most 10000 parameters"));
}

TEST(wrong_files, have_no_key_so_long_that_looking_at_it_takes_long) {
  std::string name = "a";
  for (int i = 0; i < 2'000'000; ++i)
    name += ".b";
  for (const auto* section : {"space", "stop", "search", "scheduler", "log"}) {
    auto uut
        = support::load_text(std::string{support::small} + "[" + section + "]\n" + name + " = 1\n");

    ASSERT_FALSE(uut);
    ASSERT_EQ(uut.faults.total(), 1u) << to_text(uut.faults);
    EXPECT_EQ(uut.faults.list()[0].at.line, 8u);
    EXPECT_THAT(to_text(uut.faults),
                testing::EndsWith("a name has at most 1000 bytes, not 4000001"));
  }
}

TEST(wrong_files, may_be_the_environment_and_the_command_line) {
  auto request = support::request();
  request.environment = {{"TUNE_SPACE_" + std::string(1001, 'a'), "1"}};
  request.overrides = {{"space.a" + deep, "1"}};

  auto uut = support::load_text(support::small, request);

  ASSERT_EQ(uut.faults.total(), 2u) << to_text(uut.faults);
  EXPECT_THAT(to_text(uut.faults.list()[0]), HasSubstr("not 1001"));
  EXPECT_THAT(to_text(uut.faults.list()[1]), HasSubstr("not 101"));
}

TEST(wrong_files, are_held_to_lines_where_they_are_no_files) {
  auto request = support::request();
  request.environment = {{"TUNE_EXPERIMENT_NAME", "a\n[trainable]\ncommand = rm"}};
  request.overrides = {{"trainable.env.A", "one\ntwo"}, {"experiment.storage", "\x1b[2J"}};

  auto uut = support::load_text(support::small, request);

  ASSERT_EQ(uut.faults.total(), 3u) << to_text(uut.faults);
  EXPECT_THAT(to_text(uut.faults),
              AllOf(HasSubstr("TUNE_EXPERIMENT_NAME"), HasSubstr("\"name\": a value is one line"),
                    HasSubstr("\"env.A\": a value is one line"),
                    HasSubstr("\"storage\": control character 0x1b in column 1")));
}

TEST(wrong_files, lose_blanks_around_values_wherever_these_come_from) {
  auto request = support::request();
  request.overrides = {{"experiment.name", " digits \t"}};

  auto uut = support::load_text(support::small, request);

  ASSERT_TRUE(uut) << to_text(uut.faults);
  EXPECT_EQ(uut.loaded->what.experiment.name, "digits");
}

TEST(wrong_files, have_no_more_keys_of_a_family_than_the_limit) {
  std::string text = std::string{support::small} + "[stop]\n";
  for (std::size_t i = 0; i < most_parameters + 2; ++i)
    text += "m" + std::to_string(i) + " = 1\n";

  auto uut = support::load_text(text);

  ASSERT_EQ(uut.faults.total(), 1u) << to_text(uut.faults);
  EXPECT_EQ(uut.faults.list()[0].at.line, most_parameters + 8);
  EXPECT_THAT(to_text(uut.faults), HasSubstr("at most 10000 keys <metric>"));
}

TEST(wrong_files, are_not_said_to_lack_what_could_not_be_read) {
  for (const auto& text : {std::string{},
                           std::string{"\x7f"
                                       "ELF\x02",
                                       5},
                           std::string{"\xFF\xFE[\0e\0\n", 7}}) {
    auto uut = support::load_text(text);
    EXPECT_FALSE(uut);
    EXPECT_TRUE(uut.warnings.empty()) << uut.warnings.front();
  }
}

TEST(wrong_files, are_shown_without_what_would_fool_a_terminal) {
  auto request = support::request();
  request.overrides = {{"experiment.mode", "\u202emin"}};

  auto uut = support::load_text(std::string{support::small} + "x\u202ey = 1 1\n", request);

  ASSERT_FALSE(uut);
  auto shown = to_text(uut.faults);
  EXPECT_THAT(shown, HasSubstr("x\\u202ey"));
  EXPECT_THAT(shown, HasSubstr("\\u202emin"));
  EXPECT_EQ(shown.find_first_of("\x1b\u202e"), shown.npos);
}

TEST(wrong_files, without_a_name_are_told_as_such) {
  auto uut = load_spec({}, support::request());

  ASSERT_FALSE(uut);
  EXPECT_EQ(to_text(uut.faults), "tune-node: the name of the INI file is empty");
}

TEST(wrong_files, name_a_path_that_cannot_be_read) {
  for (auto path : {std::string{"/nowhere/digits.ini"}, testing::TempDir()}) {
    auto uut = load_spec(path, support::request());
    ASSERT_FALSE(uut);
    ASSERT_EQ(uut.faults.total(), 1u);
    EXPECT_THAT(to_text(uut.faults), testing::StartsWith(path + ": "));
    EXPECT_EQ(to_error(uut.faults).code, ec::unreadable);
  }
}

} // namespace
