// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include "command/command_options.hpp"
#include "command/option_values.hpp"
#include "tune/core/resource/demands.hpp"

#include <csignal>
#include <sstream>

namespace tune::cli {

namespace {

int signal_from(const std::string& name) {
  if (name == "none")
    return 0;
  return name == "USR2" ? SIGUSR2 : SIGUSR1;
}

expected<void> read_notice(const std::string& name, run_request& to) {
  to.notice_signal = signal_from(name);
  return {};
}

/// "HOST:PORT" is an address, unless it has a slash; everything else is a directory.
expected<void> read_rendezvous(const std::string& text, up_request& to) {
  if (text.empty())
    return error{ec::bad_syntax, "--rendezvous needs a directory, or HOST:PORT"};
  auto address
      = text.find('/') == text.npos ? peer_address_from(text) : expected<peer_address>{error{}};
  if (address)
    to.meet_at = *address;
  else
    to.rendezvous = text;
  return {};
}

expected<void> read_hosts(const std::string& text, launch_request& to) {
  if (text.empty())
    return error{ec::bad_syntax, "--hosts needs machines, as in --hosts a,b:2222,user@c"};
  to.hosts = text;
  return {};
}

expected<void> read_ssh(const std::string& text, launch_request& to) {
  std::istringstream words{text};
  to.ssh.clear();
  for (std::string word; words >> word;)
    to.ssh.push_back(word);
  if (to.ssh.empty())
    return error{ec::bad_syntax, "--ssh needs a program, as in --ssh 'ssh -F my_config'"};
  return {};
}

/// Options of `worker`, which it reads itself. They are read here as well, so that a mistake is
/// told at once and not by each machine.
template <class Part>
bound_options<launch_request> handed_on(const bound_options<Part>& all) {
  bound_options<launch_request> result;
  for (const auto& x : all)
    result.push_back({x.doc, [x](const words& given, launch_request& to) -> expected<void> {
                        Part ignored;
                        if (auto done = x.read(given, ignored); !done)
                          return done;
                        for (const auto& text : given)
                          to.worker_options.insert(to.worker_options.end(),
                                                   {"--" + std::string{x.doc.name}, text});
                        return {};
                      }});
  return result;
}

/// What the ranks of `up` offer.
bound_options<offered_request> rank_offers() {
  return {
      bound({"cpus", 0, "N", "CPUs that each offers", {}, "what there is", argument_kind::number},
            &offered_request::cpus, amount_from),
      bound({"gpus", 0, "N", "GPUs that each offers", {}, "what there is", argument_kind::number},
            &offered_request::gpus, amount_from),
      bound({"memory", 0, "BYTES", "memory that each offers, such as 16GiB", {}, "what there is"},
            &offered_request::memory, bytes_from)};
}

/// What the ranks of `up` offer, and how those that do not lead work.
bound_options<worker_request> rank_options() {
  return joined<worker_request>(
      {within(&worker_request::offers, rank_offers()),
       {of_process(bound({"name", 0, "NAME", "what the node is called", {}, "this machine's name"},
                         &worker_request::name)),
        bound({"certs",
               0,
               "DIR",
               "with --rendezvous HOST:PORT: certificate directory",
               {},
               default_certs,
               argument_kind::directory},
              &worker_request::certs),
        bound({"work",
               0,
               "DIR",
               "where files and trials live on this machine, except rank 0's",
               {},
               "tune-node/worker in $XDG_CACHE_HOME or ~/.cache",
               argument_kind::directory},
              &worker_request::work),
        bound({"join-timeout",
               0,
               "TIME",
               "give up if rank 0 does not come within this time; 0: never",
               {},
               "10m"},
              &worker_request::join_timeout, time_from),
        bound({"leave-grace",
               0,
               "TIME",
               "when a rank is told to go, its trials may go on for so long before they are handed "
               "back",
               {},
               "30s"},
              &worker_request::leave_grace, time_from)},
       within(&worker_request::offers, label_options())});
}

/// What `launch` does with a cluster that is to stand.
bound_options<launch_request> keeping_options() {
  return {bound({"keep", 0, "",
                 "leave head and workers standing; again: add machines, mend what failed"},
                &launch_request::keeps),
          bound({"storage",
                 0,
                 "DIR",
                 "with --keep: where each experiment gets its directory",
                 {},
                 "that of FILE, or results",
                 argument_kind::directory},
                &launch_request::storage),
          bound({"no-local", 0, "", "with --keep: run no trials on this machine"},
                &launch_request::local, false)};
}

/// What each machine of `launch` offers, how it works, and how strictly its trials are judged.
bound_options<launch_request> launched_worker_options() {
  return joined<launch_request>(
      {{bound({"work",
               0,
               "DIR",
               "where workers keep files and trials, in a directory of their own",
               {},
               "$TMPDIR there, or /tmp"},
              &launch_request::work)},
       handed_on(
           bound_options<offered_request>{bound({"cpus",
                                                 0,
                                                 "N",
                                                 "CPUs that each of them offers",
                                                 {},
                                                 "what there is",
                                                 argument_kind::number},
                                                &offered_request::cpus, amount_from),
                                          bound({"gpus",
                                                 0,
                                                 "N",
                                                 "GPUs that each of them offers",
                                                 {},
                                                 "what there is",
                                                 argument_kind::number},
                                                &offered_request::gpus, amount_from),
                                          bound({"memory",
                                                 0,
                                                 "BYTES",
                                                 "memory that each of them offers, such as 16GiB",
                                                 {},
                                                 "what there is"},
                                                &offered_request::memory, bytes_from)}),
       handed_on(
           bound_options<worker_request>{bound({"leave-grace",
                                                0,
                                                "TIME",
                                                "when a worker is told to go, its trials may go on "
                                                "for so long before they are handed back",
                                                {},
                                                "30s"},
                                               &worker_request::leave_grace, time_from)}),
       within(&launch_request::run,
              bound_options<run_request>{of_process(
                  bound({"strict", 0, "", "exit 4 when any trial failed"}, &run_request::strict))}),
       handed_on(label_options())});
}

} // namespace

bound_options<up_request> options_of_up() {
  return joined<up_request>(
      {{bound_count({"number",
                     'n',
                     "N",
                     "number of processes",
                     {},
                     "as the launcher tells",
                     argument_kind::number},
                    &up_request::size, 1),
        of_process(bound_count({"rank",
                                0,
                                "K",
                                "which of them this is, from 0; rank 0 leads",
                                {},
                                "as the launcher tells",
                                argument_kind::number},
                               &up_request::rank, 0)),
        bound_with(
            {"rendezvous",
             0,
             "DIR|HOST:PORT",
             "where they meet: a directory that all see and nobody else may enter, or where rank 0 "
             "listens, with certificates that are there already",
             {},
             "a directory beside that of the experiment"},
            read_rendezvous)},
       within(
           &up_request::run,
           bound_options<run_request>{
               bound_with({"notice",
                           0,
                           "SIGNAL",
                           "signal that announces the end of the time: trials save, and the exit "
                           "code is 75",
                           {"USR1", "USR2", "none"},
                           "USR1"},
                          read_notice),
               of_process(bound({"strict", 0, "", "exit 4 when any trial failed"},
                                &run_request::strict))}),
       within(&up_request::worker, rank_options())});
}

command_doc up_doc() {
  return {"up",
          "run one on all machines of a batch job",
          {{"srun tune-node up digits.ini", "in a job of Slurm: one process for each task"},
           {"mpirun tune-node up digits.ini", "the same by MPI"},
           {"for i in 0 1 2; do tune-node up digits.ini -n 3 --rank $i & done; wait", "by hand"},
           {"tune-node up digits.ini", "alone: like run --resume"}},
          {{"FILE", {}, argument_kind::ini_file}},
          docs_of(options_of_up()),
          true};
}

bound_options<launch_request> options_of_launch() {
  return joined<launch_request>(
      {{bound_with({"hosts",
                    0,
                    "HOST,...",
                    "the machines, as ssh knows them: HOST, HOST:PORT, USER@HOST",
                    {},
                    "[cluster] hosts"},
                   read_hosts),
        bound_with({"ssh", 0, "COMMAND", "what connects, with its first options", {}, "ssh"},
                   read_ssh),
        bound({"program",
               0,
               "PATH",
               "the program on these machines, of the same version",
               {},
               "this one, copied where it is not there"},
              &launch_request::program),
        bound({"direct", 0, "",
               "workers dial this machine, which listens for them; else ssh forwards a port"},
              &launch_request::is_direct),
        bound({"partial", 0, "", "run without the machines that fail"},
              &launch_request::is_partial)},
       keeping_options(),
       launched_worker_options()});
}

command_doc launch_doc() {
  return {
      "launch",
      "run one on machines that ssh reaches",
      {{"tune-node launch digits.ini --hosts a,b:2222,user@c", "on three machines and this one"},
       {"tune-node launch digits.ini --hosts a,b --cluster.local false", "on these two alone"},
       {"tune-node launch digits.ini --hosts a --program /opt/tune/bin/tune-node",
        "with the program that is there"},
       {"tune-node launch --keep --hosts a,b",
        "a cluster that stands there, until tune-node down"}},
      {{"FILE", {}, argument_kind::ini_file, false}},
      docs_of(options_of_launch()),
      true,
      by_ssh};
}

bound_options<down_request> options_of_down() {
  return {bound({"now", 0, "", "end everything at once"}, &down_request::is_now)};
}

command_doc down_doc() {
  return {"down",
          "end what launch --keep left standing",
          {{"tune-node down", "leaves off what runs, in order, and cleans the machines"},
           {"tune-node down /srv/results --now", "what runs is lost from its last checkpoint on"}},
          {{"DIR", {}, argument_kind::directory, false}},
          docs_of(options_of_down()),
          false,
          by_ssh};
}

} // namespace tune::cli
