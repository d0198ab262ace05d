// Index::consolidate and the layout map.
#include <mutex>
#include <shared_mutex>

#include "index/consolidation.hpp"
#include "index/user_index.hpp"
#include "memspan/index.hpp"

namespace memspan {
namespace {

// Below this a consolidation costs more than it is likely to bring.
constexpr double kWorthwhileGain = 1.15;

ConsolidationReport consolidate_user(UserIndex& user, bool force) {
  if (force || user.consolidation_gain() >= kWorthwhileGain) return user.consolidate(force);
  ConsolidationReport report;
  report.users = report.skipped = 1;
  return report;
}

}  // namespace

ConsolidationReport Index::consolidate(std::string_view user, bool force) {
  const auto found = find(user);
  return found ? consolidate_user(*found, force) : ConsolidationReport();
}

ConsolidationReport Index::consolidate_all(bool force) {
  std::vector<std::shared_ptr<UserIndex>> users;
  {
    const std::shared_lock reading(mutex_);
    for (const auto& [name, user] : users_) users.push_back(user);
  }
  ConsolidationReport total;
  for (const auto& user : users) join_reports(total, consolidate_user(*user, force));
  return total;
}

std::vector<TagSpan> Index::layout_map(std::string_view user) const {
  const auto found = find(user);
  return found ? found->layout_map() : std::vector<TagSpan>();
}

}  // namespace memspan
