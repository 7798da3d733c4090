// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/tuner.hpp"

#include "tune/tuner/needed_files.hpp"
#include "tune/tuner/preparation.hpp"

#include "relay.hpp"
#include "run_plan.hpp"
#include "steering_link.hpp"
#include "tune/actors/runtime_log.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/process/memory_limit.hpp"
#include "tune/io/spec/convert.hpp"
#include "tune/io/spec/machine_check.hpp"
#include "tune/io/spec/record.hpp"
#include "tune/io/spec/resource_check.hpp"
#include "tune/trainable/drive.hpp"
#include "tune/tuner/experiment_actors.hpp"
#include "tune/tuner/listening.hpp"
#include "tune/tuner/own_actors.hpp"
#include "tune/tuner/storage.hpp"

#include <unistd.h>

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

expected<void> open_to_workers(head_services& place, std::optional<listen_options> port,
                               const std::shared_ptr<relay>& news) {
  if (!port)
    return {};
  auto where = port->where;
  port->say = [news](const std::string& line) { news->worker_changed(line); };
  auto opened = place.listen(std::move(*port));
  if (!opened)
    return opened.error();
  where.port = *opened;
  news->listens(to_text(where));
  return {};
}

/// The runtime's own log; null where none is wanted.
expected<std::shared_ptr<run_observer>> log_of(const spec& what, const fs::path& directory,
                                               const std::shared_ptr<relay>& news) {
  if (what.log.file.empty())
    return std::shared_ptr<run_observer>{};
  return open_runtime_log({directory / what.log.file, what.log.level,
                           [news](const std::string& why) { news->warned(why); }});
}

/// Has everything about the run told to `news`, and to its log if there is one.
expected<void> tell_all(experiment_actors_options& how, const spec& what, const fs::path& directory,
                        const std::shared_ptr<relay>& news) {
  how.observer = news;
  how.on_files_failed = [news](const error& why) { news->warned_by_files(to_text(why)); };
  how.on_sink_failed = [news](const std::string& why) { news->warned(why); };
  how.on_files_odd = [news](const std::string& text) { news->warned(text); };
  auto log = log_of(what, directory, news);
  if (!log)
    return log.error();
  if (*log)
    how.observer = joined_observers({*log, news});
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
  if (auto is_over = is_over_already(what, *planned, *news); !is_over)
    return is_over.error();
  else if (*is_over)
    return read_result_grid(directory, news->warnings());
  auto made = make_ready(what, *planned, all_, *news);
  if (!made)
    return made.error();
  auto& [shared, port] = *made;
  auto opened = open_storage(directory, record, what.resume);
  if (!opened)
    return opened.error();
  auto how = options_for(std::move(*opened), record);
  // Closed when nobody reads any more: only then is its write-ahead log removed.
  auto store = how.store;
  if (auto told = tell_all(how, chosen.what, directory, news); !told)
    return told.error();
  how.shipment = std::move(shared.shipment);
  if (auto begun = news->start(); !begun)
    return begun.error();
  news->began(directory);
  staging where{chosen.what.cluster.local, std::move(port)};
  expected<void> done;
  if (what.system != nullptr) {
    done = conduct(*what.system, std::move(shared.parts), std::move(how), what, std::move(where),
                   news);
  } else {
    auto config = config_for(where.port);
    caf::actor_system system{*config};
    done = conduct(system, std::move(shared.parts), std::move(how), what, std::move(where), news);
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
  if (what.scheduler) {
    auto hired = hire<hired_scheduler>(system, *what.scheduler, "scheduler");
    if (!hired)
      return hired.error();
    how.scheduler = std::move(*hired);
  }
  if (what.searcher) {
    auto hired = hire<hired_searcher>(system, *what.searcher, "searcher");
    if (!hired) {
      if (how.scheduler)
        caf::anon_send_exit(how.scheduler->who, caf::exit_reason::user_shutdown);
      return hired.error();
    }
    how.searcher = std::move(*hired);
    how.searcher->answer_timeout = what.searcher->answer_timeout;
  }
  head_services place{system, parts.node, where.works_here};
  auto directory = how.store->directory();
  experiment_actors actors{place, std::move(parts), std::move(how)};
  place.when_crippled(actors.interrupter());
  auto broken = [news](const std::string& why) { news->broke(why); };
  place.when_broken(broken);
  actors.when_broken(broken);
  auto began = open_to_workers(place, std::move(where.port), news);
  if (began)
    began = link_->begin(actors, directory);
  run_summary end;
  if (began) {
    end = news->wait();
    link_->end();
  }
  auto trouble = actors.settle();
  actors.dismiss();
  place.close();
  actors.await_farewell();
  place.await_farewell();
  if (!began)
    return began.error();
  if (!end.storage_error.empty() || !trouble.empty())
    return error{ec::storage, end.storage_error.empty() ? trouble : end.storage_error};
  return {};
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
