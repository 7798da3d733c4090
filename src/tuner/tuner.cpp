// SPDX-License-Identifier: BSD-3-Clause
#include "tune/tuner/tuner.hpp"

#include "tune/tuner/needed_files.hpp"
#include "tune/tuner/preparation.hpp"

#include "relay.hpp"
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

using run_content = run_options::content;

/// A file name that gives the experiment its name where there is no INI file; nothing lies beside
/// it.
fs::path stand_in(const run_content& what) {
  std::string name = "experiment";
  for (const auto& x : what.keys) {
    if (x.name == "trainable.name" && !x.text.empty())
      name = x.text;
  }
  std::error_code ignored;
  return fs::current_path(ignored) / (name + ".ini");
}

/// The text of a fault. Values set from C++ have no place but their key.
std::string fault_text(const config_fault& x, bool has_file) {
  using source = config_origin::source;
  if (x.at.from == source::environment || (has_file && x.at.from == source::file))
    return to_text(x);
  return (x.section.empty() ? "" : "[" + x.section + "] ") + x.message;
}

error fault_error(const config_faults& x, bool has_file) {
  auto result = to_error(x);
  constexpr std::size_t shown = 8;
  result.detail.clear();
  for (std::size_t i = 0; i < x.list().size() && i < shown; ++i)
    result.detail += (i == 0 ? "" : "\n") + fault_text(x.list()[i], has_file);
  if (x.total() > shown)
    result.detail += "\nand " + std::to_string(x.total() - shown) + " more";
  return result;
}

load_result load(const run_content& what, const choices& all) {
  load_request wanted;
  wanted.overrides = what.keys;
  if (what.environment)
    wanted.environment = environment_of(environ);
  wanted.schedulers = all.schedulers;
  wanted.searchers = all.searchers;
  wanted.stoppers = all.stoppers;
  wanted.sinks = all.sinks;
  wanted.trainables = &all.trainables;
  return what.file.empty() ? load_spec_text("", stand_in(what), wanted)
                           : load_spec(what.file, wanted);
}

/// Checks that trials can have processes, if these were asked for.
expected<void> can_isolate(const loaded_spec& x) {
  if (can_host())
    return {};
  auto kind = *x.what.trainable.kind;
  auto asked = x.what.trainable.reuse_actors
               || (x.what.trainable.isolation == isolation_kind::process
                   && x.origins.contains("trainable.isolation"));
  if (kind == trainable_kind::command || (asked && kind != trainable_kind::table))
    return error{ec::refused, std::string{no_host_main}};
  return {};
}

/// Checks that this machine can run the trials; unknown where workers may join.
expected<void> can_run(const loaded_spec& x, const host_resources& machine) {
  if (auto fault = impossible_offer(x, lack_of_gpus(machine, x.what.cluster.gpus.value_or(0))))
    return error{ec::impossible_request, fault_text(*fault, false)};
  if (!x.what.cluster.listen.empty())
    return {};
  auto fault = impossible_request(
      x, {{node_settings{}.name, offered_by(x.what, machine.capacity())}}, machine.why_fewer_gpus);
  if (fault)
    return error{ec::impossible_request, fault_text(*fault, false)};
  if (auto missing = missing_program(x, environment_of(environ)))
    return error{ec::bad_option, fault_text(*missing, false)};
  return {};
}

/// Checks that an experiment that goes on still has its files; nothing was changed yet.
expected<void> has_files(const spec& what, const fs::path& directory,
                         std::optional<resume_mode> resume) {
  auto where = what.cluster.listen.empty() ? trial_place::here : trial_place::anywhere;
  auto missing = resume ? find_missing_in(directory, what, where) : missing_files{};
  if (missing.empty())
    return {};
  return error{ec::unreadable, directory.string() + ": " + to_text(missing)
                                   + ": put back what is"
                                     " missing"};
}

/// @param what "scheduler" or "searcher".
template <class Own>
expected<void> can_recover(const Own& own, const std::string& what, relay& news) {
  if (own.spawn == nullptr)
    return error{ec::bad_option, "the " + what + ' ' + own.name + " has no function to spawn it"};
  if (own.recovers == recovery::snapshot)
    return error{ec::refused, "the " + what + ' ' + own.name
                                  + " recovers by snapshot, which is not there yet; use replay"};
  if (own.recovers == recovery::none)
    news.warned("the " + what + ' ' + own.name
                + " does not recover: where this experiment goes on, it may decide otherwise");
  return {};
}

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

