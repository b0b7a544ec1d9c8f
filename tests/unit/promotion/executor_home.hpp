#pragma once

#include "home/home.hpp"

#include <map>
#include <mutex>
#include <string>

// A home's pipelines and secrets as a test writes them; its ledger is the real one.
namespace sluice::tests {

class written_pipelines final : public home::pipelines {
public:
    void set(pipeline::definition d) {
        auto made = std::make_shared<const pipeline::definition>(std::move(d));
        const std::lock_guard lock{mutex_};
        all_[made->name] = made;
    }
    void remove(const pipeline::object_name& name) {
        const std::lock_guard lock{mutex_};
        all_.erase(name);
    }
    [[nodiscard]] bool available() const override { return true; }
    [[nodiscard]] pipeline::definition_ptr
    find(std::string_view ns, std::string_view name) const override {
        const std::lock_guard lock{mutex_};
        const auto found = all_.find({std::string{ns}, std::string{name}});
        return found == all_.end() ? nullptr : found->second;
    }
    [[nodiscard]] std::vector<pipeline::definition_ptr> all() const override {
        const std::lock_guard lock{mutex_};
        std::vector<pipeline::definition_ptr> out;
        for (const auto& [name, d] : all_) out.push_back(d);
        return out;
    }
    [[nodiscard]] home::part_health health() const override { return {"pipelines", true, {}}; }

private:
    mutable std::mutex mutex_;
    std::map<pipeline::object_name, pipeline::definition_ptr> all_;
};

class written_secrets final : public home::secrets {
public:
    void set(const std::string& name, const std::map<std::string, std::string>& data) {
        auto made = std::make_shared<home::secret>();
        for (const auto& [key, value] : data) made->data[key] = secret_string{value};
        const std::lock_guard lock{mutex_};
        made->generation = ++generation_;
        all_[name] = std::move(made);
    }
    [[nodiscard]] bool available() const override { return true; }
    [[nodiscard]] home::secret_ptr
    find(std::string_view /*ns*/, std::string_view name) const override {
        const std::lock_guard lock{mutex_};
        const auto found = all_.find(std::string{name});
        return found == all_.end() ? nullptr : found->second;
    }
    [[nodiscard]] boost::asio::awaitable<home::secret_ptr>
    refresh(std::string ns, std::string name) override {
        co_return find(ns, name);
    }
    [[nodiscard]] home::part_health health() const override { return {"secrets", true, {}}; }

private:
    mutable std::mutex mutex_;
    std::uint64_t generation_ = 0;
    std::map<std::string, home::secret_ptr> all_;
};

} // namespace sluice::tests
