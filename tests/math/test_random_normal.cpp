#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

#include "support/closeness.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;

std::vector<double> normals(std::size_t count, Seed seed) {
  RandomStream stream(seed, Purpose::test);
  std::vector<double> values(count);
  fill_normal(stream, values.data(), count);
  return values;
}

double mean_power(const std::vector<double>& values, int power) {
  double sum = 0.0;
  for (const double v : values) sum += std::pow(v, power);
  return sum / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("the moments are those of the standard normal distribution") {
  const std::vector<double> z = normals(1'000'000, Seed{5});
  const double root = 1000.0;
  // Four standard errors; Var zᵏ = E z²ᵏ − (E zᵏ)².
  CHECK(std::abs(mean_power(z, 1)) < 4.0 * 1.0 / root);
  CHECK(std::abs(mean_power(z, 2) - 1.0) < 4.0 * std::sqrt(2.0) / root);
  CHECK(std::abs(mean_power(z, 3)) < 4.0 * std::sqrt(15.0) / root);
  CHECK(std::abs(mean_power(z, 4) - 3.0) < 4.0 * std::sqrt(96.0) / root);
}

TEST_CASE("the Kolmogorov–Smirnov distance from Φ is that of a sample") {
  std::vector<double> z = normals(200'000, Seed{6});
  std::sort(z.begin(), z.end());
  const double n = static_cast<double>(z.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double cdf = normal_cdf(z[i]);
    const double rank = static_cast<double>(i);
    distance = std::max({distance, cdf - rank / n, (rank + 1.0) / n - cdf});
  }
  // √n D lies in (0.44, 1.95) with probability 0.988.
  CHECK(std::sqrt(n) * distance < 1.95);
  CHECK(std::sqrt(n) * distance > 0.44);
}

TEST_CASE("each normal is Φ⁻¹ of the stream's next uniform") {
  const std::vector<double> z = normals(1000, Seed{7});
  RandomStream stream(Seed{7}, Purpose::test);
  for (const double v : z) CHECK(testing::relative_error(v, normal_quantile(stream.uniform())) < 2e-15);
}

TEST_CASE("a seed means the same normals for ever") {
  const std::vector<double> golden{0.39597478407094178, -0.52952906450516146, 1.3672612016448191,
                                   1.201767318485381,   0.91612048563452275,  -0.88067962431567226};
  const std::vector<double> z = normals(golden.size(), Seed{42});
  for (std::size_t i = 0; i < z.size(); ++i) CHECK(std::abs(z[i] - golden[i]) <= 1e-14);
}

TEST_CASE("pieces of a stream make the whole") {
  const std::vector<double> whole = normals(100, Seed{8});
  RandomStream stream(Seed{8}, Purpose::test);
  std::vector<double> pieces(100);
  fill_normal(stream, pieces.data(), 3);
  fill_normal(stream, pieces.data() + 3, 0);
  fill_normal(stream, pieces.data() + 3, 97);
  CHECK(whole == pieces);
}

TEST_CASE("a matrix takes the stream column by column") {
  const std::vector<double> whole = normals(12, Seed{9});
  RandomStream stream(Seed{9}, Purpose::test);
  const arma::mat m = random_normal(4, 3, stream);
  REQUIRE(m.n_rows == 4);
  REQUIRE(m.n_cols == 3);
  CHECK(std::equal(m.begin(), m.end(), whole.begin()));
}
