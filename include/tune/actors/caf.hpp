/// The only file that knows the versions of CAF.
///
/// Sources use CAF 1.x notation through the names below; they compile against 0.17.6, which is the
/// version tested. They are meant to compile against 1.0; 1.1 lacks handlers that actors here need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <caf/actor_registry.hpp>
#include <caf/all.hpp>
#include <caf/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

// CAF_VERSION cannot be compared: it is 1706 in 0.17.6 and the octal 0100 in 1.1.0.
#if defined(CAF_MAJOR_VERSION) && CAF_MAJOR_VERSION >= 1
#define TUNE_CAF_1 1
#else
#define TUNE_CAF_1 0
#endif

namespace tune {

// -- Interfaces: result<Out...>(In...) as in 1.x.

#if TUNE_CAF_1

template <class... Signatures>
using typed_actor = caf::typed_actor<Signatures...>;

/// `Base` with more messages, for instance those an actor sends itself.
template <class Base, class... Signatures>
using extend = typename Base::template extend<Signatures...>;

#else

namespace detail {

template <class Signature>
struct old_signature;

template <class... Out, class... In>
struct old_signature<caf::result<Out...>(In...)> {
  using type = typename caf::replies_to<In...>::template with<Out...>;
};

template <class... In>
struct old_signature<caf::result<void>(In...)> {
  using type = caf::reacts_to<In...>;
};

} // namespace detail

template <class... Signatures>
using typed_actor = caf::typed_actor<typename detail::old_signature<Signatures>::type...>;

/// `Base` with more messages, for instance those an actor sends itself.
template <class Base, class... Signatures>
using extend = typename Base::template extend<typename detail::old_signature<Signatures>::type...>;

#endif

// -- Inspection: `inspect_fields(f, "name", x, field("a", x.a), …)`.

/// A member and its name.
template <class T>
struct field_ref {
  const char* name;
  T& member;
};

template <class T>
[[nodiscard]] field_ref<T> field(const char* name, T& member) {
  return {name, member};
}

template <class Inspector, class T, class... Ts>
auto inspect_fields(Inspector& f, const char* type, T& x, field_ref<Ts>... fields) {
#if TUNE_CAF_1
  return f.object(x).pretty_name(type).fields(f.field(fields.name, fields.member)...);
#else
  static_cast<void>(x);
  return f(caf::meta::type_name(type), fields.member...);
#endif
}

/// Serialises a type as the bytes that `encode` makes of it and `decode` reads back.
/// @param encode Called as `std::string encode(const T&)`.
/// @param decode Called as `bool decode(const std::string&, T&)`; false: the message is dropped.
template <class Inspector, class T, class Encode, class Decode>
auto inspect_as_bytes(Inspector& f, const char* type, T& x, Encode encode, Decode decode) {
#if TUNE_CAF_1
  static_cast<void>(type);
  auto get = [&] { return encode(std::as_const(x)); };
  auto set = [&](const std::string& bytes) { return decode(bytes, x); };
  return f.object(x).pretty_name(type).fields(f.field("bytes", get, set));
#else
  std::string bytes;
  if constexpr (Inspector::reads_state)
    bytes = encode(std::as_const(x));
  auto read_back = [&]() -> caf::error {
    return decode(bytes, const_cast<std::remove_const_t<T>&>(x))
               ? caf::error{}
               : caf::error{caf::sec::invalid_argument};
  };
  return f(caf::meta::type_name(type), bytes, caf::meta::load_callback(read_back));
#endif
}

/// A double that survives the wire bit by bit: 0.17.6 loses NaN and hangs on infinity.
struct f64 {
  std::uint64_t bits = 0;
  f64() = default;
  f64(double x) { std::memcpy(&bits, &x, sizeof bits); }
  operator double() const {
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }
};

template <class Inspector>
auto inspect(Inspector& f, f64& x) {
  return inspect_fields(f, "f64", x, field("bits", x.bits));
}

/// Lets an enum be sent; 0.17.6 needs nothing for that.
#if TUNE_CAF_1
#define TUNE_INSPECT_ENUM(enum_type)                                                               \
  template <class Inspector>                                                                       \
  bool inspect(Inspector& f, enum_type& x) {                                                       \
    auto get = [&x] { return static_cast<std::uint8_t>(x); };                                      \
    auto set = [&x](std::uint8_t y) {                                                              \
      x = static_cast<enum_type>(y);                                                               \
      return true;                                                                                 \
    };                                                                                             \
    return f.apply(get, set);                                                                      \
  }
#else
#define TUNE_INSPECT_ENUM(enum_type)
#endif

// -- Messages that never leave the process, and so need no serialisation. 1.x wants ids for them
// all the same, although no two processes ever compare these.

/// The blocks of local types; each is begun in one file, which scripts/check_layers.py checks. A
/// block's position here determines the ids of its types, so that no two types share one: 1.x would
/// end the process before `main`.
enum class local_block : std::uint16_t {
  tune_local,
  tune_net_local,
  tune_submission_local,
  tune_node,
  tune_thread,
  tune_process,
  tune_output,
  tune_head_session,
  tune_output_server,
  tune_package_server,
  tune_package_client,
  tune_head_client,
  tune_cluster,
  tune_connections,
  tune_checkpoint_server,
  tune_checkpoints,
  tune_job_supervisor,
  tune_heartbeat_sender,
  tune_janitor,
  tune_trial,
  tune_rules,
  tune_own_trainable,
  tune_directories,
  tune_runner,
  tune_cluster_local,
};

/// Number of ids in each block.
inline constexpr std::uint16_t local_block_size = 64;

#if TUNE_CAF_1
/// The first id of local types.
inline constexpr caf::type_id_t first_local_id = caf::first_custom_type_id + 1000;

/// The first id of a block.
constexpr caf::type_id_t first_id_of(local_block which) {
  return static_cast<caf::type_id_t>(first_local_id
                                     + static_cast<std::uint16_t>(which) * local_block_size);
}

#define TUNE_BEGIN_LOCAL_TYPES(block)                                                              \
  CAF_BEGIN_TYPE_ID_BLOCK(block, tune::first_id_of(tune::local_block::block))
#define TUNE_LOCAL_TYPE(block, type)                                                               \
  CAF_ADD_TYPE_ID(block, (type))                                                                   \
  CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)
