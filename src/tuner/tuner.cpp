// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/tuner.hpp"

#include "relay.hpp"
#include "run_plan.hpp"
#include "steering_link.hpp"

#include "tune/io/process/host.hpp"
#include "tune/trainable/drive.hpp"
#include "tune/tuner/own_actors.hpp"
#include "tune/tuner/run_steps.hpp"
#include "tune/tuner/standalone_run.hpp"

#include <mutex>
#include <utility>

namespace tune {

namespace fs = std::filesystem;

namespace {

template <class Hired, class Own>
expected<Hired> hire(caf::actor_system& system, const Own& own, const std::string& what) {
  try {
    auto who = own.spawn(system);
    if (!who)
      return error{ec::user_code, "the " + what + ' ' + own.name + " was not spawned"};
    if (&who.home_system() != &system)
      return error{ec::refused, "the " + what + ' ' + own.name
                                    + " lives in another actor system; see run_options::run_in"};
    return Hired{std::move(who), own.traits};
  } catch (...) {
    return error{ec::user_code,
                 "the " + what + ' ' + own.name + " was not spawned: " + current_exception_text()};
  }
}

/// The places where an experiment runs.
struct staging {
  bool works_here = true;
  std::optional<listen_options> port;
};

expected<void> open_to_workers(standalone_run& run, std::optional<listen_options> port,
                               const std::shared_ptr<relay>& news) {
  if (!port)
    return {};
  port->say = [news](const std::string& line) { news->worker_changed(line); };
  auto opened = run.listen(std::move(*port));
  if (!opened)
    return opened.error();
  news->listens(to_text(*opened));
  return {};
}

/// Everything about a run is told to `news`.
run_listeners listeners_of(const std::shared_ptr<relay>& news) {
  auto warn = [news](const std::string& text) { news->warned(text); };
  return {news, warn, warn, [news](const error& why) { news->warned_by_files(to_text(why)); }};
}

/// Replaces the configured scheduler and searcher by the user's own actors.
expected<void> hire_own(caf::actor_system& system, const run_content& what,
                        experiment_actors_options& how) {
  if (what.scheduler) {
    auto hired = hire<hired_scheduler>(system, *what.scheduler, "scheduler");
    if (!hired)
      return hired.error();
    how.scheduler = std::move(*hired);
    how.scheduler->answer_timeout = what.scheduler->answer_timeout;
  }
  if (!what.searcher)
    return {};
  auto hired = hire<hired_searcher>(system, *what.searcher, "searcher");
  if (!hired) {
    if (how.scheduler)
      caf::anon_send_exit(how.scheduler->who, caf::exit_reason::user_shutdown);
    return hired.error();
  }
  how.searcher = std::move(*hired);
  how.searcher->answer_timeout = what.searcher->answer_timeout;
  return {};
}

} // namespace

class tuner::impl {
public:
  explicit impl(choices all) : all_{std::move(all)} {}

  expected<result_grid> run(const run_content& what);

  [[nodiscard]] const std::shared_ptr<steering_link>& link() const { return link_; }

private:
  choices all_;
  std::mutex mutex_;
  bool busy_ = false;
  std::shared_ptr<steering_link> link_ = std::make_shared<steering_link>();

  expected<result_grid> run_alone(const run_content& what);
  expected<void> conduct(caf::actor_system& system, run_parts parts, experiment_actors_options how,
                         const run_content& what, staging where,
                         const std::shared_ptr<relay>& news);
};

expected<result_grid> tuner::impl::run(const run_content& what) {
  {
    std::lock_guard guard{mutex_};
    if (std::exchange(busy_, true))
      return error{ec::refused, "this tuner runs an experiment already; take another one"};
  }
  auto result = run_alone(what);
  std::lock_guard guard{mutex_};
  busy_ = false;
  return result;
}

expected<result_grid> tuner::impl::run_alone(const run_content& what) {
  if (is_host_process())
    return error{ec::refused, std::string{no_host_main}};
  auto news = std::make_shared<relay>(what.callback);
  auto loaded = load(what, all_);
  warn_of_all(loaded.warnings, *news);
  if (!loaded)
    return fault_error(loaded.faults, !what.file.empty());
  auto planned = plan(what, std::move(*loaded.loaded), *news);
  if (!planned)
    return planned.error();
  auto& [chosen, record, directory] = *planned;
  auto untidy = [&](const error& why) { news->warned(to_text(why)); };
  auto is_over = is_over_already(directory, record, what.resume, untidy);
  if (!is_over)
    return is_over.error();
  if (*is_over)
    return read_result_grid(directory, news->warnings());
  auto made = make_ready(what, *planned, all_, *news);
  if (!made)
    return made.error();
  auto& [shared, port] = *made;
  auto how = open_run(directory, record, what.resume);
  if (!how)
    return how.error();
  // Closed when nobody reads any more: only then is its write-ahead log removed.
  auto store = how->store;
  if (auto told = tell_all(*how, chosen.what, listeners_of(news)); !told)
    return told.error();
  how->shipment = std::move(shared.shipment);
  if (auto begun = news->start(); !begun)
    return begun.error();
  news->began(directory);
  staging where{chosen.what.cluster.local, std::move(port)};
  expected<void> done;
  if (what.system != nullptr) {
    done = conduct(*what.system, std::move(shared.parts), std::move(*how), what, std::move(where),
                   news);
  } else {
    auto config = config_for(where.port);
    caf::actor_system system{*config};
    done = conduct(system, std::move(shared.parts), std::move(*how), what, std::move(where), news);
  }
  store.reset();
  news->close();
  if (!done)
    return done.error();
  return read_result_grid(directory, news->warnings());
}

expected<void> tuner::impl::conduct(caf::actor_system& system, run_parts parts,
                                    experiment_actors_options how, const run_content& what,
                                    staging where, const std::shared_ptr<relay>& news) {
  if (auto hired = hire_own(system, what, how); !hired)
    return hired;
  auto directory = how.store->directory();
  standalone_run run{system, std::move(parts), std::move(how), where.works_here,
                     [news](const std::string& why) { news->broke(why); }};
  auto began = open_to_workers(run, std::move(where.port), news);
  if (began)
    began = link_->begin(run.actors(), directory);
  run_summary end;
  if (began) {
    end = news->wait();
    link_->end();
  }
  run.actors().settle(end);
  run.close();
  run.await_farewell();
  if (!began)
    return began.error();
  return end.storage_error.empty() ? expected<void>{} : error{ec::storage, end.storage_error};
}

tuner::tuner(choices what) : impl_{std::make_unique<impl>(std::move(what))} {}
tuner::tuner(trainable_registry trainables) : tuner{builtin_choices(std::move(trainables))} {}
tuner::~tuner() = default;
tuner::tuner(tuner&&) noexcept = default;
tuner& tuner::operator=(tuner&&) noexcept = default;

expected<result_grid> tuner::run(const run_options& what) {
  return impl_->run(what.contents());
}

void tuner::stop(std::string why) {
  impl_->link()->with_experiment_actors([&](experiment_actors& x) { x.stop(std::move(why)); });
}

void tuner::interrupt(std::string why) {
  impl_->link()->with_experiment_actors([&](experiment_actors& x) { x.interrupt(std::move(why)); });
}

std::optional<experiment_view> tuner::view() const {
  std::optional<experiment_view> result;
  impl_->link()->with_experiment_actors([&](experiment_actors& x) {
    if (auto state = x.status())
      result = state->view;
  });
  return result;
}

steering tuner::steer() const {
  return steering{impl_->link()};
}

} // namespace tune
