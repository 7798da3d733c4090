// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/company.hpp"

#include "tune/actors/cluster.hpp"
#include "tune/actors/recorder.hpp"
#include "tune/actors/rules.hpp"
#include "tune/actors/sink.hpp"
#include "tune/io/sinks/trial_files/trial_files.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/net/depot.hpp"
#include "tune/net/dial.hpp"
#include "tune/net/door.hpp"
#include "tune/net/inbox.hpp"

namespace tune {

namespace {

using std::chrono::seconds;

/// Trial files may lag behind by this much and are still waited for.
constexpr auto settle_patience = std::chrono::minutes{10};
constexpr auto answer_patience = seconds{2};
/// To look through the manifest of what is shipped.
constexpr auto shipping_patience = seconds{30};
/// For workers to end what they run.
constexpr auto farewell_patience = seconds{10};
constexpr std::uint32_t most_rows = 50;
constexpr std::size_t events_at_once = 10'000;

template <class Answer, class Handle, class... Words>
std::optional<Answer> asked(caf::actor_system& system, const Handle& whom, caf::timespan patience,
                            Words&&... words) {
  caf::scoped_actor self{system};
  std::optional<Answer> result;
  tune::request(self.operator->(), whom, patience, std::forward<Words>(words)...)
      .receive([&](const Answer& x) { result = x; }, [](const caf::error&) {});
  return result;
}

catch_up_function file_writer(const std::filesystem::path& directory) {
  // Opened by the sink's own thread, when there is something to read.
  auto files = std::make_shared<std::unique_ptr<trial_files>>();
  return [files, directory](sequence committed) -> expected<void> {
    if (*files == nullptr) {
      auto made = trial_files::open(directory);
      if (!made)
        return made.error();
      *files = std::move(*made);
    }
    return (*files)->catch_up(committed);
  };
}

/// Writes as long as the company holds the store: where it is gone, so is the lock on the
/// directory.
commit_function committer(const std::weak_ptr<experiment_store>& where) {
  return [where](std::span<const store_item> items) -> expected<void> {
    if (auto store = where.lock())
      return store->write(items);
    return error{ec::storage, "the experiment was closed"};
  };
}

/// Without its scheduler or searcher a run would wait for ever.
template <class Handle>
void end_with(caf::actor_system& system, const runner_actor& runner, const Handle& whom,
              const std::string& what) {
  when_gone(whom, [&system, runner, what](const caf::error& why) {
    auto text = what + " is gone" + (why ? ": " + render(system, why) : std::string{});
    send_from_outside(runner, news{on::stop_asked{{}, std::move(text)}});
  });
}

history_function history_of(const std::filesystem::path& directory) {
  auto reader = std::make_shared<std::optional<store_reader>>();
  return [reader, directory](sequence after) -> expected<std::vector<event>> {
    if (!*reader) {
      auto opened = store_reader::open(directory);
      if (!opened)
        return opened.error();
      reader->emplace(std::move(*opened));
    }
    return (*reader)->events_after(after, events_at_once);
  };
}

} // namespace

company::company(caf::actor_system& system, run_parts parts, company_options how)
    : system_{system}
    , store_{how.store}
    , cluster_{spawn_cluster(system)}
    , recorder_{spawn_recorder(system, committer(how.store))} {
  if (parts.work->trial_files)
    spawn_files(how);
  runner_parts wanted{experiment{parts.settings,
                                 how.scheduler ? how.scheduler->traits : parts.judge->traits(),
                                 how.searcher ? how.searcher->traits : parts.source->traits(),
                                 std::move(parts.stoppers)},
                      how.opening,
                      {},
                      {},
                      cluster_,
                      recorder_,
                      parts.settings.queue_trials,
                      how.observer,
                      {}};
  // An actor of the user's own may take its time, whatever it says.
  wanted.prompt_scheduler = !how.scheduler && parts.judge->traits().prompt;
  wanted.prompt_searcher = !how.searcher && parts.source->traits().prompt;
  wanted.job = parts.work->id;
  wanted.labels = parts.labels;
  if (how.resumes)
    wanted.history = history_of(store_->directory());
  spawn_rules(parts, how);
  parts.node.jobs = {parts.work};
  node_ = spawn_node(system, parts.node, cluster_);
  if (how.works_here)
    send_from_outside(cluster_, offer_of(parts.node), node_);
  wanted.scheduler = judge_;
  wanted.searcher = source_;
  runner_ = spawn_runner(system, std::move(wanted));
  end_with(system, runner_, judge_, "the scheduler");
  end_with(system, runner_, source_, "the searcher");
}

void company::spawn_rules(run_parts& parts, const company_options& how) {
  judge_ = how.scheduler ? how.scheduler->who : spawn_scheduler(system_, std::move(parts.judge));
  source_ = how.searcher ? how.searcher->who : spawn_searcher(system_, std::move(parts.source));
}

void company::spawn_files(const company_options& how) {
  files_ = spawn_sink(system_, file_writer(store_->directory()), how.on_files_failed);
  send_from_outside(recorder_, *files_);
}

expected<std::uint16_t> company::listen(listen_options how) {
  depot_ = spawn_depot(system_);
  inbox_ = spawn_inbox(system_);
  auto id = how.shipment.job;
  auto trouble = asked<std::string>(system_, *depot_, shipping_patience, std::move(how.shipment));
  if (!trouble || !trouble->empty())
    return error{ec::internal, trouble ? *trouble : "the depot does not answer"};
  send_from_outside(*inbox_, job_place{std::move(id), store_->directory()});
  door_settings settings;
  settings.cluster = std::move(how.cluster);
  settings.say = std::move(how.say);
  door_ = spawn_door(system_, std::move(settings), cluster_, {cluster_, *depot_, *inbox_});
  return open_port(system_, *door_, how.where, how.how);
}

void company::start() {
  send_from_outside(runner_, run_atom_v);
}

void company::interrupt(std::string why) {
  send_from_outside(runner_, news{on::interrupted{std::move(why)}});
}

void company::stop(std::string why) {
  send_from_outside(runner_, news{on::stop_asked{{}, std::move(why)}});
}

std::optional<runner_status> company::status() {
  return asked<runner_status>(system_, runner_, answer_patience, status_atom_v, most_rows);
}

std::optional<cluster_status> company::resources() {
  return asked<cluster_status>(system_, cluster_, answer_patience, status_atom_v);
}

std::string company::settle() {
  auto trouble = asked<std::string>(system_, recorder_, settle_patience, drain_atom_v);
  if (!trouble)
    return "the recorder does not answer";
  if (files_ && trouble->empty()) {
    send_from_outside(*files_, durable_up_to{store_->last_seq()});
    asked<std::string>(system_, *files_, settle_patience, drain_atom_v);
  }
  return *trouble;
}

void company::dismiss() {
  auto go = [](const auto& whom) { caf::anon_send_exit(whom, caf::exit_reason::user_shutdown); };
  send_from_outside(node_, drain_atom_v);
  if (door_) {
    asked<std::uint64_t>(system_, cluster_, farewell_patience, drain_atom_v);
    go(*door_);
    go(*depot_);
    go(*inbox_);
  }
  go(runner_);
  go(judge_);
  go(source_);
  go(recorder_);
  if (files_)
    go(*files_);
  // The cluster hears of the last leases while the node drains; it holds the node, so it goes too.
  go(cluster_);
}

void company::await_farewell() {
  caf::scoped_actor self{system_};
  self->wait_for(runner_, node_, recorder_, judge_, source_);
  if (files_)
    self->wait_for(*files_);
}

} // namespace tune
