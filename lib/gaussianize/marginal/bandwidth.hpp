#pragma once

#include <cstddef>
#include <string_view>

#pragma GCC visibility push(default)
namespace gaussianize {

/// How the kernel bandwidth of a column is chosen.
enum class BandwidthRule {
  rule_of_thumb,   ///< h = s (4√π/(π⁴N))^{1/5}: best for normal data; the paper's choice
  sheather_jones,  ///< improved Sheather–Jones [Botev, Grotowski & Kroese 2010]: for many modes
  likelihood,      ///< the h of largest leave-one-out log likelihood within a factor 10 of the rule of thumb
};

/// (R(K_logistic)/μ₂²(K_logistic) ÷ R(K_normal))^{1/5} = (3√π/π⁴)^{1/5}: turns a bandwidth for the normal kernel into
/// one that smooths as much with the logistic kernel.
inline constexpr double logistic_per_normal_bandwidth = 0.5590096950816115;

/// A robust spread of a column: the least of the standard deviation and the interquartile range/1.349, but not below a
/// fiftieth of what the 5 % and 95 % quantiles say, so that a spike does not make everything else an outlier, nor
/// below 1e-10 of the standard deviation, where rounding takes over. 0 if the column is empty, or constant as far as
/// can be told. Quantiles come from at most 2048 evenly spaced rows.
double robust_scale(const double* x, std::size_t n);

/// The bandwidth for the logistic kernel. O(N log N) at most. Throws DataError if the column is constant, holds a value
/// that is not finite, or n < 2.
double select_bandwidth(const double* x, std::size_t n, BandwidthRule rule);

/// The rule of thumb for a scale s and n rows.
double rule_of_thumb_bandwidth(double scale, std::size_t n);

}  // namespace gaussianize
#pragma GCC visibility pop
