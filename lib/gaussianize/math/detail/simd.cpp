#include "gaussianize/math/detail/simd.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "gaussianize/math/detail/quantile_coefficients.hpp"

namespace gaussianize::detail {
namespace {

// Rows whose sums stay in the first-level cache while the kernels go by; a last, shorter strip is padded to a whole
// number of the widest vectors.
constexpr std::size_t strip = 64;
constexpr std::size_t widest_vector = 8;
constexpr std::size_t backward_strip = 256;  // longer, since each kernel ends with a sum over the rows
// Sums over rows run in this many interleaved parts, whatever the instruction set.
constexpr std::size_t lanes = 32;
constexpr double min_spline_slope = 1e-300;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest_normal = std::numeric_limits<double>::min();
constexpr double largest_normal = std::numeric_limits<double>::max();
constexpr double smallest_tail = 1e-300;
constexpr double log_sqrt_two_pi = 0.91893853320467274178;
constexpr double log_logit_scale = -0.59542374151534532845;
constexpr double sum_unit = 0x1p64;
constexpr double sum_unit_power = 64.0;
constexpr double largest_factor = 1e150;  // of A and B in the backward loop

// log 2 = high + low, where k·high is exact for |k| < 2²¹.
constexpr double log_two_high = 0x1.62e42feep-1;
constexpr double log_two_low = 1.90821492927058781614e-10;
constexpr double log2_e = 1.44269504088896340736;
// Adding it leaves the nearest whole number in the lowest bits.
constexpr double rounding_shift = 0x1.8p52;

// tanh(r/2) = r (o₀ + o₁u + o₂u²)/(1 + e₁u + e₂u²), u = r².
constexpr double exp_even_1 = 0.11110810041408209;
constexpr double exp_even_2 = 0.0009917624601629806;
constexpr double exp_odd_0 = 0.5;
constexpr double exp_odd_1 = 0.013887383540375385;
constexpr double exp_odd_2 = 3.3043712760705595e-05;
// The same for r in units of log 2.
constexpr double exp2_even_1 = 0.053382221714671906;
constexpr double exp2_even_2 = 0.000228933585262723;
constexpr double exp2_odd_0 = 0.34657359027997264;
constexpr double exp2_odd_1 = 0.0046248410705703;
constexpr double exp2_odd_2 = 5.2870831856249715e-06;
constexpr double log_two = 0.69314718055994530942;
constexpr double max_bits = 1082.0;  // 2^−1082·sum_unit is normal

// 2 artanh(s)/s − 2 = c₁w + … + c₇w⁷, w = s² ≤ 0.0295, to 4.3e-18 of log before rounding.
constexpr double log_1 = 0.666666666666667;
constexpr double log_2 = 0.3999999999989924;
constexpr double log_3 = 0.2857142862609589;
constexpr double log_4 = 0.2222221111514416;
constexpr double log_5 = 0.18182890556695602;
constexpr double log_6 = 0.1533167403016786;
constexpr double log_7 = 0.1461703754879165;

constexpr std::uint64_t bits_of_one = 0x3ff0000000000000;
constexpr std::uint64_t bits_of_sqrt_half = 0x3fe6a09e667f3bcd;
constexpr std::uint64_t bits_of_two_52 = 0x4330000000000000;
constexpr std::uint64_t mantissa_mask = 0x000fffffffffffff;
constexpr std::uint64_t sign_bit = 0x8000000000000000;

namespace baseline {
#define GAUSSIANIZE_TARGET
#define GAUSSIANIZE_FUSED 0
#include "gaussianize/math/detail/simd_loops.inc"
#undef GAUSSIANIZE_TARGET
#undef GAUSSIANIZE_FUSED
}  // namespace baseline

#if defined(__x86_64__)

namespace avx2 {
#define GAUSSIANIZE_TARGET __attribute__((target("avx2,fma")))
#define GAUSSIANIZE_FUSED 1
#include "gaussianize/math/detail/simd_loops.inc"
#undef GAUSSIANIZE_TARGET
#undef GAUSSIANIZE_FUSED
}  // namespace avx2

namespace avx512 {
#define GAUSSIANIZE_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,avx2")))
#define GAUSSIANIZE_FUSED 1
#include "gaussianize/math/detail/simd_loops.inc"
#undef GAUSSIANIZE_TARGET
#undef GAUSSIANIZE_FUSED
}  // namespace avx512

constexpr std::array<SimdLoops, 3> tables{baseline::loops("baseline"), avx2::loops("avx2"), avx512::loops("avx512")};

std::size_t count_available() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  return has_avx512 ? 3 : 2;
}

#else

constexpr std::array<SimdLoops, 1> tables{baseline::loops("baseline")};

std::size_t count_available() {
  return 1;
}

#endif

}  // namespace

std::span<const SimdLoops> available_simd() {
  static const std::size_t count = count_available();
  return {tables.data(), count};
}

const SimdLoops& simd() {
  return available_simd().back();
}

}  // namespace gaussianize::detail
