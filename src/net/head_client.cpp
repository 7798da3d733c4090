// SPDX-License-Identifier: BSD-3-Clause
#include "tune/net/head_client.hpp"

#include "tune/actors/firm.hpp"
#include "tune/net/package_server.hpp"
#include "tune/net/submission_actors.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace tune {

namespace {

/// Result of the introduction at a head.
struct led_in {
  std::optional<error> why;
};

} // namespace

} // namespace tune

TUNE_BEGIN_LOCAL_TYPES(tune_head_client)
TUNE_LOCAL_TYPE(tune_head_client, tune::led_in)
TUNE_END_LOCAL_TYPES(tune_head_client)

namespace tune {

namespace {

using std::chrono::milliseconds;

/// Limit for each answer of a head that was reached.
constexpr std::chrono::seconds answer_patience{10};

/// Messages that a follower received, for threads that wait for them.
class response_waiter {
public:
  void answer(remote_output what) {
    std::lock_guard guard{mutex_};
    if (wanted_.contains(what.number))
      outputs_[what.number] = std::move(what);
    changed_.notify_all();
  }
  void answer(client_answer what) {
    std::lock_guard guard{mutex_};
    if (wanted_.erase(what.number) > 0)
      answers_[what.number] = std::move(what.text);
    changed_.notify_all();
  }
  void end(const experiment_ended& how) {
    std::lock_guard guard{mutex_};
    if (!fate_)
      fate_ = experiment_fate{how.text, how.has_rows, {}};
    changed_.notify_all();
  }
  void lose(const std::string& why) {
    std::lock_guard guard{mutex_};
    lost_ = true;
    if (!fate_)
      fate_ = experiment_fate{{}, false, why};
    changed_.notify_all();
  }

