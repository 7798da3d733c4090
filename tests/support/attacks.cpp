// SPDX-License-Identifier: BSD-3-Clause
#include "support/attacks.hpp"

#include <limits>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

namespace tune::support {

namespace {

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

/// Inspector that sets every field it visits to the largest possible value.
class excess {
public:
  static constexpr bool reads_state = false;
  static constexpr bool writes_state = true;
  using result_type = caf::error;

  excess(const caf::strong_actor_ptr& who, std::size_t length) : who_{who}, length_{length} {}

  template <class... Ts>
  caf::error operator()(Ts&&... xs) {
    (fill(xs), ...);
    return {};
  }

  template <class T>
  void fill(T& x) {
    using type = std::remove_const_t<T>;
    if constexpr (caf::meta::is_annotation<type>::value || std::is_const_v<T>) {
      // Annotations and constants are not part of the value.
    } else if constexpr (std::is_same_v<type, bool>) {
      x = true;
    } else if constexpr (std::is_enum_v<type>) {
      x = static_cast<type>(0xff);
    } else if constexpr (std::is_integral_v<type>) {
      x = std::numeric_limits<type>::max();
    } else if constexpr (std::is_same_v<type, std::string>) {
      x.assign(length_, '\xff');
    } else if constexpr (std::is_same_v<type, shared_object>) {
      x.content = nullptr;
    } else if constexpr (caf::is_typed_actor<type>::value) {
      x = caf::actor_cast<type>(who_);
    } else if constexpr (requires { x.push_back(typename type::value_type{}); }) {
      typename type::value_type one{};
      fill(one);
      x = type(3, one);
    } else {
      static_cast<void>(inspect(*this, x));
    }
  }

private:
  caf::strong_actor_ptr who_;
  std::size_t length_;
};

template <class T>
T full(const caf::strong_actor_ptr& who, std::size_t length = 100) {
  T result{};
  excess{who, length}.fill(result);
  return result;
}

class arsenal {
public:
  std::vector<attack> all;

