// Uses a function, a stream, Armadillo with the BLAS and LAPACK behind it, and the version.
#include <cmath>
#include <iostream>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/version.hpp"

int main() {
  // Φ⁻¹(0.975), to twenty digits.
  const double error = std::abs(gaussianize::normal_quantile(0.975) - 1.9599639845400542355);

  gaussianize::RandomStream stream({1}, gaussianize::Purpose::test);
  arma::mat a(5, 5);
  a.imbue([&] { return stream.uniform(); });
  const double residual = arma::norm(a * arma::inv(a) - arma::eye(5, 5), "inf");

  std::cout << gaussianize::version << '\n';
  if (error < 1e-14 && residual < 1e-10) return 0;
  std::cerr << "quantile is off by " << error << ", inverse by " << residual << '\n';
  return 1;
}
