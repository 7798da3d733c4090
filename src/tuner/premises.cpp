// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/premises.hpp"

#include "asked.hpp"
#include "tune/actors/breaks.hpp"
#include "tune/actors/cluster.hpp"
#include "tune/actors/seal.hpp"
#include "tune/net/depot.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/door.hpp"
#include "tune/net/inbox.hpp"
#include "tune/net/vault.hpp"
#include "tune/net/watchman.hpp"

#include <algorithm>
#include <future>
#include <memory>
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

/// To look through the manifest of what is shipped.
constexpr std::chrono::seconds shipping_patience{30};
/// For what is being written at the moment.
constexpr std::chrono::seconds vault_patience{30};
/// For workers to end what they run.
constexpr std::chrono::seconds farewell_patience{10};

/// What the node of this machine lacks: memory of its own, and somebody who listens.
node_settings furnished(node_settings node, const std::filesystem::path& memory,
                        const cluster_actor& cluster) {
  if (node.memory.empty())
    node.memory = memory;
  if (!node.tell)
    node.tell = [cluster](const std::string& text) { send_from_outside(cluster, remark{text}); };
  return node;
}

} // namespace

premises::premises(caf::actor_system& system, const node_settings& node, bool works_here)
    : system_{system}
    , cluster_{spawn_cluster(system, [say = say_](const std::string& text) { (*say)(text); })}
    , node_{spawn_node_desk(system, furnished(node, memory_.directory(), cluster_), cluster_)}
    , secret_{fresh_secret()} {
  if (works_here)
    send_from_outside(cluster_, offer_of(node), node_actor{node_});
}

expected<std::uint16_t> premises::listen(listen_options how) {
  *say_ = how.say;
  depot_ = spawn_depot(system_);
  inbox_ = spawn_inbox(system_);
  vault_settings keeping;
  keeping.secret = secret_;
  vault_ = spawn_vault(system_, std::move(keeping));
  watchman_ = spawn_watchman(system_, {how.liveness}, cluster_);
  door_settings settings;
  settings.watchman = *watchman_;
  settings.rules = how.liveness;
  settings.head = fresh_secret();
  settings.cluster = std::move(how.cluster);
  settings.front = std::move(how.front);
  settings.say = std::move(how.say);
  door_ = spawn_door(system_, std::move(settings), cluster_,
                     {cluster_, *depot_, *inbox_, *vault_, *watchman_});
  tell_of_break(*depot_, "the depot of experiments' files", on_crippled_);
  tell_of_break(*inbox_, "the inbox of trials' output", on_crippled_);
  tell_of_break(*vault_, "the vault of checkpoints", on_crippled_);
  tell_of_break(*watchman_, "the watchman of nodes", on_crippled_);
  tell_of_break(*door_, "the door for workers", on_crippled_);
  return open_port(system_, *door_, how.where, how.how);
}

expected<void> premises::take_in(std::shared_ptr<const job> work,
                                 std::optional<job_offer> shipment) {
  if (door_ && shipment) {
    auto trouble = asked<std::string>(system_, *depot_, shipping_patience, std::move(*shipment));
    if (!trouble || !trouble->empty())
      return error{ec::internal, trouble ? *trouble : "the depot does not answer"};
    const job_place place{work->id, work->directory, work->limits, work->artifacts};
    send_from_outside(*inbox_, place);
    send_from_outside(*vault_, place);
  }
  send_from_outside(node_, job_ready{std::move(work), {}, false});
  return {};
}

void premises::forget(const std::string& job) {
  send_from_outside(cluster_, job_over{job});
  if (!door_)
    return;
  send_from_outside(*depot_, job_withdrawn{job});
  send_from_outside(*inbox_, job_withdrawn{job});
  send_from_outside(*vault_, job_withdrawn{job});
}

std::function<void(trial_id, attempt_id)>
premises::gives_up_attempts_of(const std::string& job) const {
  return [vault = vault_, job](trial_id trial, attempt_id attempt) {
    if (!vault)
      return;
    auto done = std::make_shared<std::promise<void>>();
    auto is_done = done->get_future();
    // In vain: what comes yet is removed by the next head.
    give_up(*vault, job, trial, attempt, [done = std::move(done)] { done->set_value(); });
    is_done.wait_for(vault_patience);
  };
}

std::string premises::impossible(const resource_request& what, const node_labels& labels) const {
  auto answer = asked<std::string>(system_, cluster_, answer_patience, fit_question{what, labels});
  return answer.value_or(std::string{});
}

std::optional<bool> premises::has_room(const resource_request& what,
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

std::optional<cluster_status> premises::resources() const {
  return asked<cluster_status>(system_, cluster_, answer_patience, status_atom_v);
}

void premises::when_broken(const std::function<void(const std::string&)>& call) {
  tell_of_break(cluster_, "the cluster", call);
  tell_of_break(node_, "the node of this machine", call);
}

void premises::when_crippled(std::function<void(const std::string&)> call) {
  on_crippled_ = std::move(call);
}

void premises::close() {
  auto go = [](const auto& whom) { caf::anon_send_exit(whom, caf::exit_reason::user_shutdown); };
  send_from_outside(node_, drain_atom_v);
  if (door_) {
    asked<std::uint64_t>(system_, cluster_, farewell_patience, drain_atom_v);
    go(*door_);
    go(*depot_);
    go(*inbox_);
    go(*vault_);
    go(*watchman_);
  }
  // The cluster hears of the last leases while the node drains; it holds the node, so it goes too.
  go(cluster_);
}

void premises::await_farewell() {
  caf::scoped_actor self{system_};
  self->wait_for(node_);
}

} // namespace tune
