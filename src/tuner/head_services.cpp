// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/head_services.hpp"

#include "asked.hpp"
#include "tune/actors/breaks.hpp"
#include "tune/actors/cluster.hpp"
#include "tune/actors/launch_token.hpp"
#include "tune/net/checkpoint_server.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/heartbeat_monitor.hpp"
#include "tune/net/node_registry.hpp"
#include "tune/net/output_server.hpp"
#include "tune/net/package_server.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace tune {

namespace {

bool is_within(const resources& what, const resources& limit) {
  auto has = [&](const std::string& name, amount x) {
    auto known = limit.custom.find(name);
    return x <= (known == limit.custom.end() ? amount{} : known->second);
  };
  return what.cpu <= limit.cpu && what.gpu <= limit.gpu && what.memory <= limit.memory
         && std::all_of(what.custom.begin(), what.custom.end(),
                        [&](const auto& x) { return has(x.first, x.second); });
}

} // namespace

namespace {

/// Time to look through the manifest of a shipment.
constexpr std::chrono::seconds shipping_patience{30};
/// Time to finish what is being written at the moment.
constexpr std::chrono::seconds checkpoint_server_patience{30};
/// Time for workers to end their trials.
constexpr std::chrono::seconds farewell_patience{10};

/// Adds what the settings of this machine's node lack: memory of its own, and a listener.
node_settings furnished(node_settings node, const std::filesystem::path& memory,
                        const cluster_actor& cluster) {
  if (node.memory.empty())
    node.memory = memory;
  if (!node.tell)
    node.tell = [cluster](const std::string& text) { send_from_outside(cluster, remark{text}); };
  return node;
}

/// Draws what is missing.
head_identity drawn(head_identity who) {
  if (who.name.empty())
    who.name = fresh_secret();
  if (who.secret.empty())
    who.secret = fresh_secret();
  return who;
}

/// The lines of a text.
std::set<std::string> lines_of(const std::string& text) {
  std::set<std::string> result;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    result.insert(line);
  return result;
}

} // namespace

head_services::head_services(caf::actor_system& system, const node_settings& node, bool works_here,
                             const head_identity& who, const allocation_limits& limits)
    : system_{system}
    , cluster_{spawn_cluster(
          system, [say = say_](const std::string& text) { (*say)(text); }, who.first_lease, limits)}
    , node_{spawn_local_node(system, furnished(node, memory_.directory(), cluster_), cluster_)}
    , who_{drawn(who)} {
  if (works_here)
    send_from_outside(cluster_, offer_of(node), node_actor{node_});
}

expected<std::uint16_t> head_services::listen(listen_options how) {
  prepare(std::move(how));
  return open();
}

void head_services::prepare(listen_options how) {
  *say_ = how.say;
  port_ = std::move(how);
  const auto outlives = port_->liveness.head_grace.count() > 0;
  package_server_ = spawn_package_server(system_);
  output_server_ = spawn_output_server(system_, true, outlives);
  checkpoint_server_settings keeping;
  keeping.secret = who_.secret;
  checkpoint_server_ = spawn_checkpoint_server(system_, std::move(keeping));
  heartbeat_monitor_ = spawn_heartbeat_monitor(system_, {port_->liveness}, cluster_);
  tell_of_break(*package_server_, "the package server", on_crippled_);
  tell_of_break(*output_server_, "the output server", on_crippled_);
  tell_of_break(*checkpoint_server_, "the checkpoint server", on_crippled_);
  tell_of_break(*heartbeat_monitor_, "the heartbeat monitor", on_crippled_);
}

expected<std::uint16_t> head_services::open() {
  auto& how = *port_;
  node_registry_settings settings;
  settings.heartbeat_monitor = *heartbeat_monitor_;
  settings.rules = how.liveness;
  settings.head = who_.name;
  settings.cluster = std::move(how.cluster);
  settings.storage = std::move(how.storage);
  settings.storage_token = std::move(how.storage_token);
  settings.submission_server = std::move(how.submission_server);
  if (how.how.identity)
    certificates_ = std::make_unique<certificate_watch>(how.how.identity->files,
                                                        certificate_watch::listeners{{}, how.say});
  settings.say = how.say;
  if (how.liveness.head_grace.count() > 0)
    settings.awaited = begin_wait(how.liveness);
  node_registry_ = spawn_node_registry(
      system_, std::move(settings), cluster_,
      {cluster_, *package_server_, *output_server_, *checkpoint_server_, *heartbeat_monitor_});
  tell_of_break(*node_registry_, "the node registry", on_crippled_);
  auto opened = open_port(system_, *node_registry_, how.where, how.how);
  if (opened && how.scaling)
    begin_scaling(*opened);
  return opened;
}

void head_services::begin_scaling(std::uint16_t port) {
  auto& how = *port_->scaling;
  const auto where = peer_address{how.host.empty() ? port_->where.host : how.host, port};
  how.command.environment.push_back("TUNE_HEAD=" + to_text(where));
  scaler_settings settings;
  settings.rules = how.rules;
  settings.call = [command = how.command](const scaling_call& what, const std::atomic<bool>& stop) {
    return run_scaling_command(command, what, stop);
  };
  settings.say = port_->say;
  scaling_ = settings.board;
  scaler_
      = spawn_scaler(system_, std::move(settings), caf::actor_cast<cluster_local_actor>(cluster_));
  tell_of_break(*scaler_, "the scaler", on_crippled_);
}

