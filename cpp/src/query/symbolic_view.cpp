#include "query/score_accumulator.hpp"
#include "query/views.hpp"

namespace memspan {

void search_symbolic(const UserColumns& user, const PreparedQuery& prepared, const BoostingTags& boosting,
                     const Admission& admission, std::vector<Candidate>& best) {
  ScoreAccumulator scores(user.slots());
  for (const auto& [tag, weight] : boosting.weights) {
    if (weight <= 0.0f) continue;
    for (Slot slot : user.tags.records(tag)) scores.add(slot, weight);
  }
  TopK top(prepared.depth, user.recency(), best);
  admission.visit([&](auto admits) { scores.offer_all(top, admits); });
  top.sort();
}

}  // namespace memspan