  template <class... Ts>
  void add(std::string name, Ts&&... xs) {
    all.push_back({std::move(name), caf::make_message(std::forward<Ts>(xs)...)});
  }
};

/// Adds messages of one type: empty, full, and two in one message.
template <class T>
void add_type(arsenal& to, const caf::strong_actor_ptr& me) {
  const std::string name = caf::type_name<T>::value;
  to.add(name, T{});
  to.add(name + ", full", full<T>(me));
  to.add(name + ", huge", full<T>(me, 300'000));
  to.add(name + ", twice", full<T>(me), full<T>(me));
  to.add(name + ", numbered", most, full<T>(me));
  to.add(name + ", of an attempt", attempt_key{}, full<T>(me));
}

template <caf::type_id_t First, std::size_t... Is>
void add_types(arsenal& to, const caf::strong_actor_ptr& me, std::index_sequence<Is...>) {
  (add_type<typename caf::type_by_id<First + Is>::type>(to, me), ...);
}

template <class Block>
void add_block(arsenal& to, const caf::strong_actor_ptr& me) {
  add_types<Block::begin>(to, me, std::make_index_sequence<Block::end - Block::begin>{});
}

template <class Atom>
void add_atom(arsenal& to, Atom atom) {
  const caf::atom_value value = atom;
  const auto name = "atom " + caf::to_string(value);
  to.add(name, atom);
  to.add(name + ", twice", atom, atom);
  to.add(name + ", numbered", atom, most);
  for (std::uint64_t i = 0; i < 5; ++i)
    to.add(name + ", numbered " + std::to_string(i), atom, i);
  to.add(name + ", with a text", atom, std::string(1000, '['));
}

/// Adds the messages that carry an actor handle; the handle is that of `whom`.
void add_meetings(arsenal& to, const std::string& name, const caf::strong_actor_ptr& whom) {
  auto as = [&]<class Handle>(Handle) { return caf::actor_cast<Handle>(whom); };
  const auto peer = as(checkpoint_peer_actor{});
  to.add("enter by " + name, enter_atom_v, std::uint64_t{1}, as(node_actor{}), node_inventory{});
  to.add("launch for " + name, launch_order{}, as(trial_actor{}));
  to.add("storage for " + name, full<storage_question>(whom), peer);
  to.add("offer for " + name, full<checkpoint_offer>(whom), peer);
  to.add("empty offer for " + name, checkpoint_offer{}, peer);
  to.add("wanted by " + name, full<checkpoint_wanted>(whom), peer);
  to.add("dropped by " + name, full<checkpoint_dropped>(whom), peer);
  to.add("piece wanted by " + name, full<piece_wanted>(whom), peer);
  to.add("piece of " + name, full<checkpoint_piece>(whom), peer);
  to.add("output of " + name, full<output_piece>(whom), as(output_sender_actor{}));
  to.add("empty output of " + name, output_piece{}, as(output_sender_actor{}));
  to.add("job for " + name, full<job_request>(whom), as(job_taker_actor{}));
  to.add("chunk for " + name, full<chunk_request>(whom), as(job_taker_actor{}));
  to.add("submission of " + name, full<submission>(whom), as(package_server_actor{}),
         as(follower_actor{}));
  to.add("question of " + name, full<client_question>(whom), as(follower_actor{}));
  to.add("attempt proxy " + name, attempt_key{attempt_id{1, 1}}, as(attempt_proxy_actor{}));
  to.add("trainable " + name, attempt_key{attempt_id{1, 1}}, as(trainable_actor{}));
  to.add("desk " + name, as(cluster_for_nodes_actor{}));
}

} // namespace

std::vector<attack> system_attacks(const caf::strong_actor_ptr& me,
                                   const caf::strong_actor_ptr& other) {
  arsenal result;
  const auto my = caf::actor_cast<caf::actor_addr>(me);
  const auto its = caf::actor_cast<caf::actor_addr>(other);
  for (const auto& why :
       {caf::make_error(caf::sec::runtime_error), caf::make_error(caf::exit_reason::user_shutdown),
        caf::make_error(caf::exit_reason::kill), caf::error{}}) {
    result.add("error", why);
    for (const auto& from : {my, its, caf::actor_addr{}}) {
      result.add("exit", caf::exit_msg{from, why});
      result.add("down", caf::down_msg{from, why});
    }
  }
  result.add("group down", caf::group_down_msg{});
  result.add("open stream",
             caf::open_stream_msg{1, caf::make_message(1), me, me, caf::stream_priority::normal});
  result.add("timeout", caf::timeout_msg{caf::atom("receive"), 1});
  result.add("stream timeout", caf::timeout_msg{caf::atom("stream"), 1});
  result.add("info", caf::sys_atom_v, caf::get_atom_v, std::string{"info"});
  result.add("sys", caf::sys_atom_v, caf::get_atom_v, std::string(1000, 'x'));
  result.add("get", caf::get_atom_v, std::string{"*"});
  result.add("put", caf::put_atom_v, std::string{"x"}, caf::make_message(std::string(1000, 'x')));
  result.add("unlink", caf::unlink_atom_v, me);
  result.all.push_back({"nothing", caf::message{}});
  auto message = caf::make_message(caf::make_error(caf::sec::runtime_error));
  for (std::uint64_t i = 1; i < 40; ++i) {
    const caf::message_id request{caf::message_id::default_async_value + i};
    result.all.push_back({"answer that nobody waits for", message, request.response_id()});
    result.all.push_back({"error as a request", message, request});
  }
  return std::move(result.all);
}

std::vector<attack> foreign_attacks(const caf::strong_actor_ptr& me,
                                    const caf::strong_actor_ptr& other) {
  arsenal result;
  add_block<caf::id_block::tune_types>(result, me);
  add_block<caf::id_block::tune_net_types>(result, me);
  add_block<caf::id_block::tune_submission_types>(result, me);
  add_atom(result, flush_atom_v);
  add_atom(result, tick_atom_v);
  add_atom(result, run_atom_v);
  add_atom(result, status_atom_v);
  add_atom(result, ping_atom_v);
  add_atom(result, drain_atom_v);
  add_atom(result, leave_atom_v);
  add_atom(result, hello_atom_v);
  add_atom(result, enter_atom_v);
  result.add("hello of brackets", hello_atom_v, std::string(200'000, '['));
  result.add("hello of megabytes", hello_atom_v, std::string(5'000'000, ' '));
  result.add("hello of nothing", hello_atom_v, std::string{});
  result.add("number", most);
  result.add("text", std::string(1000, 'x'));
  result.add("integer", 42);
  add_meetings(result, "nobody", nullptr);
  add_meetings(result, "me", me);
  add_meetings(result, "another", other);
  return std::move(result.all);
}

std::vector<attack> false_attacks(const caf::strong_actor_ptr& me) {
  arsenal result;
  for (std::uint64_t i = 0; i < 40; ++i) {
    result.add("lease over", lease_over{lease_id{i}});
    result.add("declined", launch_declined{i, "no"});
    result.add("revoked", lease_revoked{i});
    for (auto frozen : {false, true})
      result.add("heartbeat", heartbeat{i, frozen});
    for (std::uint32_t epoch = 1; epoch < 3; ++epoch) {
      const attempt_key of{attempt_id{epoch, i}};
      attempt_ended ended;
      ended.attempt = of;
      ended.how = 255;
      result.add("ended", std::uint64_t{1}, ended);
      attempt_report report;
      report.attempt = of;
      report.number = most;
      report.iteration = most;
      report.time_total_ns = std::numeric_limits<std::int64_t>::min();
      result.add("reported", std::uint64_t{1}, report);
      attempt_saved saved;
      saved.attempt = of;
      saved.location = "trials/00000/attempt_1_1/checkpoint_0";
      result.add("saved", std::uint64_t{1}, saved);
      result.add("attempt_proxy", of, caf::actor_cast<attempt_proxy_actor>(me));
      result.add("halt", attempt_halt{of, 255, true});
    }
    result.add("piece", output_piece{i, "x", i, attempt_id{1, i}, output_stream::out, most, "text"},
               caf::actor_cast<output_sender_actor>(me));
  }
  for (const auto* name : {"one", "two", "three", "local", ""})
    result.add("leaving", node_leaving{name});
  result.add("leases kept", leases_kept{{}, true});
  result.add("drain", drain_atom_v);
  result.add("leave", leave_atom_v);
  return std::move(result.all);
}

} // namespace tune::support
