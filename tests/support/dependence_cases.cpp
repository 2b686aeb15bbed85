#include "support/dependence_cases.hpp"

#include <stdexcept>

#include "support/dependence_rows.hpp"

namespace gaussianize::testing {

const std::vector<DependenceCase>& dependence_cases() {
  static const std::vector<DependenceCase> cases = [] {
    std::vector<DependenceCase> all = normal_dependence_cases();
    for (const auto& group : {shape_dependence_cases(), known_dependence_cases()})
      all.insert(all.end(), group.begin(), group.end());
    return all;
  }();
  return cases;
}

const DependenceCase& dependence_case(std::string_view name) {
  for (const DependenceCase& dependence : dependence_cases())
    if (dependence.name == name) return dependence;
  throw std::out_of_range("dependence_case: there is no " + std::string(name));
}

Measure measure(const DependenceCase& dependence, const DependenceSample& sample, const MeasureOptions& options) {
  switch (dependence.quantity) {
    case DependenceQuantity::total_correlation:
      return total_correlation(sample.x, options);
    case DependenceQuantity::mutual_information:
      return mutual_information(sample.x, sample.y, options);
    case DependenceQuantity::conditional_mutual_information:
      return conditional_mutual_information(sample.x, sample.y, sample.z, options);
  }
  throw std::logic_error("measure: no such quantity");
}

}  // namespace gaussianize::testing
