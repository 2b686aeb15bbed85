#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>

/// Tests of goodness of fit.
namespace gaussianize::testing {

/// √n times the Kolmogorov–Smirnov distance between a sample and a continuous distribution: in (0.44, 1.95) with
/// probability 0.988.
template <class Cdf>
double kolmogorov_statistic(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = cdf(sample[i]);
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, p - rank / n, (rank + 1) / n - p});
  }
  return std::sqrt(n) * distance;
}

/// The probability that counts of equally likely outcomes deviate more than these do, by Pearson's χ².
inline double uniformity_p_value(const std::vector<std::size_t>& counts) {
  double total = 0;
  for (const std::size_t count : counts) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  double statistic = 0;
  for (const std::size_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    statistic += difference * difference / expected;
  }
  const boost::math::chi_squared distribution(static_cast<double>(counts.size() - 1));
  return boost::math::cdf(boost::math::complement(distribution, statistic));
}

}  // namespace gaussianize::testing
