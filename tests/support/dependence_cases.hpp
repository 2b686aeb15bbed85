#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/info/measure.hpp"

/// Joint distributions whose dependence is known exactly: total correlation, mutual information or conditional mutual
/// information, by a closed form or by quadrature. bench_dependence compares the measures with them.
namespace gaussianize::testing {

enum class DependenceQuantity { total_correlation, mutual_information, conditional_mutual_information };

/// N×D each; y and z are empty where the quantity does not use them.
struct DependenceSample {
  arma::mat x, y, z;
  /// Every row's logarithm of the ratio of densities whose mean is the quantity; empty where it has no simple form.
  arma::vec log_ratio;
};

struct DependenceCase {
  std::string name;
  DependenceQuantity quantity;
  double truth;  ///< nats
  /// Row i depends on the seed and on i alone.
  std::function<DependenceSample(std::size_t rows, Seed seed)> draw;
};

/// All of them, in the order of the benchmark's table.
const std::vector<DependenceCase>& dependence_cases();

/// The case of that name. Throws std::out_of_range if there is none.
const DependenceCase& dependence_case(std::string_view name);

/// The library's estimate of the case's quantity.
Measure measure(const DependenceCase& dependence, const DependenceSample& sample, const MeasureOptions& options);

}  // namespace gaussianize::testing
