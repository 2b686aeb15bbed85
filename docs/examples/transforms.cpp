// A density of 8-bit integers: dequantised, through the logit map, in bits per dimension.
#include <cmath>
#include <iostream>
#include <vector>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/transform.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rbig/rbig.hpp"

using namespace gaussianize;

/// Correlated columns of integers 0 … 255, each uniform.
arma::mat draw_pixels(std::size_t rows, Seed seed) {
  arma::mat z = draw(KnownDistribution::gaussian, rows, 4, seed).x;
  return z.transform([](double value) { return std::floor(256 * normal_cdf(value)); });
}

int main() {
  const arma::mat train = draw_pixels(3000, Seed{1}), test = draw_pixels(3000, Seed{2});

  // Test rows have noise of their own; the other way of the map needs no seed.
  const std::vector<Transform> train_map = image_transforms(1e-6, Seed{3});
  const std::vector<Transform> test_map = image_transforms(1e-6, Seed{4});

  const RbigFit fit = fit_rbig(forward(train_map, train).values, {.max_layers = 30, .seed = Seed{7}});

  const Transformed y = forward(test_map, test);
  const arma::vec log_p = log_density(fit.flow, y.values) + y.log_det;  // of the integers, nats
  const Estimate bits = bits_per_dimension(log_p, 4);
  std::cout << "bits per dimension " << bits.value << " ± " << bits.standard_error << '\n';

  // Independent uniform columns would take 8 bits each; dependence saves I/(D log 2).
  const double truth = 8 - *true_total_correlation(KnownDistribution::gaussian, 4) / (4 * std::log(2.0));
  std::cout << "the distribution itself " << truth << '\n';

  const bool exact = arma::approx_equal(inverse(test_map, y.values).values, test, "absdiff", 0.0);
  std::cout << "back to the integers: " << (exact ? "exactly" : "not exactly") << '\n';
  return exact && bits.value > truth - 4 * bits.standard_error && bits.value < truth + 0.1 ? 0 : 1;
}
