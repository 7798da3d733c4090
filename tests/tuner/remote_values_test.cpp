// Values that JSON, C strings or the wire format would spoil, sent to a trial on another node and
// back. This program is head and worker at once, over mutual TLS, and the host of the worker's
// processes.
// SPDX-License-Identifier: BSD-3-Clause
#include "far_worker.hpp"
#include "io/scratch_directory.hpp"

#include "tune/actors/value_codec.hpp"
#include "tune/io/certificates/certificate_directory.hpp"
#include "tune/io/json.hpp"
#include "tune/io/process/host.hpp"
#include "tune/io/store/store_reader.hpp"
#include "tune/tuner/own_actors.hpp"
#include "tune/tuner/tuner.hpp"

#include <gmock/gmock.h>

#include <future>
#include <limits>
#include <string>

namespace tune {
namespace {

namespace fs = std::filesystem;
using real = std::numeric_limits<double>;

/// Every Unicode scalar value in order, U+0000 among them. [4,382,592 bytes]
std::string every_code_point() {
  std::string result;
  auto put = [&result](char32_t x) { result += static_cast<char>(x); };
  for (char32_t x = 0; x <= 0x10FFFF; ++x) {
    if (x >= 0xD800 && x <= 0xDFFF)
      continue;
    if (x < 0x80) {
      put(x);
    } else if (x < 0x800) {
      put(0xC0 | (x >> 6));
      put(0x80 | (x & 0x3F));
    } else if (x < 0x10000) {
      put(0xE0 | (x >> 12));
      put(0x80 | ((x >> 6) & 0x3F));
      put(0x80 | (x & 0x3F));
    } else {
      put(0xF0 | (x >> 18));
      put(0x80 | ((x >> 12) & 0x3F));
      put(0x80 | ((x >> 6) & 0x3F));
      put(0x80 | (x & 0x3F));
    }
  }
  return result;
}

object odd_values() {
  object result;
  result.set("not_a_number", real::quiet_NaN());
  result.set("infinite", real::infinity());
  result.set("minus_infinite", -real::infinity());
  result.set("denormal", 1e-310);
  result.set("least", real::denorm_min());
  result.set("minus_zero", -0.0);
  result.set("zero", 0.0);
  result.set("whole_zero", 0);
  result.set("most", std::numeric_limits<std::int64_t>::max());
  result.set("fewest", std::numeric_limits<std::int64_t>::min());
  result.set("tenth", 0.1);
  result.set("large", real::max());
  result.set("empty", "");
  result.set("nul", std::string{"a\0b\0", 4});
  result.set("yes", true);
  result.set("nothing", nullptr);
  result.set("deep", object{{"list", value::list{-0.0, real::quiet_NaN(), "", value::list{}}},
                            {"none", object{}}});
  result.set("text", every_code_point());
  return result;
}

/// Adds values that metrics cannot have in JSON, where these texts stand for numbers.
object odd_config() {
  auto result = odd_values();
  result.set("text_nan", "nan");
  result.set("text_inf", value::list{"inf", "-inf"});
  return result;
}

/// Bit for bit equality, including kinds and order.
bool same(const object& a, const object& b) {
  return encode(a) == encode(b);
}

/// The entries of `all` whose names occur in `names`, in the order of `names`.
object part_of(const object& all, const object& names) {
  object result;
  for (const auto& [name, ignored] : names) {
    if (const auto* found = all.find(name))
      result.set(name, *found);
  }
  return result;
}

/// Names of the entries that differ, as readable text.
std::string difference(const object& is, const object& should) {
  std::string result;
  for (const auto& [name, x] : should) {
    const auto* found = is.find(name);
    object one{{name, x}};
    if (found == nullptr)
      result += name + " is missing; ";
    else if (!same(one, {{name, *found}}))
      result += name + " is " + to_text(*found).substr(0, 100) + "; ";
  }
  return result;
}

/// Reports its configuration, and whether it arrived as it was sent.
void echo(session& with) {
  metrics result{{"loss", 1.0}, {"wrong", difference(with.config(), odd_config())}};
  for (const auto& [name, ignored] : odd_values())
    if (const auto* x = with.config().find(name))
      result.set(name, *x);
  with.report(std::move(result));
}

trainable_registry trainables() {
  trainable_registry result;
  result.add_function("echo", echo);
  return result;
}

struct proposer_state {
  static inline const char* name = "test.proposer";
  int made = 0;
};

/// Proposes the odd configuration once.
searcher_actor::behavior_type proposer(searcher_actor::stateful_pointer<proposer_state> self) {
  return {
      [self](const searcher_turn& turn, const runner_actor& runner) {
        for (const auto& x : turn.asks) {
          proposal answer = exhausted{"that was all"};
          if (state_of(self).made++ == 0)
            answer = std::vector<suggestion>{{std::make_shared<object>(odd_config()), "odd"}};
          send(self, runner, news{on::suggested{x.number, std::move(answer)}});
        }
      },
  };
}

struct listener : tuner_callback {
  support::told<std::string> addresses;
  void listens(const std::string& address) override { addresses.add(address); }
};

class remote_values : public samples::scratch_directory {
protected:
  /// Runs one trial on a worker and keeps the grid of results.
  void run(isolation_kind isolation) {
    certificate_order first;
    first.whom.name = "head";
    ASSERT_TRUE(init_certificates(root / "certs", "test", first));
    own_searcher source;
    source.name = "odd";
    source.spawn
        = [](caf::actor_system& system) -> searcher_actor { return system.spawn(proposer); };
    source.traits.exhaustible = true;
    auto heard = std::make_shared<listener>();
    auto options = run_options{}
                       .name("odd")
                       .storage(root)
                       .trainable("echo")
                       .isolation(isolation)
                       .parameter("x", "1")
                       .minimise("loss")
                       .searcher(source)
                       .set("cluster.local", false)
                       .listen("127.0.0.1:0", root / "certs")
                       .callback(heard);
    auto ran = std::async(std::launch::async, [&] { return tuner{trainables()}.run(options); });
    ASSERT_TRUE(heard->addresses.wait_for(1));
    auto address = heard->addresses.all().front();
    auto how = choose_transport(*peer_address_from(address), root / "certs", false);
    ASSERT_TRUE(how) << to_text(how.error());
    samples::far_worker far{address, *how, root / "work", trainables()};
    auto got = ran.get();
    ASSERT_TRUE(got) << to_text(got.error());
    grid = std::move(*got);
  }

