#pragma once

#include <cstddef>
#include <vector>

#include "gaussianize/info/measure.hpp"

namespace gaussianize {

/// Two columns, first < second.
struct PairOfColumns {
  std::size_t first = 0, second = 0;
};

/// All pairs of columns by their mutual information, largest first.
std::vector<PairOfColumns> ranked_pairs(const PairwiseInformation& pairs);

}  // namespace gaussianize