#define TUNE_LOCAL_HANDLE(block, type) CAF_ADD_TYPE_ID(block, (type))
#define TUNE_END_LOCAL_TYPES(block)                                                                \
  CAF_END_TYPE_ID_BLOCK(block)                                                                     \
  static_assert(caf::id_block::block::end - caf::id_block::block::begin <= tune::local_block_size, \
                "a block of local types is full");                                                 \
  namespace tune::detail {                                                                         \
  inline const bool knows_##block = (caf::init_global_meta_objects<caf::id_block::block>(), true); \
  }
#else
#define TUNE_BEGIN_LOCAL_TYPES(block)                                                              \
  static_assert(tune::local_block::block >= tune::local_block{}, "tune::local_block lists it");
#define TUNE_LOCAL_TYPE(block, type) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(type)
#define TUNE_LOCAL_HANDLE(block, type)
#define TUNE_END_LOCAL_TYPES(block)
#endif

// -- Sending.

template <class Self, class Handle, class... Ts>
void send(Self* self, const Handle& to, Ts&&... xs) {
#if TUNE_CAF_1
  self->mail(std::forward<Ts>(xs)...).send(to);
#else
  self->send(to, std::forward<Ts>(xs)...);
#endif
}

/// Sends at high priority: for control and liveness, never for an attempt's stream.
template <class Self, class Handle, class... Ts>
void send_urgent(Self* self, const Handle& to, Ts&&... xs) {
#if TUNE_CAF_1
  self->mail(std::forward<Ts>(xs)...).urgent().send(to);
#else
  self->template send<caf::message_priority::high>(to, std::forward<Ts>(xs)...);
#endif
}

/// Sends from outside of any actor.
template <class Handle, class... Ts>
void send_from_outside(const Handle& to, Ts&&... xs) {
#if TUNE_CAF_1
  caf::anon_mail(std::forward<Ts>(xs)...).send(to);
#else
  caf::anon_send(to, std::forward<Ts>(xs)...);
#endif
}

/// Like `send_from_outside`, after a delay.
template <class Handle, class... Ts>
void delayed_send_from_outside(const Handle& to, caf::timespan delay, Ts&&... xs) {
#if TUNE_CAF_1
  caf::anon_mail(std::forward<Ts>(xs)...).delay(delay).send(to);
#else
  caf::delayed_anon_send(to, delay, std::forward<Ts>(xs)...);
#endif
}

template <class Self, class Handle, class... Ts>
void delayed_send(Self* self, const Handle& to, caf::timespan delay, Ts&&... xs) {
#if TUNE_CAF_1
  self->mail(std::forward<Ts>(xs)...).delay(delay).send(to);
#else
  self->delayed_send(to, delay, std::forward<Ts>(xs)...);
#endif
}

/// Only for rare conversations: 0.17.6 keeps the timer until it is due, even after a reply.
template <class Self, class Handle, class Timeout, class... Ts>
auto request(Self* self, const Handle& to, Timeout timeout, Ts&&... xs) {
#if TUNE_CAF_1
  return self->mail(std::forward<Ts>(xs)...).request(to, timeout);
#else
  return self->request(to, timeout, std::forward<Ts>(xs)...);
#endif
}

