// SPDX-License-Identifier: BSD-3-Clause
#include "tune/trainable/drive.hpp"

#include <exception>
#include <memory>
#include <system_error>
#include <utility>

namespace tune {

namespace {

using kind = link_answer::kind;

/// Removes `done` from the metrics: it is a signal, not a measurement.
bool take_done(metrics& from) {
  const auto* done = from.find("done");
  if (done == nullptr || done->as_bool() == nullptr)
    return false;
  auto result = *done->as_bool();
  from.erase("done");
  return result;
}

/// @returns whether the checkpoint was written.
bool write_checkpoint(trainable& what, const std::filesystem::path& directory,
                      trainable_link& link) {
  try {
    what.save(directory);
  } catch (...) {
    link.save_failed(directory, current_exception_text());
    return false;
  }
  link.saved(directory);
  return true;
}

/// @returns whether to train on.
bool obey(const link_answer& answer, trainable& what, trainable_link& link) {
  switch (answer.what) {
    case kind::go_on:
      return true;
    case kind::save:
      write_checkpoint(what, answer.directory, link);
      return true;
    case kind::pause:
      return !write_checkpoint(what, answer.directory, link);
    case kind::stop:
      return false;
  }
  return false;
}

/// Why `format` was not exported; empty: it was.
std::string export_one(trainable& what, const std::filesystem::path& place,
                       const std::string& format) {
  try {
    std::filesystem::create_directories(place);
    return what.export_model(place, format) ? std::string{} : "it does not know this format";
  } catch (...) {
    auto why = current_exception_text();
    return why.empty() ? "it threw" : why;
  }
}

/// Makes all exports. A failure here fails only that export.
void export_all(trainable& what, trainable_link& link) {
  const auto wanted = link.exports();
  for (const auto& format : wanted.formats) {
    const auto place = wanted.directory / format;
    auto why = export_one(what, place, format);
    if (why.empty())
      continue;
    std::error_code ignored;
    std::filesystem::remove_all(place, ignored);
    link.export_failed(format, why);
  }
}

void load_checkpoint(trainable& what, const std::filesystem::path& directory) {
  try {
    what.load(directory);
  } catch (...) {
    throw restore_error{current_exception_text()};
  }
}

void train(trainable& what, bool ends, const std::optional<std::filesystem::path>& restore,
           trainable_link& link) {
  if (restore)
    load_checkpoint(what, *restore);
  link.ready(what.can_save());
  while (!ends && !link.should_stop()) {
    auto result = what.step();
    auto done = take_done(result);
    auto answer = link.report(std::move(result), done, nullptr);
    if (!obey(answer, what, link) || done)
      return;
  }
}

/// The session of a function trainable, on top of its link.
class linked_session : public session {
public:
  linked_session(const object& config, const trial_context& context,
                 const std::optional<std::filesystem::path>& restore, trainable_link& link)
      : config_{config}, context_{context}, restore_{restore}, link_{link} {}

  [[nodiscard]] const object& config() const override { return config_; }
  [[nodiscard]] const trial_context& context() const override { return context_; }

  bool report(metrics what) override { return hand_over(std::move(what), nullptr); }
  bool report(metrics what, const std::filesystem::path& directory) override {
    return hand_over(std::move(what), &directory);
  }

  [[nodiscard]] std::optional<std::filesystem::path> restore_from() const override {
    return restore_;
  }
  [[nodiscard]] bool should_stop() const override { return ended_ || link_.should_stop(); }

private:
  const object& config_;
  const trial_context& context_;
  const std::optional<std::filesystem::path>& restore_;
  trainable_link& link_;
  bool ended_ = false;

  bool hand_over(metrics what, const std::filesystem::path* checkpoint) {
    if (ended_)
      return false;
    auto done = take_done(what);
    auto answer = link_.report(std::move(what), done, checkpoint);
    if (answer.what == kind::save)
      link_.save_failed(answer.directory, "a function hands checkpoints over with its reports");
    ended_ = done || answer.what == kind::pause || answer.what == kind::stop;
    return !should_stop();
  }
};

} // namespace

void kept_trainable::begin(const object& config, const trial_context& context) {
  if (instance_ != nullptr && instance_->reset_for(config, context))
    return;
  try {
    end();
  } catch (...) { // The instance's own trials are over, and this trial must not fail for them.
  }
  instance_ = what_.maker();
  if (instance_ == nullptr)
    throw std::runtime_error{"the maker of trainable '" + what_.name + "' made nothing"};
  instance_->setup(config, context);
}

void kept_trainable::drive(const object& config, const trial_context& context,
                           const std::optional<std::filesystem::path>& restore,
                           trainable_link& link) {
  if (what_.actor != nullptr)
    throw std::runtime_error{"'" + what_.name
                             + "' is an actor, which runs on no thread or process"
                               " of a trial's"};
  if (!what_.maker) {
    link.ready(false);
    linked_session conversation{config, context, restore, link};
    what_.function(conversation);
    return;
  }
  try {
    begin(config, context);
    train(*instance_, context.ends, restore, link);
    export_all(*instance_, link);
  } catch (...) {
    try {
      end();
    } catch (...) { // The first error is the one to report.
    }
    throw;
  }
}

void kept_trainable::end() {
  if (auto gone = std::exchange(instance_, nullptr))
    gone->cleanup();
}

void drive(const trainable_registry::entry& what, const object& config,
           const trial_context& context, const std::optional<std::filesystem::path>& restore,
           trainable_link& link) {
  kept_trainable once{what};
  once.drive(config, context, restore, link);
  once.end();
}

std::string current_exception_text() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (const std::string& text) {
    return text;
  } catch (const char* text) {
    return text;
  } catch (...) {
    return "unknown exception";
  }
}

} // namespace tune