  /// Compares the head's record of the trial with what the searcher proposed.
  void check() const {
    ASSERT_TRUE(grid);
    ASSERT_EQ(grid->trials().size(), 1u) << grid->why();
    const auto& uut = grid->trials().front();
    ASSERT_EQ(uut.error, "");
    EXPECT_EQ(*uut.last_metrics.find("wrong"), value{""});
    EXPECT_EQ(difference(uut.last_metrics, odd_values()), "");
    EXPECT_TRUE(same(part_of(uut.last_metrics, odd_values()), odd_values()));
    EXPECT_EQ(difference(recorded_config(), odd_config()), "");
    EXPECT_TRUE(same(recorded_config(), odd_config()));
    // Tables for people's queries hold JSON, where numbers that are not finite are texts.
    auto readable = object_from_json(to_json(odd_config()));
    ASSERT_TRUE(readable);
    EXPECT_EQ(difference(uut.config, *readable), "");
    EXPECT_TRUE(same(uut.config, *readable));
  }

private:
  std::optional<result_grid> grid;

  /// The configuration in the log, from which a run would be rebuilt.
  object recorded_config() const {
    auto reader = store_reader::open(grid->directory());
    EXPECT_TRUE(reader);
    auto events = reader->events_after(0, 100);
    EXPECT_TRUE(events);
    for (const auto& x : *events) {
      const auto* said = std::get_if<on::suggested>(&x.what);
      const auto* list
          = said == nullptr ? nullptr : std::get_if<std::vector<suggestion>>(&said->what);
      if (list != nullptr && !list->empty())
        return *list->front().config;
    }
    return {};
  }
};

TEST_F(remote_values, travel_unchanged_through_a_thread_on_another_node) {
  run(isolation_kind::thread);
  check();
}

TEST_F(remote_values, travel_unchanged_through_a_process_on_another_node) {
  run(isolation_kind::process);
  check();
}

} // namespace
} // namespace tune

int main(int argc, char** argv) {
  if (auto status = tune::host_main(argc, argv, tune::trainables()))
    return *status;
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
