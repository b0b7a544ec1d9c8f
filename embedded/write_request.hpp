#pragma once

#include "base/result.hpp"
#include "embedded/answer.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace sluice::embedded {

class ledger_book;

// One caller's wish to write. The writer performs it, perhaps again after a roll-back; whoever comes first, the writer or
// the one who watches the time, answers the caller.
class write_request {
public:
    using clock = std::chrono::steady_clock;

    write_request() = default;
    write_request(const write_request&) = delete;
    write_request& operator=(const write_request&) = delete;
    virtual ~write_request() = default;

    // By the writer's thread only.
    virtual void perform(ledger_book& book) = 0;
    virtual void refuse(error e) = 0; // the outcome is this error; not performed again
    [[nodiscard]] bool refused() const noexcept { return refused_; }

    // Null when the caller was already answered.
    [[nodiscard]] virtual delivery_ptr finish() = 0;
    [[nodiscard]] virtual delivery_ptr give_up(error e) = 0;

    const clock::time_point since = clock::now();
    // Others of its kind follow it soon, and one commit for all is worth a moment. What the executor or a person does is not.
    bool patient = false;

protected:
    [[nodiscard]] bool first_to_answer() noexcept { return !answered_.exchange(true); }
    bool refused_ = false;

private:
    std::atomic<bool> answered_{false};
};

template <class T>
class write_request_for final : public write_request {
public:
    using work = std::function<result<T>(ledger_book&)>;

    write_request_for(work w, answer_ptr<result<T>> to) : work_(std::move(w)), to_(std::move(to)) {}

    void perform(ledger_book& book) override { outcome_.emplace(work_(book)); }
    void refuse(error e) override {
        refused_ = true;
        outcome_.emplace(std::move(e));
    }
    delivery_ptr finish() override {
        if (!first_to_answer()) return nullptr;
        to_->set(std::move(*outcome_));
        return std::move(to_);
    }
    delivery_ptr give_up(error e) override {
        if (!first_to_answer()) return nullptr;
        to_->set(result<T>{std::move(e)});
        return std::move(to_);
    }

private:
    work work_;
    answer_ptr<result<T>> to_;
    std::optional<result<T>> outcome_;
};

using write_request_ptr = std::shared_ptr<write_request>;

} // namespace sluice::embedded
