#include "report/scene.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/detail/negentropy.hpp"

#include "report/charts.hpp"
#include "report/row_pictures.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

constexpr std::size_t grid_side = 140, max_rows = 20000, drawn_samples = 3000;

/// The panel that all pictures of two columns start from: labels, axes and the rows.
PointsPanel base_panel(const Scene& scene) {
  return {.points = thinned(scene.rows, max_rows, scene.seed),
          .x_label = shortened(scene.data.columns[0], 24),
          .y_label = shortened(scene.data.columns[1], 24),
          .x = central_range(scene.rows.col(0), 0.995),
          .y = central_range(scene.rows.col(1), 0.995)};
}

/// The upper end of the colours of all models: the 98 % quantile of the rows' densities, the maximum over models. The
/// maximum density itself would leave all but a single peak dark.
double common_density_limit(const Scene& scene, const arma::mat& points) {
  double top = 0.0;
  for (const Model& m : scene.models)
    if (m.flow != nullptr)
      top = std::max(top, tail_level(arma::exp(log_density(*m.flow, points, {.threads = scene.threads})), 0.98));
  return top > 0 ? top : 1.0;
}

/// The rows, and per model its density and its samples.
struct PlanePictures {
  Picture rows;
  std::vector<Picture> densities, samples;
};

PlanePictures plane_pictures(const Scene& scene) {
  const PointsPanel base = base_panel(scene);
  const Execution execution{.threads = scene.threads};
  const double top = common_density_limit(scene, thinned(base.points, 5000, scene.seed));
  PointsPanel panel = base;
  panel.title = scene.rows_name;
  panel.colour = ink::grey;
  PlanePictures pictures{.rows = points_picture(panel, scene.seed)};
  for (std::size_t m = 0; m < scene.models.size(); ++m) {
    const Model& model = scene.models[m];
    if (model.flow == nullptr) continue;
    panel = base;
    panel.title = model.name + ": density";
    pictures.densities.push_back(
        density_picture(density_grid(*model.flow, base.x, base.y, grid_side, execution), top, panel, scene.seed));
    panel.title = model.name + ": samples";
    panel.colour = model_colour(scene.models, m);
    panel.points = sample(*model.flow, std::min<std::size_t>(drawn_samples, scene.rows.n_rows), scene.seed, execution);
    pictures.samples.push_back(points_picture(panel, scene.seed));
  }
  return pictures;
}

Section plane_section(const Scene& scene) {
  PlanePictures pictures = plane_pictures(scene);
  Section section{.heading = "Density and samples"};
  if (pictures.densities.empty()) {
    section.figures.push_back({.pictures = {pictures.rows}, .caption = "The " + scene.rows_name + "."});
    return section;
  }
  section.figures.push_back(
      {.pictures = pictures.densities,
       .caption = "The density of each model, from dark (zero) to bright, all on one scale, below the " +
                  scene.rows_name + " (white). The axes span the central 99.5 % of each column."});
  std::vector<Picture> beside{pictures.rows};
  beside.insert(beside.end(), pictures.samples.begin(), pictures.samples.end());
  section.figures.push_back(
      {.pictures = beside,
       .caption = "The " + scene.rows_name + ", and as many rows sampled from each model (at most 3 000)."});
  return section;
}

Picture samples_against_rows(const Scene& scene, std::size_t m) {
  const Model& model = scene.models[m];
  const arma::mat rows = thinned(scene.rows, max_rows, scene.seed);
  return scatter_matrix_picture({.first = rows,
                                 .second = sample(*model.flow, std::min<std::size_t>(drawn_samples, rows.n_rows),
                                                  scene.seed, {.threads = scene.threads}),
                                 .first_name = scene.rows_name,
                                 .second_name = "samples of " + model.name,
                                 .columns = scene.data.columns,
                                 .order = scene.order,
                                 .second_colour = model_colour(scene.models, m)},
                                scene.seed);
}

std::vector<std::string> z_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < count; ++d) names.push_back(concat("z", d));
  return names;
}

/// Whether a model has a scatter matrix: it takes a screen, so the baseline has one only where it is alone.
bool has_scatter_matrix(const Scene& scene, std::size_t m) {
  const Model& model = scene.models[m];
  return model.flow != nullptr && (scene.models.size() == 1 || !is_baseline(model));
}

Picture gaussianized_points(const Scene& scene, std::size_t m, const arma::mat& z) {
  constexpr Range ends{-4.5, 4.5};
  return points_picture({.title = scene.models[m].name,
                         .points = z,
                         .x_label = "z0",
                         .y_label = "z1",
                         .x = ends,
                         .y = ends,
                         .colour = model_colour(scene.models, m)},
                        scene.seed);
}

Figure gaussianized_matrix(const Scene& scene, std::size_t m, const arma::mat& z) {
  const std::string& name = scene.models[m].name;
  return {.pictures = {scatter_matrix_picture({.first = z,
                                               .first_name = name + ": Gaussianized " + scene.rows_name,
                                               .columns = z_names(z.n_cols),
                                               .first_colour = model_colour(scene.models, m)},
                                              scene.seed)},
          .caption = name + ": with a good model, round clouds without structure.",
          .wide = true};
}

