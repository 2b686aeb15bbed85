#include "measuring/pairs.hpp"

#include <algorithm>

namespace gaussianize {

std::vector<PairOfColumns> ranked_pairs(const PairwiseInformation& pairs) {
  std::vector<PairOfColumns> order;
  for (std::size_t i = 0; i < pairs.value.n_cols; ++i)
    for (std::size_t j = i + 1; j < pairs.value.n_cols; ++j) order.push_back({i, j});
  std::stable_sort(order.begin(), order.end(), [&](const PairOfColumns& a, const PairOfColumns& b) {
    return pairs.value(a.first, a.second) > pairs.value(b.first, b.second);
  });
  return order;
}

}  // namespace gaussianize
