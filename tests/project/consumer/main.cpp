// Uses all that is public: the version, a stream, Armadillo with the BLAS and LAPACK behind it, both models, and the
// library's exceptions by their types.
#include <cmath>
#include <cstddef>
#include <iostream>

#include <armadillo>

#include "gaussianize/gaussianize.hpp"

// Names too general for a namespace that programs use whole. Each is made a namespace here, which nothing else of its
// scope may be called: this compiles only if no public header declares the name.
namespace gaussianize {
namespace Block {}
namespace block {}
namespace blocks {}
namespace concat {}
namespace finish {}
namespace nearest {}
namespace quoted {}
namespace require {}
namespace shown {}
namespace step {}
}  // namespace gaussianize

using namespace gaussianize;

namespace {

int failures = 0;

void expect(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::cerr << what << '\n';
}

}  // namespace

int main() {
  // Φ⁻¹(0.975), to twenty digits.
  expect(std::abs(normal_quantile(0.975) - 1.9599639845400542355) < 1e-14, "the quantile is off");

  RandomStream stream({1}, Purpose::test);
  arma::mat a(5, 5);
  a.imbue([&] { return stream.uniform(); });
  expect(arma::norm(a * arma::inv(a) - arma::eye(5, 5), "inf") < 1e-10, "the inverse is off");

  arma::mat x(400, 2);
  x.imbue([&] { return normal_quantile(stream.uniform()); });
  x.col(1) += arma::square(x.col(0));
  const Flow rbig = fit_rbig(x, {.max_layers = 3}).flow;
  const Flow gf = fit_gf(x, {.layers = 2, .anchors = 4, .epochs = 2}).flow;
  for (const Flow& flow : {rbig, gf}) {
    expect(arma::abs(inverse(flow, forward(flow, x).z) - x).max() < 1e-8, "the inverse of a flow is off");
    expect(log_density(flow, x).is_finite(), "a log density is not finite");
  }

  x.col(1).fill(3.0);
  try {
    fit_rbig(x);
    expect(false, "a constant column was fitted");
  } catch (const DataError&) {
  }
  try {
    load_model("no such file");
    expect(false, "a file that is not there was loaded");
  } catch (const FileError&) {
  }
  try {
    throw NumericalError("thrown here", {.layer = std::size_t{1}});
  } catch (const NumericalError& error) {
    expect(error.location().layer == std::size_t{1}, "an exception lost its location");
  }

  std::cout << gaussianize::version << '\n';
  return failures == 0 ? 0 : 1;
}
