#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/simd.hpp"

#include "math/reference_table.hpp"
#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/draws.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bits;
using gaussianize::testing::same_bytes;
using gaussianize::testing::uniforms;

constexpr std::size_t sum_lengths[] = {1, 2, 7, 31, 32, 33, 64, 100, 255, 256, 257, 5000};

}  // namespace

TEST_CASE("moments of cells have the bits of the reference loop") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t n : sum_lengths) {
      std::vector<double> x = uniforms(n, -2.0, 3.0, n);
      x[0] = -2.0;
      x[n / 2] = 3.5;  // beyond the last cell, which takes it
      const std::size_t cells = 40;
      const CellGrid grid{-2.0, 0.125, 8.0, static_cast<double>(cells)};
      std::vector<double> fast(8 * cells, 0.25), plain(8 * cells, 0.25);
      loops.spline.add_moments(grid, x.data(), n, fast.data());
      for (const double v : x) reference::add_moments(v, -2.0, 8.0, cells - 1, plain.data());
      INFO(loops.name, ", n = ", n);
      CHECK(same_bytes(fast, plain));
    }
}

TEST_CASE("weighted moments have the bits of the reference loop") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t count : {0, 1, 2, 16, 17}) {
      const std::vector<double> a = uniforms(8 * 17, -1.0, 1.0, 8 * 17);
      const std::vector<double> b = uniforms(8 * 18, -1.0, 1.0, 8 * 18);
      const std::vector<double> cells = uniforms(8 * 19, 0.0, 9.0, 8 * 19);
      std::vector<double> fast(16, 7.0), plain(16, 0.0);
      loops.spline.weigh_moments(a.data(), b.data(), cells.data(), count, fast.data(), fast.data() + 8);
      for (std::size_t c = 0; c < count; ++c)
        for (std::size_t m = 0; m < 8; ++m) {
          plain[m] += a[8 * c + m] * cells[8 * c + m];
          plain[8 + m] += b[8 * c + m] * cells[8 * c + m];
        }
      INFO(loops.name, ", ", count, " cells");
      CHECK(same_bytes(fast, plain));
    }
}

TEST_CASE("the range is that of std::minmax_element, wherever the ends are") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t n : sum_lengths)
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1})
        for (const double extreme : {-1e300, 1e300}) {
          std::vector<double> x = uniforms(n, -2.0, 3.0, n);
          x[at] = extreme;
          const auto [low, high] = std::minmax_element(x.begin(), x.end());
          const Range range = loops.spline.range(x.data(), n);
          INFO(loops.name, ", n = ", n);
          CHECK(range.low == *low);
          CHECK(range.high == *high);
        }
}

TEST_CASE("sums of deviations are those of extended precision, with the same bits in every table") {
  for (const std::size_t n : sum_lengths) {
    const std::vector<double> x = uniforms(n, 5.0, 9.0, n);
    const DeviationSums first = available_simd()[0].spline.deviation_sums(x.data(), n, 0.25, 1.5);
    long double sum = 0, squares = 0, size = 0;
    for (const double v : x) {
      const long double d = 0.25L * v - 1.5L;
      sum += d;
      size += std::abs(d);
      squares += d * d;
    }
    INFO("n = ", n);
    CHECK(std::abs(first.sum - static_cast<double>(sum)) <= 1e-14 * static_cast<double>(size));
    CHECK(testing::relative_error(first.squares, static_cast<double>(squares)) < 1e-14);
    for (const SimdLoops& loops : available_simd()) {
      const DeviationSums sums = loops.spline.deviation_sums(x.data(), n, 0.25, 1.5);
      CHECK((same_bits(sums.sum, first.sum) && same_bits(sums.squares, first.squares)));
    }
  }
}
