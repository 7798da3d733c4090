// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/directory_step.hpp"
#include "doctor/doctor_command.hpp"

#include "tune/core/program_name.hpp"
#include "tune/core/shell_word.hpp"
#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/checkpoint/shared_storage.hpp"
#include "tune/io/process/thread_room.hpp"
#include "tune/net/checkup.hpp"
#include "tune/net/system.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tune::cli {

namespace {

using std::chrono::milliseconds;

/// Time for each step.
constexpr std::chrono::seconds patience{5};
/// Clocks that differ by more make times of different machines hard to compare.
constexpr std::chrono::seconds tolerable_skew{2};
constexpr std::size_t threads_of_doctor = 16;

probe_deadline soon() {
  return std::chrono::steady_clock::now() + patience;
}

/// What to do about a probe that failed.
std::string remedy_for(probe_outcome what, const peer_address& whom) {
  const auto issue = program_call("certs issue NAME --out DIR");
  switch (what) {
    case probe_outcome::name_not_found:
      return "ask the resolver: getent hosts " + shell_word(whom.host)
             + "; or use an address instead of the name";
    case probe_outcome::refused:
      return "is the head running, and is this its port? " + program_call("head")
             + " prints it when it starts; a firewall may refuse, too";
    case probe_outcome::unreachable:
      return "is there a route to that network? ask: ip route get ADDRESS";
    case probe_outcome::timed_out:
    case probe_outcome::closed:
      return "something on the way drops packets, another service listens there, or the head hangs:"
             " look at its output on its machine";
    case probe_outcome::not_tls:
      return "another service listens there, or a head without TLS (--insecure-plaintext)";
    case probe_outcome::tls_failed:
      return "another service listens there: use the port that the head prints when it starts";
    case probe_outcome::wants_tls:
      return "leave out --insecure-plaintext, and give certificates";
    case probe_outcome::peer_is_foreign:
    case probe_outcome::we_are_foreign:
      return "use certificates of that head's CA, made where its key is: " + issue
             + "; sha256 of ca.pem must be the same at both (" + program_call("certs show") + ")";
    case probe_outcome::peer_expired:
      return "on the head's machine: " + program_call("certs issue head --force");
    case probe_outcome::peer_not_yet_valid:
    case probe_outcome::we_expired:
      return "set both machines' clocks; or take a new certificate: " + issue;
    case probe_outcome::peer_unfit:
    case probe_outcome::certificate_required:
    case probe_outcome::we_are_unfit:
      return "take a new certificate, made where the CA's key is: " + issue;
    case probe_outcome::local_fault:
    case probe_outcome::reached:
      break;
  }
  return {};
}

exit_code code_for(probe_outcome what) {
  switch (what) {
    case probe_outcome::name_not_found:
    case probe_outcome::refused:
    case probe_outcome::unreachable:
    case probe_outcome::timed_out:
    case probe_outcome::closed:
      return exit_code::unreachable;
    case probe_outcome::local_fault:
      return exit_code::internal;
    default:
      return exit_code::refused;
  }
}

checkup_step from(const std::string& name, const probe_result& x, const peer_address& whom,
                  std::string fine) {
  if (x)
    return {name, step_state::fine, std::move(fine)};
  checkup_step result{name, step_state::failed, x.detail, remedy_for(x.outcome, whom),
                      code_for(x.outcome)};
  result.is_refused = x.outcome == probe_outcome::refused;
  return result;
}

checkup_step from(const std::string& name, const error& what) {
  return {name, step_state::failed, to_text(what), {}, exit_code_for(what.code)};
}

class way_to_head {
public:
  way_to_head(const doctor_request& what, peer_address whom)
      : what_{what}, whom_{std::move(whom)} {}

  std::vector<checkup_step> walk() {
    if (look_up_name() && reach_port() && read_certificates() && shake_hands())
      ask_head();
    skip_rest();
    for (auto& x : steps_)
      x.address = to_text(whom_);
    return std::move(steps_);
  }

private:
  const doctor_request& what_;
  const peer_address whom_;
  std::vector<checkup_step> steps_;
  transport how_;

  bool add(checkup_step x) {
    steps_.push_back(std::move(x));
    return steps_.back().state != step_state::failed;
  }

  bool look_up_name() {
    std::vector<std::string> addresses;
    const auto found = probe_name(whom_, soon(), addresses);
    std::string list;
    for (const auto& x : addresses)
      list += (list.empty() ? "" : ", ") + x;
    return add(from("name", found, whom_, whom_.host + " is " + list));
  }

  bool reach_port() {
    return add(
        from("port", probe_tcp(whom_, soon()), whom_, "something listens at " + to_text(whom_)));
  }

  bool read_certificates() {
    auto how = choose_transport(whom_, what_.certs, what_.insecure_plaintext);
    if (!how)
      return add(from("certificates", how.error()));
    how_ = std::move(*how);
    if (!how_.identity)
      return add({"certificates", step_state::warned, "none: plain text",
                  "anyone who reaches this port can run programs through it: for tests only"});
    const auto& mine = *how_.identity;
    auto detail = mine.files.certificate.string() + ": " + mine.certificate.subject + ", until "
                  + date_text(mine.certificate.valid.until) + ", of the CA "
                  + mine.authority.fingerprint.substr(0, 16) + "…";
    if (auto soon_over = expiry_warning(mine, calendar_now()); !soon_over.empty())
      return add({"certificates", step_state::warned, std::move(detail), soon_over});
    return add({"certificates", step_state::fine, std::move(detail)});
  }

