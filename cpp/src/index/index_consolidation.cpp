// Index::consolidate, by hand and by itself, and the layout map.
#include "base/huge_pages.hpp"
#include "base/in_parallel.hpp"
#include "index/auto_consolidation.hpp"
#include "index/consolidation.hpp"
#include "index/user_table.hpp"
#include "memspan/index.hpp"

namespace memspan {
namespace {

ConsolidationReport consolidate_user(UserIndex& user, bool force) {
  ConsolidationReport report = user.outlook();
  if (force || report.estimated_gain >= kWorthwhileGain) {
    report = user.consolidate(force);
  } else {
    report.skipped = 1;
  }
  user.compact_on_demand();
  return report;
}

}  // namespace

ConsolidationReport Index::consolidate(std::string_view user, bool force, size_t threads) {
  const WorkerLimit limit(threads == 0 ? WorkerLimit::kMost : threads);
  const auto found = find(user);
  ConsolidationReport report;
  if (found) {
    report = consolidate_user(*found, force);
    users_->count_if_due(user, found);
  }
  huge_pages::trim();
  return report;
}

ConsolidationReport Index::consolidate_all(bool force, size_t threads) {
  const WorkerLimit limit(threads == 0 ? WorkerLimit::kMost : threads);
  ConsolidationReport total;
  std::vector<UserTable::Entry> all = users_->all();
  for (UserTable::Entry& entry : all) entry.user.reset();  // those that are held cannot leave memory
  for (const UserTable::Entry& entry : all) {
    const auto user = users_->find(entry.name);
    if (!user) continue;  // forgotten meanwhile
    join_reports(total, consolidate_user(*user, force));
    users_->count_if_due(entry.name, user);
  }
  huge_pages::trim();
  return total;
}

void Index::consolidate_by_itself() {
  if (!auto_) auto_ = std::make_unique<AutoConsolidation>();
}

AutoConsolidations Index::auto_consolidations() const { return auto_ ? auto_->state() : AutoConsolidations(); }

void Index::finish_consolidations() const {
  if (auto_) auto_->wait();
}

std::vector<TagSpan> Index::layout_map(std::string_view user) const {
  const auto found = find(user);
  return found ? found->layout_map() : std::vector<TagSpan>();
}

}  // namespace memspan
