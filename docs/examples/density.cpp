// Reads a table, fits RBIG to it, scores new rows and finds the strange ones among them.
#include <algorithm>
#include <iostream>

#include "gaussianize/data/generate.hpp"
#include "gaussianize/info/anomaly.hpp"
#include "gaussianize/io/table.hpp"
#include "gaussianize/rbig/rbig.hpp"

using namespace gaussianize;

int main() {
  const ToySample drawn = generate("moons", 2000, 2, Seed{1});
  write_table({drawn.columns, drawn.x}, "moons.csv");

  const Table table = read_table("moons.csv");
  const arma::mat train = table.values.head_rows(1500);
  const arma::mat ordinary = table.values.tail_rows(500);

  const RbigFit fit = fit_rbig(train, {.max_layers = 50, .seed = Seed{7}});
  std::cout << fit.layers_kept << " layers, stopped by " << name(fit.stop_reason) << ", held-out NLL "
            << fit.validation_nll << " nats\n";

  // Each value is ordinary in its column; the pairs lie beside the moons.
  const arma::mat strange{{-2.2, -1.0}, {2.2, 1.6}};
  const Calibration calibration = calibrate(fit.flow, ordinary);
  double largest_p = 0;
  for (const double log_p : log_density(fit.flow, strange)) {
    const double p = tail_probability(calibration, log_p);
    std::cout << "log density " << log_p << ", p = " << p << '\n';
    largest_p = std::max(largest_p, p);
  }

  const double shortfall = arma::mean(drawn.log_density.tail_rows(500)) - arma::mean(log_density(fit.flow, ordinary));
  std::cout << "below the distribution's own mean log density by " << shortfall << " nats\n";
  return largest_p < 0.02 && shortfall > 0 && shortfall < 0.25 ? 0 : 1;
}
