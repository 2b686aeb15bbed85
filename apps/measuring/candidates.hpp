#pragma once

#include <vector>

#include "gaussianize/info/measure.hpp"

#include "cli/json.hpp"

namespace gaussianize {

/// The candidates of a measure with what unseen rows say of each: name, held_out, standard_error, chosen.
Json measure_candidates_json(const std::vector<MeasureCandidate>& candidates);

}  // namespace gaussianize
