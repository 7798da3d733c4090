// SPDX-License-Identifier: BSD-3-Clause
#include "trainable_keys.hpp"

#include "family_checks.hpp"
#include "key_makers.hpp"
#include "tune/io/artifacts/artifact_rules.hpp"
#include "tune/io/spec/words.hpp"

#include <algorithm>
#include <cctype>

namespace tune {

namespace {

using namespace key_makers;

constexpr std::uint64_t most_ranks = 1024;

key_spec kind_key() {
  static const std::vector<std::string> kinds{"command", "function", "class", "table", "actor"};
  auto result = start({"trainable", "kind",
                       "how the code is written; needed only where the other keys do not tell"},
                      option_kind::text, "");
  result.rule.choices = kinds;
  result.write = [](const spec& x) {
    return x.trainable.kind ? kinds[static_cast<std::size_t>(*x.trainable.kind)] : std::string{};
  };
  result.read = [rule = result.rule](spec& x, const std::string& what) -> expected<void> {
    if (auto parsed = by_rule(rule, what); !parsed)
      return parsed.error();
    auto i = std::find(kinds.begin(), kinds.end(), what) - kinds.begin();
    x.trainable.kind = static_cast<trainable_kind>(i);
    return {};
  };
  return result;
}

key_spec files_key() {
  auto result
      = start({"trainable", "files",
               "what workers need besides what the command names, against the INI's directory"},
              option_kind::text, "paths, separated by blanks or commas; quotes as in sh");
  result.write = [](const spec& x) { return key_texts::words(x.trainable.files); };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    auto words = split_words(what, " \t,");
    if (!words)
      return refusal("files", what, words.error().detail);
    x.trainable.files.clear();
    for (auto& each : *words)
      x.trainable.files.push_back(std::move(each.text));
    return {};
  };
  return result;
}

/// `artifacts`: "all", "none" or patterns.
key_spec artifacts_key() {
  auto result = start({"trainable", "artifacts",
                       "files in a trial's directory that come back from workers to the head when "
                       "an attempt ends",
                       true},
                      option_kind::text,
                      "all, none, or patterns against the trial's directory, separated by blanks "
                      "or commas; quotes as in sh");
  result.write = [](const spec& x) { return key_texts::words(x.trainable.artifacts); };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    auto words = split_words(what, " \t,");
    if (!words)
      return refusal("artifacts", what, words.error().detail);
    std::vector<std::string> patterns;
    for (auto& each : *words) {
      if ((each.text == "all" || each.text == "none") && words->size() > 1)
        return refusal("artifacts", what,
                       each.text + " stands alone; a file of that name is ./" + each.text);
      if (auto fine = check_artifact_pattern(each.text); !fine)
        return refusal("artifacts", what, fine.error().detail);
      patterns.push_back(std::move(each.text));
    }
    if (patterns.empty())
      return refusal("artifacts", what, "must be all, none or patterns such as *.png, logs/");
    x.trainable.artifacts = std::move(patterns);
    return {};
  };
  return result;
}

/// Whether a text is safe as a file name anywhere and as part of a list.
bool is_format_name(const std::string& text) {
  auto fits
      = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  return !text.empty() && text.size() <= 64 && text[0] != '.'
         && std::all_of(text.begin(), text.end(), fits);
}

key_spec export_key() {
  auto result = start({"trainable", "export",
                       "formats that the trainable exports what it has learned in, at the end of "
                       "its trial",
                       true},
                      option_kind::text, "names, separated by blanks or commas");
  result.write = [](const spec& x) { return key_texts::words(x.trainable.exports); };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    auto words = split_words(what, " \t,");
    if (!words)
      return refusal("export", what, words.error().detail);
    std::vector<std::string> formats;
    for (auto& each : *words) {
      if (!is_format_name(each.text))
        return refusal("export", what,
                       "a format's name has letters, digits, '_', '-' and '.', and does not begin "
                       "with '.'; at most 64 characters");
      if (std::find(formats.begin(), formats.end(), each.text) != formats.end())
        return refusal("export", what, "\"" + each.text + "\" stands there twice");
      formats.push_back(std::move(each.text));
    }
    x.trainable.exports = std::move(formats);
    return {};
  };
  return result;
}

/// `ranks`: a number, or "bundles".
key_spec ranks_key() {
  static const std::string per_bundle = "bundles";
  auto result = start({"trainable", "ranks",
                       "processes of the command per trial, each in a bundle of its own and, where "
                       "that is, on another node; bundles: as many as [resources] bundles makes",
                       true},
                      option_kind::text, "number from 1 to 1024, or bundles");
  result.write = [](const spec& x) {
    return x.trainable.ranks == 0 ? per_bundle : std::to_string(x.trainable.ranks);
  };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    if (what == per_bundle) {
      x.trainable.ranks = 0;
      return {};
    }
    const auto number = parse_integer(what);
    if (!number || *number < 1 || *number > static_cast<std::int64_t>(most_ranks))
      return refusal("ranks", what, "must be a whole number from 1 to 1024, or bundles");
    x.trainable.ranks = static_cast<std::uint64_t>(*number);
    return {};
  };
  return result;
}

