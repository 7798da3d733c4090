// SPDX-License-Identifier: BSD-3-Clause
#include "launch/host_launch.hpp"

#include "console/announcer.hpp"
#include "console/human.hpp"
#include "console/text.hpp"

#include "tune/core/program_name.hpp"

#include <sys/utsname.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

namespace tune::cli {

namespace {

using std::chrono::milliseconds;

/// How long one look at the output of ssh takes, and with it the answer to `stop`.
constexpr milliseconds one_look{100};
/// How long a worker may take to end when it is told to.
constexpr milliseconds worker_parting{15'000};
/// Longest line that is looked at. [bytes]
constexpr std::size_t longest_told = 4096;

/// Cuts text that comes in pieces into lines.
class line_cutter {
public:
  explicit line_cutter(const std::function<void(const std::string&)>& to) : to_{to} {}

  void take(std::string_view piece) {
    for (const char c : piece) {
      if (c == '\n')
        end();
      else if (c != '\r' && line_.size() < longest_told)
        line_ += c;
    }
  }
  void end() {
    if (!line_.empty())
      to_(line_);
    line_.clear();
  }

private:
  const std::function<void(const std::string&)>& to_;
  std::string line_;
};

std::string own_system() {
  utsname x{};
  return ::uname(&x) == 0 ? std::string{x.sysname} + " " + x.machine : std::string{};
}

std::string after(std::string_view line, std::string_view begin) {
  return line.starts_with(begin) ? std::string{line.substr(begin.size())} : std::string{};
}

/// ssh says some things that are no cause of anything.
bool may_be_cause(const std::string& line) {
  return !line.starts_with("Warning: Permanently added") && !line.starts_with("Allocated port");
}

} // namespace

host_report host_report_from(const std::vector<std::string>& lines) {
  host_report result;
  for (const auto& x : lines) {
    if (auto text = after(x, "system "); !text.empty())
      result.system = text;
    else if (text = after(x, "here "); !text.empty())
      result.here = text;
    else if (text = after(x, "own "); !text.empty())
      result.own = text;
    else if (text = after(x, "named "); !text.empty())
      result.named = text;
    else if (x == "end")
      result.is_whole = true;
  }
  return result;
}

host_verdict judge_host(const host_report& x, const launch_plan& plan, const std::string& system) {
  const auto& version = plan.version;
  host_verdict result;
  if (!x.is_whole) {
    result.fault = "its shell does not run the commands that it is given, or changes their output";
  } else if (!plan.program.empty()) {
    if (x.named.empty())
      result.fault = "there is no program " + plan.program + " that can be run";
    else if (x.named != version)
      result.fault = "its " + plan.program + " is " + x.named + ", and this is " + version
                     + ": all must have the same version";
  } else if (x.system != system) {
    result.fault = "it is " + x.system + ", and this program is for " + system
                   + ": name one that is there by --program";
  } else {
    // A copy that says something else is none.
    result.needs_copy = x.here != version;
    if (!x.own.empty() && x.own != version)
      result.note = "its own tune-node is " + x.own + "; this one is used beside it";
  }
  return result;
}

std::uint16_t allocated_port(const std::string& line) {
  constexpr std::string_view begin = "Allocated port ";
  if (!line.starts_with(begin))
    return 0;
  unsigned result = 0;
  const auto* from = line.data() + begin.size();
  const auto [rest, fault] = std::from_chars(from, line.data() + line.size(), result);
  return fault == std::errc{} && rest != from && result <= 65535
             ? static_cast<std::uint16_t>(result)
             : std::uint16_t{0};
}

void host_launch::tell(const std::string& text, bool matters) const {
  announce(plan_.who, whom_.text + ": " + text, plan_.quiet && !matters);
}

void host_launch::fail(const std::string& why) {
  has_failed_ = true;
  tell("failed: " + why, true);
}

/// Reads what ssh and the command print until both have ended.
host_launch::outcome host_launch::follow(piped_program& ssh, const line_taker& out,
                                         const line_taker& err) {
  outcome result;
  const line_taker to_out = [&](const std::string& line) {
    if (line.starts_with(host_line_mark))
      result.told.push_back(line.substr(host_line_mark.size()));
    else
      out(line);
  };
  const line_taker to_err = [&](const std::string& line) {
    if (may_be_cause(line))
      result.cause = line;
    err(line);
  };
  line_cutter out_lines{to_out};
  line_cutter err_lines{to_err};
  std::optional<std::chrono::steady_clock::time_point> until;
  for (;;) {
    constexpr std::size_t most = 64 * 1024;
    auto piece = ssh.read(most, one_look);
    out_lines.take(piece.out);
    err_lines.take(piece.err);
    if (piece.status) {
      out_lines.end();
      err_lines.end();
      result.status = *piece.status;
      return result;
    }
    if (stop_ && !until) {
      ssh.close_input();
      until = std::chrono::steady_clock::now() + worker_parting;
    }
    if (until && std::chrono::steady_clock::now() >= *until) {
      result.status = 255;
      result.cause = "it did not end in time";
      return result;
    }
  }
}

host_launch::outcome host_launch::call(const std::string& command, const program_input& input) {
  auto words = ssh_words(plan_.ssh, whom_, {}, command);
  words.insert(words.begin(), "env");
  auto ssh = piped_program::start("/usr/bin/env", std::move(words), {}, input);
  if (!ssh)
    return {255, {}, to_text(ssh.error())};
  const line_taker nothing = [](const std::string&) {};
  return follow(*ssh, nothing, nothing);
}

std::string host_launch::cause_of(const outcome& x, const std::string& doing) {
  for (const auto& line : x.told)
    if (auto why = after(line, "fault "); !why.empty())
      return why;
  return !x.cause.empty() ? x.cause : doing + " ended with " + std::to_string(x.status);
}

void host_launch::prepare() {
  tell("connecting");
  const auto hash = bundle_ == nullptr ? std::string{"none"} : bundle_->hash();
  const auto found = call(probing_script(hash, plan_.program, plan_.below), {});
  if (stop_)
    return;
  if (found.status != 0)
    return fail(cause_of(found, "the connection"));
  const auto verdict = judge_host(host_report_from(found.told), plan_, own_system());
  if (!verdict.note.empty())
    tell(verdict.note);
  if (!verdict.fault.empty())
    return fail(verdict.fault);
  if (verdict.needs_copy)
    place();
}

void host_launch::place() {
  tell("copying this program (" + std::to_string(bundle_->bytes() >> 20) + " MiB" + ")");
  auto archive = bundle_->archive(plan_.scratch);
  if (!archive)
    return fail(to_text(archive.error()));
  const auto done = call(placing_script(bundle_->hash()), {*archive, false});
  if (stop_)
    return;
  const auto there = host_report_from(done.told).here;
  if (done.status != 0 || there.empty())
    return fail(cause_of(done, "copying"));
  if (there != plan_.version)
    return fail("the copy there does not run: " + there);
}

bool host_launch::clean() {
  const auto done = call(cleaning_script(plan_.tag, plan_.below), {});
  const auto where = (plan_.below.empty() ? std::string{"its $TMPDIR or /tmp"} : plan_.below)
                     + "/tune-launch-" + plan_.tag + "*";
  if (done.status != 0 || done.told.empty() || done.told.back() != "end") {
    fail("not cleaned: " + cause_of(done, "the connection") + "; a worker may be left, in "
         + where);
    return false;
  }
  auto is_clean = true;
  for (const auto& line : done.told) {
    if (const auto left = after(line, "left "); !left.empty()) {
      is_clean = false;
      tell("failed: " + left + " could not be removed", true);
    } else if (const auto gone = after(line, "removed "); !gone.empty()) {
      tell("ended what ran in " + gone + ", and removed it");
    }
  }
  if (is_clean)
    tell("clean");
  return is_clean;
}

/// A line of the worker.
void host_launch::heed(const std::string& line) {
  constexpr std::string_view by = "tune-node worker: ";
  const auto text = line.starts_with(by) ? line.substr(by.size()) : line;
  if (text.starts_with("joined as node "))
    has_joined_ = true;
  tell(text);
}

void host_launch::work(std::uint16_t port, const host_certificates& by) {
  host_worker how;
  how.hash = bundle_ == nullptr ? std::string{} : bundle_->hash();
  how.program = plan_.program;
  how.below = plan_.below;
  how.tag = plan_.tag;
  how.options = plan_.worker_options;
  how.options.insert(how.options.end(), {"--name", node_});
  // A forwarded port goes with the connection, which therefore is nobody else's.
  std::vector<std::string> options{"-o", "ControlPath=none"};
  if (plan_.is_direct)
    how.direct_port = port;
  else
    for (auto word : {std::string{"-o"}, std::string{"ExitOnForwardFailure=yes"}, std::string{"-R"},
                      "127.0.0.1:0:127.0.0.1:" + std::to_string(port)})
      options.push_back(std::move(word));
  auto words = ssh_words(plan_.ssh, whom_, options, working_script(how));
  words.insert(words.begin(), "env");
  auto ssh = piped_program::start("/usr/bin/env", std::move(words), {}, {{}, true});
  if (!ssh)
    return fail(to_text(ssh.error()));
  auto is_told = plan_.is_direct && ssh->write(worker_input(0, by));
  const auto ended = follow(
      *ssh, [this](const std::string& line) { heed(line); },
      [&](const std::string& line) {
        const auto forwarded = is_told ? std::uint16_t{0} : allocated_port(line);
        is_told = is_told || (forwarded != 0 && ssh->write(worker_input(forwarded, by)));
      });
  if (stop_ || ended.status == 0)
    return;
  if (!has_joined_)
    return fail(cause_of(ended, "ssh, or the worker at its other end,"));
  tell("gone: " + cause_of(ended, "ssh, or the worker at its other end,"), true);
}

} // namespace tune::cli
