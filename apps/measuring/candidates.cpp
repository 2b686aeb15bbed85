#include "measuring/candidates.hpp"

namespace gaussianize {

Json measure_candidates_json(const std::vector<MeasureCandidate>& candidates) {
  Json list = Json::array();
  for (const MeasureCandidate& candidate : candidates)
    list.push_back({{"name", candidate.name},
                    {"held_out", candidate.held_out.value},
                    {"standard_error", candidate.held_out.standard_error},
                    {"chosen", candidate.chosen}});
  return list;
}

}  // namespace gaussianize
