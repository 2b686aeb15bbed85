// The program of the README, with a table to read.
#include <iostream>

#include "gaussianize/data/generate.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/io/table.hpp"
#include "gaussianize/rbig/rbig.hpp"

using namespace gaussianize;

int main() {
  const ToySample rings = generate("rings", 1000, 2, Seed{1});
  write_table({rings.columns, rings.x}, "data.csv");

  arma::mat x = read_table("data.csv").values;   // rows are observations
  RbigFit fit = fit_rbig(x, {.seed = Seed{7}});  // how it went: fit.layers, fit.stop_reason
  arma::vec log_p = log_density(fit.flow, x);    // nats
  arma::mat z = forward(fit.flow, x).z;          // Gaussian space
  arma::mat back = inverse(fit.flow, z);         // and back, to 1e-9
  arma::mat more = sample(fit.flow, 1000, Seed{1});

  const double error = arma::abs(back - x).max();
  std::cout << "mean log density " << arma::mean(log_p) << ", round trip " << error << '\n';
  return error < 1e-9 && more.n_rows == 1000 ? 0 : 1;
}
