/// `tune-node` with trainables that fail in every possible way.
// SPDX-License-Identifier: BSD-3-Clause
#include "tune/actors/own_trainable.hpp"
#include "tune/app/app.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

using tune::object;
using tune::session;

double number(const session& from, const char* name, double otherwise) {
  const auto* found = from.config().find(name);
  if (found == nullptr)
    return otherwise;
  if (const auto* whole = found->as_int())
    return static_cast<double>(*whole);
  const auto* real = found->as_double();
  return real != nullptr ? *real : otherwise;
}

bool report(session& to, double loss) {
  return to.report(object{{"loss", loss}});
}

void learn(session& to) {
  auto steps = static_cast<int>(number(to, "steps", 3));
  for (int i = 1; i <= steps; ++i) {
    if (!report(to, number(to, "x", 0) + 1.0 / i))
      return;
  }
}

/// Reports `steps` steps, one every `pause_ms`.
void keep_pace(session& to) {
  auto steps = static_cast<int>(number(to, "steps", 3));
  auto pause = static_cast<useconds_t>(number(to, "pause_ms", 0) * 1000);
  for (int i = 1; i <= steps; ++i) {
    ::usleep(pause);
    if (!report(to, number(to, "x", 0) + 1.0 / i))
      return;
  }
}

[[noreturn]] void wait_forever() {
  for (;;)
    ::pause();
}

void throw_it(session& to) {
  report(to, 1);
  throw std::runtime_error{"the learning rate exploded"};
}

void abort_it(session& to) {
  report(to, 1);
  std::cerr << "about to abort" << std::endl;
  std::abort();
}

void crash(session& to) {
  report(to, 1);
  std::cerr << "about to crash" << std::endl;
  ::raise(SIGSEGV);
}

void leave(session& to) {
  report(to, 1);
  std::cerr << "about to leave" << std::endl;
  ::_exit(3);
}

void hang(session& to) {
  report(to, 1);
  wait_forever();
}

void say_nothing(session&) {}

void not_numbers(session& to) {
  using limits = std::numeric_limits<double>;
  report(to, limits::quiet_NaN());
  report(to, limits::infinity());
  report(to, -limits::infinity());
}