Section pictures_of_samples(const Scene& scene) {
  if (scene.rows.n_cols == 2) return plane_section(scene);
  Section section{.heading = "Data and samples"};
  const bool single = scene.rows.n_cols == 1;
  if (scene.rows.n_cols > 6)
    section.paragraphs.push_back("The six columns with the largest negentropy (farthest from normal) are shown.");
  for (std::size_t m = 0; m < scene.models.size(); ++m)
    if (has_scatter_matrix(scene, m))
      section.figures.push_back(
          {.pictures = {samples_against_rows(scene, m)},
           .caption = scene.models[m].name + ": " + scene.rows_name +
                      (single ? " and samples. The better the model, the more similar the histograms. The axis spans "
                                "the central 99 % of the rows."
                              : " below the diagonal, samples above it, mirrored; histograms of both on it. The better "
                                "the model, the more similar the two halves. The axes span the central 99 % of the "
                                "rows."),
           .wide = !single});
  return section;
}

/// Minimum and maximum of the rows and of samples from each model, column by column: the pictures' axes leave out the
/// tails.
Table extremes_table(const Scene& scene) {
  constexpr std::size_t draws = 10000;
  constexpr std::size_t shown_columns = 20;
  Table table{.caption = "Minimum and maximum of the " + scene.rows_name + " and of " +
                         grouped(static_cast<double>(draws)) + " draws from each model",
              .header = {"column", scene.rows_name}};
  const auto span = [](const arma::mat& x, std::size_t d) {
    return significant(x.col(d).min(), 4) + " … " + significant(x.col(d).max(), 4);
  };
  std::vector<std::size_t> columns = scene.order;
  columns.resize(std::min(columns.size(), shown_columns));
  for (const std::size_t d : columns) table.rows.push_back({scene.data.columns[d], span(scene.rows, d)});
  for (const Model& model : scene.models) {
    if (model.flow == nullptr) continue;
    const arma::mat drawn = sample(*model.flow, draws, scene.seed, {.threads = scene.threads});
    table.header.push_back("draws from " + model.name);
    for (std::size_t k = 0; k < columns.size(); ++k) table.rows[k].push_back(span(drawn, columns[k]));
  }
  return table;
}

}  // namespace

std::vector<std::size_t> order_by_negentropy(const arma::mat& rows, int threads) {
  std::vector<std::size_t> order(rows.n_cols);
  std::iota(order.begin(), order.end(), 0);
  if (order.size() <= 6) return order;
  std::vector<double> distance(rows.n_cols);
  parallel_for(rows.n_cols, threads, [&](std::size_t d) {
    const arma::vec column = rows.col(d).head(std::min<arma::uword>(rows.n_rows, 5000));
    const double spread = arma::stddev(column);
    const arma::vec standard = (column - arma::mean(column)) / (spread > 0 ? spread : 1.0);
    distance[d] = negentropy(standard.memptr(), standard.n_elem).value;
  });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return distance[a] > distance[b]; });
  return order;
}

Section data_and_samples_section(const Scene& scene) {
  Section section = pictures_of_samples(scene);
  const bool has_flow =
      std::any_of(scene.models.begin(), scene.models.end(), [](const Model& model) { return model.flow != nullptr; });
  if (has_flow) section.tables.push_back(extremes_table(scene));
  return section;
}

Section gaussianized_section(const Scene& scene) {
  Section section{.heading = "Gaussianized rows"};
  Figure quantiles{.caption = "Quantiles of every column of the Gaussianized " + scene.rows_name +
                              " against those of the standard normal distribution. The grey band holds 95 % of the "
                              "quantiles of a normal column."};
  Figure points{.caption =
                    "The Gaussianized " + scene.rows_name + ": with a good model, round clouds without structure."};
  std::vector<Figure> matrices;
  const arma::mat rows = thinned(scene.rows, max_rows, scene.seed);
  for (std::size_t m = 0; m < scene.models.size(); ++m) {
    const Model& model = scene.models[m];
    if (model.flow == nullptr) continue;
    const arma::mat z = forward(*model.flow, rows, {.threads = scene.threads}).z;
    quantiles.pictures.push_back(quantile_picture(z, z_names(z.n_cols), model.name));
    if (z.n_cols == 2) points.pictures.push_back(gaussianized_points(scene, m, z));
    if (z.n_cols > 2 && has_scatter_matrix(scene, m)) matrices.push_back(gaussianized_matrix(scene, m, z));
  }
  if (quantiles.pictures.empty()) return section;
  section.figures.push_back(quantiles);
  if (!points.pictures.empty()) section.figures.push_back(points);
  section.figures.insert(section.figures.end(), matrices.begin(), matrices.end());
  return section;
}

Picture scene_picture(const Scene& scene) {
  if (scene.rows.n_cols == 2) {
    const PlanePictures plane = plane_pictures(scene);
    std::vector<Picture> all{plane.rows};
    for (std::size_t m = 0; m < plane.densities.size(); ++m) {
      all.push_back(plane.densities[m]);
      all.push_back(plane.samples[m]);
    }
    return side_by_side(all, static_cast<int>(all.size()), "The " + scene.rows_name + ", densities and samples");
  }
  for (std::size_t m = scene.models.size(); m-- > 0;)
    if (scene.models[m].flow != nullptr) return samples_against_rows(scene, m);
  return scatter_matrix_picture({.first = thinned(scene.rows, max_rows, scene.seed),
                                 .first_name = scene.rows_name,
                                 .columns = scene.data.columns,
                                 .order = scene.order},
                                scene.seed);
}

}  // namespace gaussianize::report
