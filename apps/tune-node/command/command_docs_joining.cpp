// The entries of those who join a cluster, and of their certificates.
// SPDX-License-Identifier: BSD-3-Clause
#include "command/command_docs.hpp"

#include "command/command_options.hpp"
#include "command/liveness_option.hpp"
#include "command/option_values.hpp"
#include "tune/core/resource/demands.hpp"
#include "tune/net/transport.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tune::cli {

namespace {

expected<void> read_join(const std::string& text, worker_request& to) {
  auto all = head_addresses_from(text);
  if (!all)
    return error{ec::bad_syntax, "--join: " + all.error().detail};
  to.join = std::move(all->first);
  to.also = std::move(all->also);
  return {};
}

/// To whom a worker belongs.
bound_options<worker_request> membership_options() {
  return {
      needed(bound_with({"join", 0, "HOST:PORT,...",
                         "where the head listens, and those that may take its place; needed"},
                        read_join),
             "HOST:PORT"),
      bound({"name", 0, "NAME", "what the node is called", {}, "this machine's name"},
            &worker_request::name),
      bound(
          {"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
          &worker_request::certs),
      bound({"insecure-plaintext", 0, "", "no TLS; loopback addresses only"},
            &worker_request::insecure_plaintext),
      bound({"cluster", 0, "NAME", "name of the cluster", {}, "default"},
            &worker_request::cluster)};
}

bound_options<offered_request> worker_offers() {
  return {bound({"cpus", 0, "N", "CPUs that it offers", {}, "what there is", argument_kind::number},
                &offered_request::cpus, amount_from),
          bound({"gpus", 0, "N", "GPUs that it offers", {}, "what there is", argument_kind::number},
                &offered_request::gpus, amount_from),
          bound({"memory", 0, "BYTES", "memory that it offers, such as 16GiB", {}, "what there is"},
                &offered_request::memory, bytes_from),
          bound({"custom", 0, "NAME=N,...", "amounts of resources of your own"},
                &offered_request::custom, custom_from)};
}

/// Where it keeps its files, and how long it waits.
bound_options<worker_request> keeping_times() {
  return {bound({"work",
                 0,
                 "DIR",
                 "where files and trials live on this machine",
                 {},
                 "tune-node/worker in $XDG_CACHE_HOME or ~/.cache",
                 argument_kind::directory},
                &worker_request::work),
          bound({"log-file",
                 0,
                 "FILE",
                 "keep a log there as lines of JSON, and its last 40 MB",
                 {},
                 "none"},
                &worker_request::log_file),
          bound({"cache",
                 0,
                 "SIZE",
                 "most that shipped files may take on disk between jobs",
                 {},
                 "10GiB"},
                &worker_request::cache, bytes_from),
          bound({"join-timeout",
                 0,
                 "TIME",
                 "give up if no head is found within this time at first; 0: never",
                 {},
                 "10m"},
                &worker_request::join_timeout, time_from),
          bound({"leave-grace",
                 0,
                 "TIME",
                 "when it is told to go, trials may go on for so long before they are handed back",
                 {},
                 "30s"},
                &worker_request::leave_grace, time_from)};
}

/// When it goes, and what it does at the head.
bound_options<worker_request> leaving_options() {
  return {
      bound({"once", 0, "", "go when the head lets it go, instead of waiting for the next"},
            &worker_request::once),
      bound({"idle-exit", 0, "TIME", "go when nothing has run here for so long; 0: never", {}, "0"},
            &worker_request::idle_exit, time_from),
      bound(
          {"token", 0, "TOKEN|FILE", "get a certificate for this join token, unless there is one"},
          &worker_request::token),
      bound({"enroll",
             0,
             "HOST:PORT",
             "with --token: where the head gives certificates",
             {},
             "the next port after that of --join"},
            &worker_request::enroll, peer_address_from),
      bound({"own-storage", 0, "",
             "send checkpoints to the head, also where its directory can be written to from here"},
            &worker_request::own_storage)};
}

using certs_action = certs_request::action;

/// An option for some actions. @param text These, for people.
bound_option<certs_request> only_for(std::vector<certs_action> actions, std::string text,
                                     bound_option<certs_request> x) {
  x.read = [actions, text, name = x.doc.name, read = x.read](const words& given,
                                                             certs_request& to) -> expected<void> {
    if (std::find(actions.begin(), actions.end(), to.what) == actions.end())
      return error{ec::bad_syntax, "--" + std::string{name} + " is for " + text};
    return read(given, to);
  };
  return x;
}

bound_option<certs_request> of_token(const bound_option<token_order>& x) {
  return only_for({certs_action::token}, "certs token",
                  within(&certs_request::token, bound_options<token_order>{x}).front());
}

expected<void> read_directory(const std::string& text, certs_request& to) {
  if (text.empty())
    return error{ec::bad_syntax, "--certs needs a directory"};
  to.directory = text;
  return {};
}

expected<void> read_out(const std::string& text, certs_request& to) {
  if (text.empty())
    return error{ec::bad_syntax, "--out needs a directory"};
  to.out = text;
  return {};
}

expected<void> read_cluster(const std::string& text, certs_request& to) {
  if (!is_cluster_name(text))
    return error{ec::bad_syntax, in_single_quotes(text) + " cannot be the name of a cluster"};
  to.cluster = text;
  return {};
}

expected<void> read_node_name(const std::string& text, token_order& to) {
  if (!is_node_name(text))
    return error{ec::bad_syntax, in_single_quotes(text) + " cannot be the name of a node"};
  to.name = text;
  return {};
}

expected<words> node_hosts_from(const std::string& text) {
  auto result = comma_parts(text);
  for (const auto& host : result) {
    if (!is_host_or_address(host))
      return error{ec::bad_option,
                   in_single_quotes(host) + " is neither a host name nor an address"};
  }
  return result;
}

expected<std::chrono::seconds> token_lifetime_from(const std::string& text) {
  auto time = some_time_from(text);
  if (!time)
    return time.error();
  const auto result = std::chrono::ceil<std::chrono::seconds>(*time);
  if (result > longest_token_lifetime)
    return error{ec::bad_option, in_single_quotes(text) + " is more than 30 days"};
  return result;
}

} // namespace

bound_options<worker_request> options_of_worker() {
  return joined<worker_request>(
      {membership_options(), within(&worker_request::offers, worker_offers()), keeping_times(),
       within(&worker_request::liveness,
              bound_options<liveness_rules>{
                  bound_liveness({"lost-after",
                                  0,
                                  "TIME",
                                  "as at the head: when a silent connection is given up",
                                  {},
                                  "10s"},
                                 &liveness_rules::lost_after, any_silence)}),
       leaving_options(), within(&worker_request::offers, label_options())});
}

command_doc worker_doc() {
  return {"worker",
          "run trials of experiments that another machine leads",
          {{"tune-node worker --join head:7700", "until it is told to go"},
           {"tune-node worker --join head:7700 --gpus 0 --cpus 8 --once", "for one experiment"},
           {"tune-node worker --join 127.0.0.1:7700 --insecure-plaintext", "to try it out"}},
          {},
          docs_of(options_of_worker())};
}

bound_options<certs_request> options_of_certs() {
  return {
      bound_with(
          {"certs", 0, "DIR", "certificate directory", {}, default_certs, argument_kind::directory},
          read_directory),
      only_for(
          {certs_action::init}, "certs init",
          bound_with({"cluster", 0, "NAME", "init: name of the cluster", {}, "this machine's name"},
                     read_cluster)),
      only_for(
          {certs_action::issue, certs_action::rotate}, "certs issue and certs rotate",
          bound_with(
              {"out",
               0,
               "DIR",
               "issue: where to write; for another machine, a directory of its own. rotate: whose "
               "certificate is renewed",
               {},
               "the certificate directory",
               argument_kind::directory},
              read_out)),
      only_for(
          {certs_action::init, certs_action::issue}, "certs init and certs issue",
          bound({"host", 0, "HOSTS", "further names and addresses of the node, joined by commas"},
                &certs_request::hosts, node_hosts_from)),
      only_for({certs_action::init, certs_action::issue, certs_action::rotate},
               "certs init, certs issue and certs rotate",
               bound_count({"days",
                            0,
                            "N",
                            "days that the node's certificate is valid",
                            {},
                            "825",
                            argument_kind::number},
                           &certs_request::lifetime, 1,
                           static_cast<std::uint64_t>(authority_lifetime.count()),
                           "is at most " + std::to_string(authority_lifetime.count())
                               + ", the days of a CA")),
      only_for({certs_action::init, certs_action::issue}, "certs init and certs issue",
               bound({"force", 0, "", "replace the node's certificate and key; never the CA"},
                     &certs_request::force)),
      of_token(bound_count(
          {"uses", 0, "N", "token: how often it counts", {}, "1", argument_kind::number},
          &token_order::uses, 1, most_token_uses, "is at most " + std::to_string(most_token_uses))),
      of_token(
          bound({"expires", 0, "TIME", "token: for how long it counts, at most 30 days", {}, "1h"},
                &token_order::lifetime, token_lifetime_from)),
      of_token(bound_with({"name",
                           0,
                           "NAME",
                           "token: name in the certificate",
                           {},
                           "as asked for, with a random ending"},
                          read_node_name))};
}

command_doc certs_doc() {
  return {
      "certs",
      "make, show, renew and revoke a cluster's certificates",
      {{"tune-node certs init --cluster lab", "a CA, and this machine's certificate"},
       {"tune-node certs issue w1 --out w1-certs", "for a worker: copy w1-certs to it"},
       {"tune-node certs show", "names, dates, fingerprints"},
       {"tune-node certs rotate", "renew this machine's certificate while it is in use"},
       {"tune-node certs token --uses 5 --expires 1h", "for worker --token, in place of a copy"},
       {"tune-node certs revoke w1", "let w1 in no more, and hang up on it"}},
      {{"init|issue|show|rotate|revoke|token",
        {"init", "issue", "show", "rotate", "revoke", "token"}},
       {"NAME|FILE|DIR", {}, argument_kind::path, false}},
      docs_of(options_of_certs()),
      false,
      joining};
}

bound_options<doctor_request> joining_options_of_doctor() {
  return {bound({"insecure-plaintext", 0, "", "with --join: no TLS; loopback addresses only"},
                &doctor_request::insecure_plaintext),
          bound({"cluster", 0, "NAME", "with --join: name of the cluster", {}, "default"},
                &doctor_request::cluster)};
}

bound_options<doctor_request> options_of_doctor() {
  return joined<doctor_request>({{bound({"join",
                                         0,
                                         "HOST:PORT,...",
                                         "the head to which the way is checked, at each of its "
                                         "addresses",
                                         {},
                                         "this machine alone"},
                                        &doctor_request::join, head_addresses_from),
                                  bound({"certs",
                                         0,
                                         "DIR",
                                         "certificate directory",
                                         {},
                                         default_certs,
                                         argument_kind::directory},
                                        &doctor_request::certs)},
                                 joining_options_of_doctor(),
                                 {bound({"work",
                                         0,
                                         "DIR",
                                         "where a worker's files and trials are to live",
                                         {},
                                         "tune-node/worker in $XDG_CACHE_HOME or ~/.cache",
                                         argument_kind::directory},
                                        &doctor_request::work)}});
}

command_doc doctor_doc() {
  return {"doctor",
          "find what is wrong with this machine, or the way to a head",
          {{"tune-node doctor", "this machine: limits, directories, certificates"},
           {"tune-node doctor --join head:7700", "step by step what a worker does to join"},
           {"tune-node doctor --join head:7700 -o json", "for a program"}},
          {},
          docs_of(options_of_doctor()),
          false,
          joining};
}

} // namespace tune::cli