/// Puts the user's actors in the place of the configured choices, for the record.
void name_own(const run_content& what, spec& record) {
  if (what.scheduler)
    record.scheduler = {what.scheduler->name, {}};
  if (what.searcher) {
    record.search.type = what.searcher->name;
    record.search.options.clear();
  }
}

/// A user's own searcher says itself when it ends.
void count_own(const run_content& what, run_parts& parts, const spec& record) {
  if (!what.searcher)
    return;
  parts.planned = 0;
  auto counts_itself = what.searcher->traits.exhaustible;
  parts.settings.max_trials = counts_itself ? 0 : record.experiment.num_samples;
  parts.settings.sample_limit = parts.settings.max_trials;
}

expected<void> can_recover_all(const run_content& what, relay& news) {
  if (what.scheduler) {
    if (auto can = can_recover(*what.scheduler, "scheduler", news); !can)
      return can;
  }
  return what.searcher ? can_recover(*what.searcher, "searcher", news) : expected<void>{};
}

/// The port where workers may join; nothing: none.
expected<std::optional<listen_options>> port_for(const run_content& what, const loaded_spec& x) {
  auto result = listening(x);
  if (result && *result && what.system != nullptr && !what.system->has_middleman())
    return error{ec::refused, "the actor system of run_options::run_in speaks with no other: make"
                              " it of a tune::network_config"};
  return result;
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
  for (const auto& x : loaded.warnings)
    news->warned(x);
  if (!loaded)
    return fault_error(loaded.faults, !what.file.empty());
  auto& chosen = *loaded.loaded;
  auto machine = discover();
  if (auto can = can_isolate(chosen); !can)
    return can.error();
  std::error_code ignored;
  auto directory = experiment_directory(chosen.what, fs::current_path(ignored));
  if (what.searcher)
    chosen.origins.try_emplace("search.type");
  auto prepared = prepare(chosen, directory, what.resume, fs::current_path(ignored));
  if (!prepared)
    return prepared.error();
  for (const auto& text : *prepared)
    news->warned(text);
  auto record = chosen.what;
  name_own(what, record);
  if (what.resume) {
    auto finished = needs_nothing_more(directory, record, *what.resume);
    if (!finished)
      return finished.error();
    if (*finished) {
      if (auto whole = finish_up(directory, record); !whole)
        news->warned(to_text(whole.error()));
      return read_result_grid(directory, news->warnings());
    }
  }
  if (auto can = has_files(chosen.what, directory, what.resume); !can)
    return can.error();
  if (auto can = can_run(chosen, machine); !can)
    return can.error();
  for (const auto& x : chosen.what.cluster.local ? machine.warnings : std::vector<std::string>{})
    news->warned(x);
  auto port = port_for(what, chosen);
  if (!port)
    return port.error();
  auto made = make_shared_parts(chosen, all_, directory, machine, port->has_value());
  if (!made)
    return made.error();
  auto& [parts, shipment] = *made;
  if (auto can = can_recover_all(what, *news); !can)
    return can.error();
  count_own(what, parts, record);
  if (auto can = start_guard_if_needed(parts); !can)
    return can.error();
  if (auto warning = unenforced_memory(chosen, can_limit_memory))
    news->warned(fault_text(*warning, !what.file.empty()));
  if (auto can = can_begin(*port); !can)
    return can.error();
  auto opened = open_storage(directory, record, what.resume);
  if (!opened)
    return opened.error();
  auto how = options_for(std::move(*opened), record);
  // Closed when nobody reads any more: only then is its write-ahead log removed.
  auto store = how.store;
  how.observer = news;
  how.on_files_failed = [news](const error& why) { news->warned_by_files(to_text(why)); };
  how.on_sink_failed = [news](const std::string& why) { news->warned(why); };
  how.on_files_odd = [news](const std::string& text) { news->warned(text); };
  how.shipment = std::move(shipment);
  if (auto log = log_of(chosen.what, directory, news); !log)
    return log.error();
  else if (*log)
    how.observer = joined_observers({*log, news});
  if (auto begun = news->start(); !begun)
    return begun.error();
  news->began(directory);
  staging where{chosen.what.cluster.local, std::move(*port)};
  expected<void> done;
  if (what.system != nullptr) {
    done = conduct(*what.system, std::move(parts), std::move(how), what, std::move(where), news);
  } else {
    auto config = config_for(where.port);
    caf::actor_system system{*config};
    done = conduct(system, std::move(parts), std::move(how), what, std::move(where), news);
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
