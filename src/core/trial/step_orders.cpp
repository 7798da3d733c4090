// SPDX-License-Identifier: BSD-3-Clause
#include "tune/core/trial/step_orders.hpp"

#include <utility>

namespace tune {

namespace {

step_commands joined(step_commands first, step_commands more) {
  for (auto& x : more)
    first.push_back(std::move(x));
  return first;
}

} // namespace

step_commands step_orders::begin() {
  if (now_ != stage::absent)
    return {};
  now_ = stage::setting_up;
  return {step_cmd::set_up{}};
}

step_commands step_orders::carried_out() {
  switch (now_) {
    case stage::setting_up:
      if (!plan_.restores)
        return joined({step_cmd::begun{}}, train());
      now_ = stage::loading;
      return {step_cmd::load{}};
    case stage::loading:
      return joined({step_cmd::begun{}}, train());
    case stage::saving: {
      step_commands result{step_cmd::keep{saving_.checkpoint, saving_.ends, saving_.in_memory}};
      return joined(std::move(result), saving_.ends ? finish(end_class::stopped) : resume());
    }
    case stage::exporting:
      ++format_;
      return export_next();
    default:
      return {};
  }
}

step_commands step_orders::stepped(bool done, bool is_judged) {
  if (now_ != stage::stepping)
    return {};
  done_ = done;
  now_ = stage::reported;
  // An attempt that was told to end gets no answer.
  return halted_ || !is_judged ? resume() : step_commands{};
}

step_commands step_orders::refused(std::string why) {
  switch (now_) {
    case stage::setting_up:
    case stage::stepping:
      return fail(end_class::user_error, std::move(why));
    case stage::loading:
      return fail(end_class::bad_checkpoint, std::move(why));
    case stage::saving:
      return joined({step_cmd::not_kept{saving_.checkpoint, std::move(why)}}, resume());
    case stage::exporting: {
      step_commands result{step_cmd::not_exported{format_, std::move(why)}};
      ++format_;
      return joined(std::move(result), export_next());
    }
    default:
      return {};
  }
}

step_commands step_orders::gone(std::string why) {
  switch (now_) {
    case stage::over:
      return {};
    case stage::leaving:
      return conclude();
    case stage::exporting:
      return joined(lose_exports(why), conclude());
    case stage::reported:
      // The trainable said that this report was its last.
      end_ = done_ ? step_cmd::over{halted_ ? end_class::stopped : end_class::finished, {}}
                   : step_cmd::over{end_class::user_error, std::move(why)};
      return conclude();
    case stage::loading:
      end_ = {end_class::bad_checkpoint, std::move(why)};
      return conclude();
    case stage::saving:
      end_ = {end_class::user_error, why};
      return joined({step_cmd::not_kept{saving_.checkpoint, std::move(why)}}, conclude());
    default:
      end_ = {end_class::user_error, std::move(why)};
      return conclude();
  }
}

step_commands step_orders::go_on() {
  return now_ == stage::reported ? resume() : step_commands{};
}

step_commands step_orders::save(step_cmd::save what, bool exports) {
  if (now_ != stage::reported)
    return {};
  if (!plan_.can_save)
    return joined({step_cmd::not_kept{what.checkpoint, "this trainable cannot save"}}, resume());
  exports_ = exports_ || exports;
  saving_ = what;
  now_ = stage::saving;
  return {what};
}

step_commands step_orders::stop(bool exports) {
  if (now_ != stage::reported)
    return {};
  exports_ = exports_ || exports;
  return finish(done_ ? end_class::finished : end_class::stopped);
}

step_commands step_orders::halt(halt_mode how, bool exports) {
  if (now_ == stage::over)
    return {};
  exports_ = exports_ || exports;
  halted_ = true;
  if (how != halt_mode::kill)
    return now_ == stage::reported ? finish(end_class::stopped) : step_commands{};
  // An attempt that is already ending keeps its end.
  if (now_ == stage::leaving)
    return forced_ ? step_commands{} : leave(true);
  if (now_ == stage::exporting)
    return joined(lose_exports("it was ended before"), leave(true));
  step_commands result;
  if (now_ == stage::saving)
    result.push_back(step_cmd::not_kept{saving_.checkpoint, "the attempt was ended"});
  end_ = {end_class::killed, {}};
  if (now_ == stage::absent)
    return conclude();
  return joined(std::move(result), leave(true));
}

step_commands step_orders::late() {
  if (now_ != stage::leaving)
    return {};
  if (!forced_)
    return leave(true);
  end_.why += (end_.why.empty() ? "" : "; ");
  end_.why += "its actor did not end in time and was left to itself";
  return conclude();
}

std::string step_orders::doing() const {
  static constexpr const char* names[]
      = {"", "set-up", "load", "step", "", "save", "export", "", ""};
  return names[static_cast<std::size_t>(now_)];
}

step_commands step_orders::train() {
  if (halted_ || plan_.ends)
    return finish(end_class::stopped);
  now_ = stage::stepping;
  return {step_cmd::step{}};
}

/// Continues after a report, once nothing holds it back.
step_commands step_orders::resume() {
  if (halted_ || !done_)
    return train();
  return finish(end_class::finished);
}

step_commands step_orders::finish(end_class how) {
  end_ = {how, {}};
  return exports_ ? export_next() : leave(false);
}

step_commands step_orders::export_next() {
  if (format_ >= plan_.formats)
    return leave(false);
  now_ = stage::exporting;
  return {step_cmd::export_model{format_}};
}

step_commands step_orders::lose_exports(const std::string& why) {
  step_commands result;
  for (; format_ < plan_.formats; ++format_)
    result.push_back(step_cmd::not_exported{format_, why});
  return result;
}

step_commands step_orders::fail(end_class how, std::string why) {
  end_ = {how, std::move(why)};
  return leave(false);
}

step_commands step_orders::leave(bool by_force) {
  now_ = stage::leaving;
  forced_ = by_force;
  return {step_cmd::dismiss{by_force}};
}

step_commands step_orders::conclude() {
  now_ = stage::over;
  return {end_};
}

} // namespace tune