  /// Reserves the number of a question that is about to be asked.
  std::uint64_t expect() {
    std::lock_guard guard{mutex_};
    wanted_.insert(++last_number_);
    return last_number_;
  }
  /// Waits for the answer. @param patience Empty: as long as the head is in reach.
  expected<std::string> wait(std::uint64_t number, std::optional<milliseconds> patience) {
    std::unique_lock guard{mutex_};
    auto is_due = [&] { return lost_ || answers_.contains(number); };
    if (patience)
      wait_awake(guard, *patience, is_due);
    else
      changed_.wait(guard, is_due);
    wanted_.erase(number);
    if (auto found = answers_.extract(number))
      return std::move(found.mapped());
    if (lost_)
      return error{ec::unreachable, fate_->lost.empty() ? "the head is gone" : fate_->lost};
    return error{ec::unreachable, "the head does not answer"};
  }
  /// Waits for a command's next output.
  expected<remote_output> wait_for_output(std::uint64_t number, milliseconds patience) {
    std::unique_lock guard{mutex_};
    wait_awake(guard, patience, [&] { return lost_ || outputs_.contains(number); });
    if (auto found = outputs_.extract(number))
      return std::move(found.mapped());
    if (lost_)
      return error{ec::unreachable, fate_->lost.empty() ? "the head is gone" : fate_->lost};
    return error{ec::unreachable, "the head does not answer"};
  }
  std::optional<experiment_fate> wait_for_fate(milliseconds patience) {
    std::unique_lock guard{mutex_};
    changed_.wait_for(guard, patience, [&] { return fate_.has_value(); });
    return fate_;
  }

private:
  /// Waits, and once more if this process was stopped or suspended meanwhile: an answer may have
  /// come that nobody had time to take.
  template <class IsDue>
  void wait_awake(std::unique_lock<std::mutex>& guard, milliseconds patience, IsDue is_due) {
    constexpr auto overslept = std::chrono::seconds{1};
    for (;;) {
      const auto until = std::chrono::steady_clock::now() + patience;
      if (changed_.wait_until(guard, until, is_due)
          || std::chrono::steady_clock::now() < until + overslept)
        return;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::uint64_t> wanted_;
  std::map<std::uint64_t, std::string> answers_;
  std::map<std::uint64_t, remote_output> outputs_;
  std::optional<experiment_fate> fate_;
  bool lost_ = false;
  std::uint64_t last_number_ = 0;
};

/// The head gets a handle of this actor, so it must not block: see docs/decisions/0005.
using follower_impl = extend<follower_actor,
                             // Introduces itself at this node registry.
                             caf::result<led_in>(entrance_actor, std::string),
                             // Meets the submission server of this process.
                             caf::result<led_in>(submission_server_actor),
                             // Messages for the submission server.
                             caf::result<void>(submission, package_server_actor),
                             caf::result<void>(client_question), caf::result<void>(command_wanted),
                             caf::result<void>(output_wanted)>;

struct follower_state {
  static inline const char* name = "tune.follower";

  std::shared_ptr<response_waiter> heard;
  follower_impl::pointer self = nullptr;
  monitors watched;
  submission_server_actor submission_server;

  using promise = caf::typed_response_promise<led_in>;

  promise come_in(const entrance_actor& node_registry, const std::string& hello) {
    auto result = self->make_response_promise<led_in>();
    request(self, node_registry, answer_patience, hello_atom_v, hello)
        .then([this, node_registry,
               result](const std::string& text) mutable { hear(node_registry, text, result); },
              [this, result](const caf::error& why) mutable { fail(result, why); });
    return result;
  }

  void hear(const entrance_actor& node_registry, const std::string& text, promise& result) {
    auto answer = hello_answer_from_json(text);
    if (!answer)
      return refuse(result,
                    {ec::protocol, "the head's answer makes no sense: " + answer.error().detail});
    if (const auto* no = std::get_if<rejection>(&*answer))
      return refuse(result, {ec::refused, no->why});
    request(self, node_registry, answer_patience,
            submission_wanted{std::get<welcome>(*answer).ticket})
        .then([this, result](const submission_server_actor& who) mutable { meet(who, result); },
              [this, result](const caf::error& why) mutable { fail(result, why); });
  }

  void meet(const submission_server_actor& who, promise& result) {
    meet(who);
    result.deliver(led_in{});
  }

  void meet(const submission_server_actor& who) {
    submission_server = who;
    watched.watch(self, who,
                  [this](const caf::error& why) { heard->lose(text_of_loss("the head", why)); });
  }

  void fail(promise& result, const caf::error& why) {
    refuse(result, {ec::unreachable, "the head does not answer: " + render(self->system(), why)});
  }

  static void refuse(promise& result, error why) { result.deliver(led_in{std::move(why)}); }
};

follower_impl::behavior_type follower(follower_impl::stateful_pointer<follower_state> self,
                                      std::shared_ptr<response_waiter> heard) {
  auto& state = state_of(self);
  state.self = self;
  state.heard = std::move(heard);
  stand_firm(self);
  state.watched.init(self);
  return {
      [&state](client_answer& x) { state.heard->answer(std::move(x)); },
      [&state](const experiment_ended& x) { state.heard->end(x); },
      [&state](remote_output& x) { state.heard->answer(std::move(x)); },
      [&state](const entrance_actor& node_registry, const std::string& hello) {
        return state.come_in(node_registry, hello);
      },
      [&state](const submission_server_actor& head) {
        state.meet(head);
        return led_in{};
      },
      [self, &state](const submission& x, const package_server_actor& files) {
        send(self, state.submission_server, x, files, caf::actor_cast<follower_actor>(self));
      },
      [self, &state](const client_question& x) {
        send(self, state.submission_server, x, caf::actor_cast<follower_actor>(self));
      },
      [self, &state](const command_wanted& x) {
        send(self, state.submission_server, x, caf::actor_cast<follower_actor>(self));
      },
      [self, &state](const output_wanted& x) {
        send(self, state.submission_server, x, caf::actor_cast<follower_actor>(self));
      },
  };
}

} // namespace

class head_client::impl {
public:
  explicit impl(caf::actor_system& system)
      : system_{system}
      , heard_{std::make_shared<response_waiter>()}
      , follower_{system.spawn(follower, heard_)}
      , package_server_{spawn_package_server(system)} {}
  ~impl() {
    caf::anon_send_exit(follower_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(package_server_, caf::exit_reason::user_shutdown);
  }

  expected<void> come_in(const node_registry_actor& node_registry, const client_hello& who) {
    // Both requests of the follower have time limits.
    auto result
        = call<led_in>(follower_, caf::actor_cast<entrance_actor>(node_registry), to_json(who));
    if (!result)
      return result.error();
    if (result->why)
      return *result->why;
    return {};
  }

  void stay(const submission_server_local_actor& head) {
    static_cast<void>(call<led_in>(follower_, caf::actor_cast<submission_server_actor>(head)));
  }

  expected<submission_taken> submit(const submission_message& words, job_offer files) {
    {
      std::lock_guard guard{mutex_};
      job_ = files.job;
    }
    auto offered = call<std::string>(package_server_, std::move(files));
    if (!offered || !offered->empty())
      return offered ? error{ec::internal, *offered} : offered.error();
    return wait_for(words);
  }

  /// Waits until the experiment runs, however long that takes.
  expected<submission_taken> wait_for(const submission_message& words) {
    auto number = heard_->expect();
    send_from_outside(follower_, submission{number, to_json(words)},
                      package_server_actor{package_server_});
    auto answer = heard_->wait(number, std::nullopt);
    if (!answer)
      return answer.error();
    return submission_taken_from_json(*answer);
  }

  void withdraw() {
    std::lock_guard guard{mutex_};
    send_from_outside(package_server_, job_withdrawn{job_});
  }

  expected<std::string> ask(const client_request& what) {
    auto number = heard_->expect();
    send_from_outside(follower_, client_question{number, to_json(what)});
    return heard_->wait(number, answer_patience);
  }

  void tell(const client_request& what) {
    send_from_outside(follower_, client_question{0, to_json(what)});
  }

  expected<int> carry_out(const remote_command& what,
                          const std::function<bool(std::string_view, std::string_view)>& take) {
    const auto number = heard_->expect();
    send_from_outside(follower_, command_wanted{number, to_json(what)});
    for (;;) {
      auto next = heard_->wait_for_output(number, answer_patience);
      if (!next)
        return next.error();
      if (next->refused != 0)
        return error{static_cast<ec>(next->refused), std::move(next->err)};
      if (!take(next->out, next->err) || next->has_ended)
        return next->status;
      send_from_outside(follower_, output_wanted{number});
    }
  }

  std::optional<experiment_fate> wait_for(milliseconds patience) {
    return heard_->wait_for_fate(patience);
  }

private:
  caf::actor_system& system_;
  std::shared_ptr<response_waiter> heard_;
  follower_impl follower_;
  package_server_local_actor package_server_;
  std::mutex mutex_;
  std::string job_;

  /// Asks an actor of this process, which always answers.
  template <class Answer, class Handle, class... Words>
  expected<Answer> call(const Handle& whom, Words&&... words) {
    caf::scoped_actor self{system_};
    expected<Answer> result = error{ec::internal, "no answer"};
    request(self.operator->(), whom, caf::infinite, std::forward<Words>(words)...)
        .receive([&](Answer& x) { result = std::move(x); },
                 [&](const caf::error& why) {
                   result = error{ec::internal, render(system_, why)};
                 });
    return result;
  }
};

expected<std::unique_ptr<head_client>> head_client::connect(caf::actor_system& system,
                                                            head_client_settings how) {
  auto node_registry = how.dial();
  if (!node_registry)
    return node_registry.error();
  auto made = std::make_unique<impl>(system);
  if (auto in = made->come_in(*node_registry, {how.build, how.cluster, how.name}); !in)
    return error{in.error().code, how.where + ": " + in.error().detail};
  return std::unique_ptr<head_client>{new head_client{std::move(made)}};
}

std::unique_ptr<head_client> head_client::at_home(caf::actor_system& system,
                                                  const submission_server_local_actor& head) {
  auto made = std::make_unique<impl>(system);
  made->stay(head);
  return std::unique_ptr<head_client>{new head_client{std::move(made)}};
}

head_client::head_client(std::unique_ptr<impl> what) : impl_{std::move(what)} {}
head_client::~head_client() = default;

expected<submission_taken> head_client::submit(const submission_message& words, job_offer files) {
  return impl_->submit(words, std::move(files));
}

expected<submission_taken> head_client::attach(submission_message words) {
  words.attaches = true;
  return impl_->wait_for(words);
}

void head_client::withdraw() {
  impl_->withdraw();
}

expected<std::string> head_client::ask(const client_request& what) {
  return impl_->ask(what);
}

void head_client::tell(const client_request& what) {
  impl_->tell(what);
}

expected<int>
head_client::carry_out(const remote_command& what,
                       const std::function<bool(std::string_view, std::string_view)>& take) {
  return impl_->carry_out(what, take);
}

std::optional<experiment_fate> head_client::wait_for(std::chrono::milliseconds patience) {
  return impl_->wait_for(patience);
}

} // namespace tune