/// Has another actor answer in the place of this one; the handler returns what this returns.
template <class Self, class Handle, class... Ts>
auto delegate(Self* self, const Handle& to, Ts&&... xs) {
#if TUNE_CAF_1
  return self->mail(std::forward<Ts>(xs)...).delegate(to);
#else
  return self->delegate(to, std::forward<Ts>(xs)...);
#endif
}

/// The sender of the current message. @returns null where that was not an actor.
template <class Handle, class Self>
Handle sender_of(Self* self) {
  return caf::actor_cast<Handle>(self->current_sender());
}

/// Ends `whom` when this actor has ended, for whatever reason.
template <class Self, class Handle>
void take_along(Self* self, const Handle& whom) {
  self->attach_functor([whom] { caf::anon_send_exit(whom, caf::exit_reason::user_shutdown); });
}

/// Calls back when `whom` is gone; from its last thread, or at once where it has gone already.
template <class Handle, class F>
void when_gone(const Handle& whom, F call) {
  caf::actor_cast<caf::abstract_actor*>(whom)->attach_functor(std::move(call));
}

/// The state of a stateful actor.
template <class Self>
auto& state_of(Self* self) {
#if TUNE_CAF_1
  auto& state = self->state();
#else
  auto& state = self->state;
#endif
  using state_type = std::remove_reference_t<decltype(state)>;
  static_assert(!std::is_aggregate_v<state_type> || !std::is_constructible_v<state_type, Self*>,
                "CAF would make the state of the address of its actor: begin it with a member that "
                "no pointer converts to");
  return state;
}

// -- Monitoring.

/// Calls back once when a watched actor is gone. A member of the watching actor's state; `init` is
/// called before the behavior is returned.
class monitors {
public:
  using callback = std::function<void(const caf::error&)>;

  template <class Self>
  void init(Self* self) {
#if TUNE_CAF_1
    static_cast<void>(self);
#else
    self->set_down_handler([this](caf::down_msg& down) {
      // CAF's hash of an address dereferences it.
      if (!down.source)
        return;
      auto known = callbacks_.find(down.source);
      if (known == callbacks_.end())
        return;
      auto call = std::move(known->second);
      callbacks_.erase(known);
      call(down.reason);
    });
#endif
  }

  template <class Self, class Handle>
  void watch(Self* self, const Handle& whom, callback call) {
#if TUNE_CAF_1
    self->monitor(whom, std::move(call));
#else
    if (callbacks_.emplace(whom.address(), std::move(call)).second)
      self->monitor(whom);
#endif
  }

private:
#if !TUNE_CAF_1
  std::unordered_map<caf::actor_addr, callback> callbacks_;
#endif
};

// -- Errors and set-up.

/// Whether an actor is gone because the connection to its node was lost.
[[nodiscard]] inline bool is_unreachable(const caf::error& why) {
  return why == caf::exit_reason::remote_link_unreachable;
}

/// Why an actor on another node is gone, for people.
/// @param whom A noun: "the head".
[[nodiscard]] inline std::string text_of_loss(const std::string& whom, const caf::error& why) {
  if (is_unreachable(why))
    return "the connection to " + whom + " was lost";
  return whom + (why ? " ended" : " left");
}

[[nodiscard]] inline std::string render(caf::actor_system& system, const caf::error& why) {
#if TUNE_CAF_1
  static_cast<void>(system);
  return caf::to_string(why);
#else
  return system.render(why);
#endif
}

/// Number of actors of the system that have not ended.
[[nodiscard]] inline std::size_t running_actors(caf::actor_system& system) {
  return system.registry().running();
}

/// Call once per process, before the first configuration object is made.
template <class... Blocks>
void init_types() {
#if TUNE_CAF_1
  caf::core::init_global_meta_objects();
  (caf::init_global_meta_objects<Blocks>(), ...);
#endif
}

/// Call on every configuration object.
template <class... Blocks>
void add_types(caf::actor_system_config& config) {
#if TUNE_CAF_1
  static_cast<void>(config);
#else
  (config.template add_message_types<Blocks>(), ...);
#endif
}

/// "scheduler.max-threads" is "caf.scheduler.max-threads" since 0.18.
template <class T>
void set(caf::actor_system_config& config, const std::string& key, T value) {
#if TUNE_CAF_1
  config.set("caf." + key, std::move(value));
#else
  config.set(key, std::move(value));
#endif
}

/// Makes all threads of the scheduler take from one queue, and sleep while it is empty. The
/// default, work-stealing, makes them poll: that costs a third of the throughput of reports, and an
/// idle head sleeps 10 ms before it looks again.
inline void share_one_queue(caf::actor_system_config& config) {
#if TUNE_CAF_1
  set(config, "scheduler.policy", std::string{"sharing"});
#else
  set(config, "scheduler.policy", caf::atom("sharing"));
#endif
}

} // namespace tune
