#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/random.hpp"

#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

using Counter = std::array<std::uint64_t, 4>;

std::vector<std::uint64_t> first_bits(RandomStream stream, std::size_t count) {
  std::vector<std::uint64_t> bits(count);
  for (std::uint64_t& b : bits) b = stream.bits();
  return bits;
}

}  // namespace

TEST_CASE("philox gives the published answers") {
  // The known answers of philox4x64-10 that come with Random123.
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  CHECK(philox({0, 0, 0, 0}, {0, 0}) ==
        Counter{0x16554d9eca36314cULL, 0xdb20fe9d672d0fdcULL, 0xd7e772cee186176bULL, 0x7e68b68aec7ba23bULL});
  CHECK(philox({ones, ones, ones, ones}, {ones, ones}) ==
        Counter{0x87b092c3013fe90bULL, 0x438c3c67be8d0224ULL, 0x9cc7d7c69cd777b6ULL, 0xa09caebf594f0ba0ULL});
  CHECK(philox({0x243f6a8885a308d3ULL, 0x13198a2e03707344ULL, 0xa4093822299f31d0ULL, 0x082efa98ec4e6c89ULL},
               {0x452821e638d01377ULL, 0xbe5466cf34e90c6cULL}) ==
        Counter{0xa528f45403e61d95ULL, 0x38c72dbd566e9788ULL, 0xa5a1610e72fd18b5ULL, 0x57bd43b5e52b7fe6ULL});
}

TEST_CASE("a stream is philox in counter mode: key (seed, purpose), counter (i, 0, block, 0)") {
  RandomStream stream(Seed{42}, Purpose::rotation, 9);
  for (std::uint64_t i = 0; i < 5; ++i)
    for (const std::uint64_t expected : philox({i, 0, 9, 0}, {42, 3})) CHECK(stream.bits() == expected);
}

TEST_CASE("the purposes keep their numbers") {
  // They are part of what a seed means.
  CHECK(static_cast<std::uint64_t>(Purpose::test) == 0);
  CHECK(static_cast<std::uint64_t>(Purpose::split) == 1);
  CHECK(static_cast<std::uint64_t>(Purpose::subsample) == 2);
  CHECK(static_cast<std::uint64_t>(Purpose::rotation) == 3);
  CHECK(static_cast<std::uint64_t>(Purpose::sample) == 4);
  CHECK(static_cast<std::uint64_t>(Purpose::data) == 5);
  CHECK(static_cast<std::uint64_t>(Purpose::null_distribution) == 6);
  CHECK(static_cast<std::uint64_t>(Purpose::slices) == 7);
}

TEST_CASE("streams that differ in seed, purpose or block share no number") {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  for (const std::uint64_t seed : {0ULL, 1ULL, ~0ULL})
    for (const Purpose purpose : {Purpose::test, Purpose::split, Purpose::sample})
      for (const std::uint64_t block : {0ULL, 1ULL, 1ULL << 40}) {
        const auto bits = first_bits({Seed{seed}, purpose, block}, 1000);
        seen.insert(bits.begin(), bits.end());
        drawn += bits.size();
      }
  // Of 27 000 64-bit numbers two agree by chance once in 5·10¹⁰ trials.
  CHECK(seen.size() == drawn);
}

TEST_CASE("the same key gives the same numbers, and a copy goes on where the original was") {
  CHECK(first_bits({Seed{5}, Purpose::test, 2}, 100) == first_bits({Seed{5}, Purpose::test, 2}, 100));
  RandomStream stream(Seed{5}, Purpose::test);
  for (int i = 0; i < 7; ++i) stream.bits();
  RandomStream copy = stream;
  CHECK(first_bits(copy, 20) == first_bits(stream, 20));
}

TEST_CASE("every bit is set half the time") {
  RandomStream stream(Seed{6}, Purpose::test);
  constexpr int draws = 200'000;
  std::array<int, 64> set{};
  for (int i = 0; i < draws; ++i) {
    const std::uint64_t bits = stream.bits();
    for (std::size_t b = 0; b < 64; ++b) set[b] += static_cast<int>((bits >> b) & 1U);
  }
  // Five standard deviations, ½√draws each.
  for (const int count : set) CHECK(std::abs(count - draws / 2) < 5 * 0.5 * std::sqrt(double{draws}));
}