/// `pty`: "auto", "true" or "false".
key_spec pty_key() {
  static const std::vector<std::string> choices{"auto", "true", "false"};
  auto result = start({"trainable", "pty",
                       "whether the command's stdout is a terminal, so that it prints line by "
                       "line; auto: where metrics are read from lines and it is no Python",
                       true},
                      option_kind::text, "");
  result.rule.choices = choices;
  result.write
      = [](const spec& x) { return choices[x.trainable.pty ? (*x.trainable.pty ? 1 : 2) : 0]; };
  result.read = [rule = result.rule](spec& x, const std::string& what) -> expected<void> {
    if (auto parsed = by_rule(rule, what); !parsed)
      return parsed.error();
    x.trainable.pty.reset();
    if (what != choices[0])
      x.trainable.pty = what == choices[1];
    return {};
  };
  return result;
}

key_spec template_key() {
  auto result = start({"trainable", "template",
                       "files written into each trial's directory, their {parameter}s replaced"},
                      option_kind::text,
                      "pairs such as model.toml.in -> model.toml, separated by blanks or commas");
  result.write = [](const spec& x) { return template_pairs_text(x.trainable.templates); };
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    auto pairs = parse_template_pairs(what);
    if (!pairs)
      return refusal("template", what, pairs.error().detail);
    x.trainable.templates = std::move(*pairs);
    return {};
  };
  return result;
}

key_spec report_on_key() {
  auto result = text(
      {"trainable", "report_on", "lines that make a report; empty: those with the first objective"},
      "ECMAScript regular expression", TUNE_FIELD(trainable.report_on));
  result.read = [](spec& x, const std::string& what) -> expected<void> {
    if (auto checked = check_expression("report_on", what); !checked)
      return checked;
    x.trainable.report_on = what;
    return {};
  };
  return result;
}

} // namespace

void add_trainable_keys(std::vector<key_spec>& to) {
  to.push_back(kind_key());
  to.push_back(text({"trainable", "name", "a registered function, class or actor"}, "name",
                    TUNE_FIELD(trainable.name)));
  to.push_back(text({"trainable", "plugin",
                     "shared library with the function or class, against the INI's directory; goes "
                     "to workers with the other files"},
                    "path", TUNE_FIELD(trainable.plugin)));
  to.push_back(text({"trainable", "command", "program and arguments with {parameter}s; no shell"},
                    "words, quoted as in sh", TUNE_FIELD(trainable.command)));
  to.push_back(text({"trainable", "path",
                     "CSV file of recorded curves, against the INI's "
                     "directory"},
                    "path", TUNE_FIELD(trainable.path)));
  to.push_back(one_of({"trainable", "isolation", "where functions and classes run", true},
                      {"process", "thread"}, TUNE_FIELD(trainable.isolation)));
  to.push_back(boolean(
      {"trainable", "reuse_actors", "a process whose trial ended well serves further ones", true},
      TUNE_FIELD(trainable.reuse_actors)));
  to.push_back(files_key());
  to.push_back(bytes({"trainable", "max_files_size",
                      "most bytes of all files that go to workers together; 0 = no limit", true},
                     TUNE_FIELD(trainable.max_files_size)));
  to.push_back(artifacts_key());
  to.push_back(
      bytes({"trainable", "artifacts_max_size",
             "most bytes of one attempt's artifacts together, the smallest files first; 0 = "
             "no limit",
             true},
            TUNE_FIELD(trainable.artifacts_max_size)));
  to.push_back(integer(
      {"trainable", "artifacts_max_files", "most files of one attempt's artifacts", true},
      {1, static_cast<double>(max_artifact_files)}, TUNE_FIELD(trainable.artifacts_max_files)));
  to.push_back(template_key());
  to.push_back(one_of({"trainable", "report",
                       "line: each matching line of output is a report; "
                       "final: one report at the end"},
                      {"line", "final"}, TUNE_FIELD(trainable.report)));
  to.push_back(report_on_key());
  to.push_back(one_of({"trainable", "stream", "which output metrics are read from"},
                      {"stdout", "stderr", "both"}, TUNE_FIELD(trainable.stream)));
  to.push_back(pty_key());
  to.push_back(ranks_key());
  to.push_back(
      bytes({"trainable", "output_cap", "most bytes kept of each of stdout and stderr", true},
            TUNE_FIELD(trainable.output_cap)));
  to.push_back(export_key());
  to.push_back(duration({"trainable", "export_timeout",
                         "how long the exports of a trial may take; at least 1s", true},
                        TUNE_FIELD(trainable.export_timeout)));
  to.push_back(family({"trainable", "metric.",
                       "reads a metric from the command's output, or from a JSON file in the "
                       "trial's directory"},
                      "<name>",
                      "ECMAScript regular expression with {number} or a group, or "
                      "file:PATH:/POINTER",
                      TUNE_FIELD(trainable.metrics), check_metric_expression));
  to.push_back(family({"trainable", "env.", "environment variable of the command"}, "<NAME>",
                      "text with {parameter}s", TUNE_FIELD(trainable.env), check_variable));
}

} // namespace tune
