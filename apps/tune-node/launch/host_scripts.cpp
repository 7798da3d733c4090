// SPDX-License-Identifier: BSD-3-Clause
#include "launch/host_scripts.hpp"

#include "tune/core/shell_word.hpp"

#include <utility>

namespace tune::cli {

namespace {

/// Ends a file in the input of a worker; no line of a certificate is like it.
constexpr std::string_view end_of_file = ".";

/// Where programs lie that were copied, by their hash.
constexpr std::string_view programs = "${XDG_CACHE_HOME:-$HOME/.cache}/tune-node/programs";

std::string marked(const std::string& text) {
  return "echo \"" + std::string{host_line_mark} + text + "\"; ";
}

std::string by_shell(const std::string& script) {
  return "exec /bin/sh -c '" + script + "'";
}

std::string version_of(const std::string& program) {
  return "$(" + program + " --version 2>&1 | head -n 1)";
}

/// The sums of a copy's files, beside them.
constexpr std::string_view sums = "sums";

/// A condition: whether a copy is there and as it was put there, where the machine can tell.
/// @param directory A word.
std::string is_whole(const std::string& directory) {
  return "( cd " + directory
         + " && [ -x bin/tune-node ] && { ! command -v sha256sum || sha256sum -c "
         + std::string{sums} + "; } ) >/dev/null 2>&1";
}

/// The environment by which a script gets words of the user, whatever is in them. The user's shell
/// may be one that knows no `NAME=value`, but `env` is a program.
std::string with_words(const std::vector<std::pair<std::string, std::string>>& words,
                       const std::string& script) {
  if (words.empty())
    return by_shell(script);
  std::string result = "exec env";
  for (const auto& [name, text] : words)
    result += " " + shell_word(name + "=" + text);
  return result + " /bin/sh -c '" + script + "'";
}

/// Sets `$b` to the directory below which workers make theirs.
std::string directory_below(const std::string& below,
                            std::vector<std::pair<std::string, std::string>>& words) {
  if (below.empty())
    return "b=\"${TMPDIR:-/tmp}\"; ";
  words.emplace_back("TUNE_LAUNCH_BELOW", below);
  return "b=\"$TUNE_LAUNCH_BELOW\"; ";
}

std::string no_directory() {
  return marked("fault cannot make a directory in $b");
}

} // namespace

std::string probing_script(std::string_view hash, const std::string& program,
                           const std::string& below) {
  std::vector<std::pair<std::string, std::string>> words;
  const auto place = std::string{programs} + "/" + std::string{hash};
  auto script = "echo; " + marked("system $(uname -s) $(uname -m)") + "q=\"" + place + "\"; "
                + "if " + is_whole("\"$q\"") + "; then "
                + marked("here " + version_of("\"$q/bin/tune-node\"")) + "fi; "
                + "if o=$(command -v tune-node); then " + marked("own " + version_of("\"$o\""))
                + "fi; ";
  if (!program.empty()) {
    words.emplace_back("TUNE_LAUNCH_PROGRAM", program);
    script += "if [ -x \"$TUNE_LAUNCH_PROGRAM\" ]; then "
              + marked("named " + version_of("\"$TUNE_LAUNCH_PROGRAM\"")) + "fi; ";
  }
  script += directory_below(below, words) + "w=$(mktemp -d \"$b/tune-launch-XXXXXX\") || { "
            + no_directory() + "exit 1; }; rmdir \"$w\"; " + marked("end");
  return with_words(words, script);
}

std::string placing_script(std::string_view hash) {
  const auto fault
      = [](const std::string& what) { return "|| { " + marked("fault " + what) + "exit 1; }; "; };
  std::string script = "umask 077; d=\"" + std::string{programs} + "\"; q=\"$d/" + std::string{hash}
                       + "\"; mkdir -p \"$d\" && t=$(mktemp -d \"$d/new-XXXXXX\") "
                       + fault("cannot write into $d");
  script += "trap \"rm -rf $t $t.old $t.sums\" EXIT; trap \"exit 1\" HUP INT TERM; ";
  // What tar warns of concerns nobody unless it fails.
  script += "e=$(tar -xf - -C \"$t\" 2>&1) "
            + fault("cannot unpack into $d: $(echo \"$e\" | tail -n 1)");
  script += "v=$(\"$t/bin/tune-node\" --version 2>&1) "
            + fault("it does not run there: $(echo \"$v\" | tail -n 1)");
  script += "( cd \"$t\" && find . -type f -exec sha256sum {} + >\"$t.sums\" && mv "
            "\"$t.sums\" "
            + std::string{sums} + " ) 2>/dev/null; ";
  // One that was spoilt makes room; one that another launch has just put there stays.
  script += "if ! " + is_whole("\"$q\"")
            + "; then mv -T \"$q\" \"$t.old\" 2>/dev/null; mv -T \"$t\" \"$q\" 2>/dev/null; fi; ";
  script += is_whole("\"$q\"") + " " + fault("cannot write into $d");
  return by_shell(script + marked("here " + version_of("\"$q/bin/tune-node\"")));
}

std::string working_script(const host_worker& what) {
  std::vector<std::pair<std::string, std::string>> words;
  auto word = [&words](std::string name, const std::string& text) {
    words.emplace_back(name, text);
    return "\"$" + name + "\"";
  };
  auto program = what.hash.empty()
                     ? word("TUNE_LAUNCH_PROGRAM", what.program)
                     : "\"" + std::string{programs} + "/" + what.hash + "/bin/tune-node\"";
  std::string options;
  for (std::size_t i = 0; i < what.options.size(); ++i)
    options += " " + word("TUNE_LAUNCH_WORD" + std::to_string(i), what.options[i]);

  std::string script = "umask 077; IFS= read -r port || exit 1; ";
  script += directory_below(what.below, words) + "w=$(mktemp -d \"$b/tune-launch-" + what.tag
            + "XXXXXX\") || { " + no_directory() + "exit 1; }; mkdir \"$w/certs\"; ";
  script += "for f in ca.pem node.pem node.key; do while IFS= read -r line; do [ \"$line\" = "
            + std::string{end_of_file}
            + " ] && break; echo \"$line\"; done > \"$w/certs/$f\"; done; ";
  if (what.direct_port)
    script += "h=${SSH_CONNECTION%% *}; case \"$h\" in *:*) h=\"[$h]\";; esac; port="
              + std::to_string(*what.direct_port) + "; ";
  else
    script += "h=127.0.0.1; ";
  script += "exec 3<&0; " + program
            + " worker --join \"$h:$port\" --certs \"$w/certs\" --work \"$w/work\" --once" + options
            + " </dev/null 2>&1 3<&- & k=$!; echo $k > \"$w/pid\"; ";
  // The end of stdin is the end of who started all this. A second signal says that it is urgent.
  script
      += "( cat <&3; kill -TERM $k; sleep 1; kill -TERM $k ) >/dev/null 2>&1 & c=$!; exec 3<&-; ";
  script += "trap \"kill -TERM $k 2>/dev/null\" HUP INT TERM; wait $k; r=$?; "
            "while kill -0 $k 2>/dev/null; do wait $k; r=$?; done; kill $c 2>/dev/null; ";
  // What a trial mounted there is not ours to remove.
  script += "rm -rf --one-file-system \"$w\" 2>/dev/null || rm -rf \"$w/certs\"; exit $r";
  return with_words(words, script);
}

std::string cleaning_script(const std::string& tag, const std::string& below) {
  std::vector<std::pair<std::string, std::string>> words;
  auto script = directory_below(below, words);
  script += "for w in \"$b\"/tune-launch-" + tag + "*; do [ -d \"$w\" ] || continue; ";
  // The number may be another's by now, whose words do not name the directory.
  script += "p=$(cat \"$w/pid\" 2>/dev/null); i=0; "
            "while [ -n \"$p\" ] && grep -q -F -e \"$w/\" \"/proc/$p/cmdline\" 2>/dev/null; do "
            "if [ $i -lt 15 ]; then kill -TERM $p; elif [ $i -lt 20 ]; then kill -KILL $p; "
            "else break; fi; i=$((i + 1)); sleep 1; done; ";
  script += "rm -rf --one-file-system \"$w\" 2>/dev/null || rm -rf \"$w/certs\"; ";
  script += "if [ -d \"$w\" ]; then " + marked("left $w") + "else " + marked("removed $w")
            + "fi; done; " + marked("end");
  return with_words(words, script);
}

std::string worker_input(std::uint16_t port, const host_certificates& what) {
  auto result = std::to_string(port) + "\n";
  for (const auto* file : {&what.authority, &what.certificate, &what.key}) {
    result += *file;
    if (!result.ends_with('\n'))
      result += '\n';
    result += std::string{end_of_file} + "\n";
  }
  return result;
}

} // namespace tune::cli