/// @returns the names of the nodes that are awaited.
std::set<std::string> head_services::begin_wait(const liveness_rules& rules) const {
  const auto names = asked<std::string>(system_, caf::actor_cast<cluster_local_actor>(cluster_),
                                        answer_patience, wait_begins{rules.wait_for_nodes()});
  return lines_of(names.value_or(std::string{}));
}

expected<void> head_services::take_in(std::shared_ptr<const job> work,
                                      std::optional<job_offer> shipment) {
  if (package_server_ && shipment) {
    auto trouble
        = asked<std::string>(system_, *package_server_, shipping_patience, std::move(*shipment));
    if (!trouble || !trouble->empty())
      return error{ec::internal, trouble ? *trouble : "the package server does not answer"};
    const job_place place{work->id, work->directory, work->limits, work->artifacts,
                          work->output_cap};
    send_from_outside(*output_server_, place);
    send_from_outside(*checkpoint_server_, place);
  }
  send_from_outside(node_, job_ready{std::move(work), {}, false});
  return {};
}

void head_services::forget(const std::string& job) {
  send_from_outside(cluster_, job_over{job});
  if (!package_server_)
    return;
  send_from_outside(*package_server_, job_withdrawn{job});
  send_from_outside(*output_server_, job_withdrawn{job});
  send_from_outside(*checkpoint_server_, job_withdrawn{job});
}

std::function<void(trial_id, attempt_id)>
head_services::gives_up_attempts_of(const std::string& job, bool runs_ranks) const {
  return [checkpoint_server = checkpoint_server_, output_server = output_server_, job,
          runs_ranks](trial_id trial, attempt_id attempt) {
    if (!checkpoint_server || !output_server)
      return;
    if (!runs_ranks)
      give_up(*output_server, job, trial, attempt);
    auto done = std::make_shared<std::promise<void>>();
    auto is_done = done->get_future();
    // If there is no answer in time, the next head removes what still arrives.
    give_up(*checkpoint_server, job, trial, attempt,
            [done = std::move(done)] { done->set_value(); });
    is_done.wait_for(checkpoint_server_patience);
  };
}

std::string head_services::impossible(const resource_request& what,
                                      const node_labels& labels) const {
  auto answer = asked<std::string>(system_, cluster_, answer_patience, fit_question{what, labels});
  return answer.value_or(std::string{});
}

std::optional<bool> head_services::has_room(const resource_request& what,
                                            const node_labels& labels) const {
  auto why = asked<std::string>(system_, cluster_, answer_patience, fit_question{what, labels});
  auto books = resources();
  if (!why || !books)
    return std::nullopt;
  auto wanted = books->used;
  for (const auto& bundle : what.bundles)
    wanted += bundle;
  return why->empty() && is_within(wanted, books->total);
}

std::optional<cluster_status> head_services::resources() const {
  return asked<cluster_status>(system_, cluster_, answer_patience, status_atom_v);
}

void head_services::tell_standing(standing_told what, const runner_actor& whose) const {
  send_from_outside(caf::actor_cast<cluster_local_actor>(cluster_), std::move(what), whose);
}

void head_services::close_queue() const {
  send_from_outside(caf::actor_cast<cluster_local_actor>(cluster_), queue_closed{});
}

void head_services::open_queue() const {
  send_from_outside(caf::actor_cast<cluster_local_actor>(cluster_), queue_opened{});
}

std::optional<allocation_view> head_services::standing_of(const runner_actor& whose) const {
  return asked<allocation_view>(system_, caf::actor_cast<cluster_local_actor>(cluster_),
                                answer_patience, standing_question{}, whose);
}

std::optional<scaling_board::note> head_services::scaling() const {
  return scaling_ == nullptr ? std::nullopt : scaling_->read();
}

void head_services::when_broken(const std::function<void(const std::string&)>& call) {
  tell_of_break(cluster_, "the cluster", call);
  tell_of_break(node_, "the node of this machine", call);
}

void head_services::when_crippled(std::function<void(const std::string&)> call) {
  on_crippled_ = std::move(call);
}

void head_services::close() {
  auto go = [](const auto& whom) { caf::anon_send_exit(whom, caf::exit_reason::user_shutdown); };
  certificates_.reset();
  if (scaler_)
    go(*scaler_);
  send_from_outside(node_, drain_atom_v);
  if (package_server_) {
    asked<std::uint64_t>(system_, cluster_, farewell_patience, drain_atom_v);
    if (node_registry_)
      go(*node_registry_);
    go(*package_server_);
    go(*output_server_);
    go(*checkpoint_server_);
    go(*heartbeat_monitor_);
  }
  // The cluster hears of the last leases while the node drains; the cluster keeps the node alive,
  // so it ends too.
  go(cluster_);
}

void head_services::await_farewell() {
  caf::scoped_actor self{system_};
  self->wait_for(node_);
}

} // namespace tune
