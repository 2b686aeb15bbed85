#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <armadillo>

#include "report/page.hpp"
#include "report/report.hpp"

namespace gaussianize::report {

/// Rows of data and the models that are shown beside them.
struct Scene {
  const DataSummary& data;
  const arma::mat& rows;
  const std::vector<Model>& models;
  std::string rows_name;           ///< "test rows"
  std::vector<std::size_t> order;  ///< of columns, the most important first
  Seed seed;
  int threads;
};

/// The columns by decreasing negentropy; in their own order where at most six have to be shown.
std::vector<std::size_t> order_by_negentropy(const arma::mat& rows, int threads);

/// Two columns: points, densities and samples. More: scatter matrices of rows against samples.
Section data_and_samples_section(const Scene& scene);

/// Quantiles and scatter plots of the Gaussianized rows.
Section gaussianized_section(const Scene& scene);

/// For --plot: the rows, then every model's density and samples; for more than two columns the last model's samples
/// against the rows.
Picture scene_picture(const Scene& scene);

}  // namespace gaussianize::report