TEST_CASE("uniform is (k + ½)·2⁻⁵² with k the top 52 bits, exactly") {
  RandomStream stream(Seed{7}, Purpose::test);
  RandomStream twin = stream;
  for (int i = 0; i < 100'000; ++i) {
    const double u = stream.uniform();
    const std::uint64_t k = twin.bits() >> 12;
    // 2k + 1 < 2⁵³ is a double.
    REQUIRE(std::ldexp(u, 53) == static_cast<double>(2 * k + 1));
    REQUIRE(u > 0.0);
    REQUIRE(u < 1.0);
  }
  // The extremes, which no stream will show: what is computed for k = 0 and k = 2⁵² − 1 is neither 0 nor 1.
  CHECK((0.0 + 0.5) * 0x1p-52 > 0.0);
  CHECK((0x1p52 - 1 + 0.5) * 0x1p-52 < 1.0);
}

TEST_CASE("uniform is uniform") {
  RandomStream stream(Seed{8}, Purpose::test);
  std::vector<double> sample(1'000'000);
  for (double& u : sample) u = stream.uniform();
  const double statistic = testing::kolmogorov_statistic(sample, [](double u) { return u; });
  CHECK(statistic > 0.44);
  CHECK(statistic < 1.95);
}

TEST_CASE("below is uniform") {
  RandomStream stream(Seed{9}, Purpose::test);
  for (const std::uint64_t n : {2ULL, 3ULL, 7ULL, 10ULL, 1000ULL}) {
    CAPTURE(n);
    std::vector<std::size_t> counts(n);
    for (int i = 0; i < 200'000; ++i) {
      const std::uint64_t value = stream.below(n);
      REQUIRE(value < n);
      ++counts[value];
    }
    const double p = testing::uniformity_p_value(counts);
    CHECK(p > 1e-3);
    CHECK(p < 1 - 1e-3);
  }
}

TEST_CASE("below has no bias where multiplication alone would") {
  // For n = ¾·2⁶⁴ four 64-bit numbers share three results: without rejection multiples of three come twice as often.
  constexpr std::uint64_t n = 3ULL << 62;
  RandomStream stream(Seed{10}, Purpose::test);
  std::vector<std::size_t> counts(3);
  for (int i = 0; i < 30'000; ++i) {
    const std::uint64_t value = stream.below(n);
    REQUIRE(value < n);
    ++counts[value % 3];
  }
  CHECK(testing::uniformity_p_value(counts) > 1e-3);
}

TEST_CASE("below(1) is 0 and below(0) is the caller's mistake") {
  RandomStream stream(Seed{11}, Purpose::test);
  for (int i = 0; i < 10; ++i) CHECK(stream.below(1) == 0);
  CHECK_THROWS_AS(stream.below(0), std::invalid_argument);
}

TEST_CASE("permutation holds every index once") {
  RandomStream stream(Seed{12}, Purpose::test);
  for (const std::size_t n : {0UL, 1UL, 2UL, 1000UL}) {
    std::vector<std::size_t> order = permutation(n, stream);
    REQUIRE(order.size() == n);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < n; ++i) CHECK(order[i] == i);
  }
}

TEST_CASE("all permutations of four are equally likely") {
  RandomStream stream(Seed{13}, Purpose::test);
  std::vector<std::size_t> counts(256);
  for (int i = 0; i < 48'000; ++i) {
    const std::vector<std::size_t> p = permutation(4, stream);
    ++counts[p[0] + 4 * p[1] + 16 * p[2] + 64 * p[3]];
  }
  std::erase(counts, std::size_t{0});
  REQUIRE(counts.size() == 24);
  CHECK(testing::uniformity_p_value(counts) > 1e-3);
}

TEST_CASE("subsample is sorted, distinct and in range") {
  RandomStream stream(Seed{14}, Purpose::test);
  for (const auto& [n, count] :
       {std::pair<std::size_t, std::size_t>{0, 0}, {5, 0}, {5, 5}, {1, 1}, {1000, 999}, {1000, 10}}) {
    const std::vector<std::size_t> chosen = subsample(n, count, stream);
    CHECK(chosen.size() == count);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      CHECK(chosen[i] < n);
      if (i > 0) CHECK(chosen[i] > chosen[i - 1]);
    }
  }
  CHECK_THROWS_AS(subsample(5, 6, stream), std::invalid_argument);
}

TEST_CASE("all subsamples of two out of five are equally likely") {
  RandomStream stream(Seed{15}, Purpose::test);
  std::vector<std::size_t> counts(25);
  for (int i = 0; i < 40'000; ++i) {
    const std::vector<std::size_t> chosen = subsample(5, 2, stream);
    ++counts[5 * chosen[0] + chosen[1]];
  }
  std::erase(counts, std::size_t{0});
  REQUIRE(counts.size() == 10);
  CHECK(testing::uniformity_p_value(counts) > 1e-3);
}