  bool shake_hands() {
    if (!how_.identity)
      return add(from("TLS", probe_plain(whom_, soon()), whom_, "none: it speaks plain text"));
    return add(from("TLS", probe_tls(whom_, *how_.identity, soon()), whom_,
                    "TLS 1.3; both certificates are of the same CA"));
  }

  void ask_head() {
    if (auto can = can_start_threads(threads_of_doctor); !can) {
      add(from("head", can.error()));
      return;
    }
    network_config config{how_};
    caf::actor_system system{config};
    auto heard = ask_for_checkup(system, dial(system, whom_, how_), {this_build(), what_.cluster},
                                 patience);
    if (!heard) {
      add({"head", step_state::failed, heard.error().detail,
           "is it a head of this program? an older version does not answer this request",
           exit_code_for(heard.error().code)});
      return;
    }
    add({"head", step_state::fine,
         "it answers, after " + std::to_string(heard->round_trip.count()) + " ms"});
    compare_version(heard->facts);
    compare_cluster(heard->facts);
    compare_clock(*heard);
    look_for_storage(heard->facts);
  }

  void compare_version(const checkup_answer& its) {
    const auto mine = this_build();
    if (its.build.protocol == mine.protocol && its.build.caf == mine.caf) {
      add({"version", step_state::fine, "the head runs " + to_text(its.build)});
      return;
    }
    add({"version", step_state::failed,
         "the head runs " + to_text(its.build) + ", this machine " + to_text(mine),
         "install the same version on both", exit_code::refused});
  }

  void compare_cluster(const checkup_answer& its) {
    if (its.cluster == what_.cluster) {
      add({"cluster", step_state::fine, "both belong to '" + its.cluster + "'"});
      return;
    }
    add({"cluster", step_state::failed,
         "the head belongs to '" + its.cluster + "', this command to '" + what_.cluster + "'",
         "--cluster " + shell_word(its.cluster) + " if this is the right head",
         exit_code::refused});
  }

  void compare_clock(const head_checkup& heard) {
    const auto apart = heard.ahead.count() < 0 ? -heard.ahead : heard.ahead;
    const auto text = std::to_string(apart.count()) + " ms, give or take "
                      + std::to_string(heard.round_trip.count() / 2 + 1);
    // What the way there may have taken is no fault of the clocks.
    if (apart - heard.round_trip / 2 <= tolerable_skew) {
      add({"clock", step_state::fine, "the clocks differ by " + text});
      return;
    }
    add({"clock", step_state::failed,
         std::string{"the head's clock is "} + (heard.ahead.count() > 0 ? "ahead" : "behind")
             + " by " + text,
         "let NTP set the clocks of both machines: timedatectl set-ntp true",
         exit_code::configuration});
  }

  void look_for_storage(const checkup_answer& its) {
    if (its.storage.empty() || its.storage_token.empty()) {
      add({"storage", step_state::fine, "the head does not say where it is"});
      return;
    }
    switch (view_of_storage(its.storage, its.storage_token)) {
      case storage_view::writable:
        add({"storage", step_state::fine,
             its.storage + " is the head's here, too: checkpoints are written there at once"});
        return;
      case storage_view::read_only:
        add({"storage", step_state::warned,
             its.storage + " is the head's here, too, but cannot be written to",
             "checkpoints are sent to the head; to write them there, give this user write "
             "permission"});
        return;
      case storage_view::elsewhere:
        add({"storage", step_state::fine,
             its.storage + " of the head is not here: checkpoints are sent to the head"});
    }
  }

  void skip_rest() {
    for (const auto* name : {"name", "port", "certificates", "TLS", "head", "version", "cluster",
                             "clock", "storage"}) {
      const auto is_there = std::any_of(steps_.begin(), steps_.end(),
                                        [name](const auto& x) { return x.name == name; });
      if (!is_there)
        steps_.push_back({name, step_state::skipped, "an earlier step failed"});
    }
  }
};

bool is_well(const std::vector<checkup_step>& steps) {
  return code_of(steps) == exit_code::done;
}

/// Where nothing listens at an address although a head leads at another: that may be as it should.
void excuse_standby(std::vector<checkup_step>& steps) {
  auto is_excused = false;
  for (auto& x : steps) {
    if (x.state == step_state::failed && x.name == "port" && x.is_refused) {
      x.state = step_state::warned;
      x.remedy = "a head that stands by does not listen before it leads; if none stands by there, "
                 + program_call("head") + " --standby begins one";
      is_excused = true;
    }
    // None of them failed.
    if (is_excused && x.state == step_state::skipped)
      x.detail = "nothing listens there";
  }
}

} // namespace

std::vector<checkup_step> check_way_to_head(const doctor_request& what) {
  std::vector<std::vector<checkup_step>> ways;
  for (const auto& whom : what.join->all())
    ways.push_back(way_to_head{what, whom}.walk());
  const auto leads = std::any_of(ways.begin(), ways.end(), is_well);
  std::vector<checkup_step> result;
  for (auto& way : ways) {
    if (leads && !is_well(way))
      excuse_standby(way);
    result.insert(result.end(), way.begin(), way.end());
  }
  result.push_back(work_step(what.work));
  return result;
}

} // namespace tune::cli
