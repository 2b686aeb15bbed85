#pragma once

#pragma GCC visibility push(default)
namespace gaussianize {

/// The standard normal distribution: density φ, lower tail Φ, upper tail Q = 1 − Φ, their logarithms and inverses. No
/// function here computes 1 − p: each tail is exact on its own. The bounds are relative to the true value at the double
/// that was passed; tests/math asserts them.

/// φ(z). Error below 4.5e-16 for |z| ≤ 37.5; beyond, φ is subnormal and then 0.
double normal_pdf(double z);

/// log φ(z) = −z²/2 − log √(2π). Error below 2.3e-16.
double log_normal_pdf(double z);

/// Φ(z), the lower tail; normal_cdf(−z) is the upper tail Q(z). Error below 8e-16 for z ≥ −37.5; beyond, a few times
/// the smallest double.
double normal_cdf(double z);

/// log Φ(z), for any z; log_normal_cdf(−z) is log Q(z). Error below 1e-15 for z ≤ 37.
double log_normal_cdf(double z);

/// log(Q(z)/φ(z)), the logarithm of Mills' ratio, without the cancellation of −z²/2. It has a zero near z = 0.303, so
/// its error is below 5e-16·max(1, |value|).
double log_mills_ratio(double z);

/// Φ⁻¹(p) for p in [0, 1]; ∓∞ at the ends, NaN outside. Exact for the smallest p; for p near 1 pass the upper tail
/// q = 1 − p to upper_normal_quantile instead. Error below 1e-15 for every p, the subnormal ones included.
double normal_quantile(double p);

/// Q⁻¹(q) = −Φ⁻¹(q): the z whose upper tail is q.
double upper_normal_quantile(double q);

/// The z with log Φ(z) = log_p, log_p ≤ 0: also where p itself would underflow. The z with log Q(z) = log_q
/// is −normal_quantile_from_log(log_q). ±∞ at log_p = 0 and −∞, NaN above 0. Error below 1e-15 for every log_p.
double normal_quantile_from_log(double log_p);

}  // namespace gaussianize
#pragma GCC visibility pop
