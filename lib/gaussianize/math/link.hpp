#pragma once

#pragma GCC visibility push(default)
namespace gaussianize {

/// The map of a distribution function F to the real line, S = 1 − F.
enum class Link {
  probit,  ///< z = Φ⁻¹(F): normal if F is correct. The inverse of a mixture with logistic tails then grows like z²
  logit,   ///< z = c·log(F/S), c = √3/π: straight in both tails; of unit variance if F is correct
};

/// c of Link::logit: the reciprocal of the logistic distribution's standard deviation.
inline constexpr double logit_scale = 0.551328895421792050;

}  // namespace gaussianize
#pragma GCC visibility pop