/// Waits until the file named by the parameter `gate` exists.
void wait_for_gate(const object& config) {
  const auto* gate = config.find("gate");
  while (gate != nullptr && !std::filesystem::exists(*gate->as_string()))
    ::usleep(10'000);
}

std::int64_t count_in(const std::filesystem::path& checkpoint) {
  std::int64_t result = 0;
  if (!(std::ifstream{checkpoint / "n"} >> result))
    throw std::runtime_error{"the checkpoint has no count"};
  return result;
}

/// Counts to five, reports a checkpoint with each count, and waits at its gate before the third.
void hand_over(session& to) {
  std::int64_t n = to.restore_from() ? count_in(*to.restore_from()) : 0;
  const auto own = to.context().directory / "own";
  std::filesystem::create_directories(own);
  while (n < 5) {
    if (++n == 3)
      wait_for_gate(to.config());
    std::ofstream{own / "n"} << n;
    if (!to.report(object{{"loss", 1.0 / static_cast<double>(n)}, {"n", n}}, own))
      return;
  }
}

/// The same training as tests/e2e/descending_trial.py, as a function: its loss shrinks by `lr` at
/// each of 13 steps. Every `every`-th report brings a checkpoint; with 0, none does.
void descend(session& to) {
  const auto every = static_cast<int>(number(to, "every", 1));
  const auto pause = static_cast<useconds_t>(number(to, "pause_ms", 0) * 1000);
  const auto lr = number(to, "lr", 0);
  int step = 0;
  double loss = 1;
  if (auto from = to.restore_from(); from && !(std::ifstream{*from / "state"} >> step >> loss))
    throw std::runtime_error{"the checkpoint has no state"};
  const auto own = to.context().directory / "own";
  std::filesystem::create_directories(own);
  while (step < 13) {
    ::usleep(pause);
    loss *= 1 - lr;
    object said{{"loss", loss}, {"lr", lr}, {"training_iteration", ++step}};
    const auto brings = every > 0 && step % every == 0;
    if (brings) {
      std::ofstream out{own / "state"};
      out.precision(std::numeric_limits<double>::max_digits10);
      out << step << ' ' << loss;
    }
    if (!(brings ? to.report(std::move(said), own) : to.report(std::move(said))))
      return;
  }
}

/// Counts the same way, as a class that is saved on request, with `bytes` of ballast.
class counting : public tune::trainable {
public:
  void setup(const object& config, const tune::trial_context&) override { config_ = config; }
  tune::metrics step() override {
    if (++n_ == 3)
      wait_for_gate(config_);
    return {{"loss", 1.0 / static_cast<double>(n_)}, {"n", n_}, {"done", n_ == 5}};
  }
  [[nodiscard]] bool can_save() const override { return true; }
  void save(const std::filesystem::path& to) override {
    const auto* more = config_.find("bytes");
    const auto count = more != nullptr && more->as_int() != nullptr ? *more->as_int() : 0;
    std::ofstream{to / "ballast"} << std::string(static_cast<std::size_t>(count), 'x');
    if (!(std::ofstream{to / "n"} << n_ << std::flush)
        || std::filesystem::file_size(to / "ballast") != static_cast<std::uintmax_t>(count))
      throw std::runtime_error{"the count cannot be written"};
  }
  void load(const std::filesystem::path& from) override { n_ = count_in(from); }

private:
  object config_;
  std::int64_t n_ = 0;
};

std::int64_t whole(const object& config, const char* name) {
  const auto* found = config.find(name);
  const auto* number = found == nullptr ? nullptr : found->as_int();
  if (number == nullptr)
    throw std::invalid_argument{std::string{"no whole number "} + name};
  return *number;
}

/// The same training as tests/e2e/chain_trial.sh: a chain of numbers, each computed from the one
/// before.
class chain : public tune::trainable {
public:
  void setup(const object& config, const tune::trial_context&) override { begin(config); }
  bool reset(const object& config) override {
    begin(config);
    return true;
  }
  tune::metrics step() override {
    ++place_;
    state_ = state_ * 48271 % 2147483647;
    ::usleep(static_cast<useconds_t>(state_ % 10 * 10'000));
    return {{"loss", state_}, {"place", place_}, {"done", place_ == steps_}};
  }
  [[nodiscard]] bool can_save() const override { return true; }
  void save(const std::filesystem::path& to) override {
    std::ofstream{to / "place"} << place_ << ' ' << state_;
  }
  void load(const std::filesystem::path& from) override {
    if (!(std::ifstream{from / "place"} >> place_ >> state_))
      throw std::runtime_error{"the checkpoint has no place"};
  }

private:
  std::int64_t steps_ = 0, place_ = 0, state_ = 0;

  void begin(const object& config) {
    steps_ = whole(config, "steps");
    place_ = 0;
    state_ = whole(config, "x");
  }
};

/// Like `counting`, but fails at the third step: always or, depending on the parameter `falls`,
/// only if it did not start from a checkpoint.
class stumbling : public counting {
public:
  void setup(const object& config, const tune::trial_context& where) override {
    counting::setup(config, where);
    const auto* how = config.find("falls");
    if (how != nullptr && how->as_string() != nullptr)
      falls_ = *how->as_string();
  }
  tune::metrics step() override {
    auto result = counting::step();
    const auto third = result.find("n") != nullptr && *result.find("n") == tune::value{3};
    if (third && (falls_ == "always" || (falls_ == "once" && !restored_)))
      throw std::runtime_error{"it fell"};
    return result;
  }
  void load(const std::filesystem::path& from) override {
    counting::load(from);
    restored_ = true;
  }

private:
  std::string falls_;
  bool restored_ = false;
};

struct fault {
  const char* name;
  void (*run)(session&);
};

constexpr fault faults[] = {
    {"learns", learn}, {"throws", throw_it}, {"aborts", abort_it},    {"crashes", crash},
    {"leaves", leave}, {"hangs", hang},      {"silent", say_nothing}, {"not_numbers", not_numbers},
};

/// Counts as an actor: up to `steps`, one every `pause_ms`; fails once at the step `breaks`.
struct pacing_state {
  object config;
  std::int64_t n = 0;
  bool restored = false;

  tune::training_result step() {
    ::usleep(static_cast<useconds_t>(whole(config, "pause_ms") * 1000));
    if (++n == whole(config, "breaks") && !restored)
      throw std::runtime_error{"the actor broke"};
    return {
        {{"loss", 1.0 / static_cast<double>(n)}, {"n", n}, {"done", n == whole(config, "steps")}}};
  }
};

tune::own_trainable_actor::behavior_type
pace(tune::own_trainable_actor::stateful_pointer<pacing_state> self) {
  auto& state = tune::state_of(self);
  return {
      [&state](const tune::training_setup& x) { state.config = *x.config; },
      [&state](const tune::training_load& x) {
        state.n = count_in(x.directory);
        state.restored = true;
      },
      [&state](tune::training_step) { return state.step(); },
      [&state](const tune::training_save& x) { std::ofstream{x.directory / "n"} << state.n; },
      [](const tune::training_export&) { return false; },
  };
}

/// One trainable for an experiment of good and bad trials; the parameter `kind` selects the
/// behaviour.
void be_moody(session& to) {
  const auto* kind = to.config().find("kind");
  const auto* name = kind != nullptr ? kind->as_string() : nullptr;
  for (const auto& x : faults) {
    if (name != nullptr && *name == x.name)
      return x.run(to);
  }
  throw std::invalid_argument{"no fault of this name"};
}

} // namespace

int main(int argc, char** argv) {
  tune::trainable_registry all;
  for (const auto& x : faults)
    all.add_function(x.name, x.run);
  all.add_function("moody", be_moody);
  all.add_function("hands_over", hand_over);
  all.add_function("keeps_pace", keep_pace);
  all.add_function("descends", descend);
  all.add_class<counting>("counts");
  all.add_class<chain>("chain");
  all.add_class<stumbling>("stumbles");
  tune::add_actor(all, "paces", tune::trained_by<pacing_state>(pace));
  return tune::app(argc, argv, tune::builtin_choices(std::move(all)));
}
