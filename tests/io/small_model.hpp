#pragma once

#include <cmath>
#include <cstring>
#include <variant>
#include <vector>

#include <armadillo>

#include "gaussianize/io/model_file.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::testing {

/// z = x + sin(x)/10 on seven knots in two segments, one of their cells halved, blended a little.
inline MonotoneSpline small_spline(double shrinkage) {
  MonotoneSpline spline;
  spline.position = {-2.0, -1.0, -0.5, 0.0, 1.0, 1.5, 2.0};
  spline.segments = {{-2.0, 1.0, 0, 2}, {1.0, 0.5, 2, 2}};
  spline.cell_knot = {0, 1, 4, 5};
  spline.cell_level = {0, 1, 0, 0};
  spline.main_segment = 1;
  for (const double x : spline.position) {
    spline.value.push_back(x + std::sin(x) / 10);
    spline.slope.push_back(1 + std::cos(x) / 10);
  }
  spline.lower = {log_normal_cdf(spline.value.front()), 2.5, 0.25};
  spline.upper = {log_normal_cdf(-spline.value.back()), 1.5, 0.0};
  spline.bandwidth = 0.1;
  spline.shrinkage = shrinkage;
  spline.shift = -0.0;
  spline.scale = 1.25;
  return spline;
}

/// An orthogonal matrix without symmetry, from the QR factors of sin(1), sin(2), ….
inline arma::mat orthogonal(std::size_t dimension) {
  arma::mat a(dimension, dimension), q, r;
  for (std::size_t i = 0; i < a.n_elem; ++i) a[i] = std::sin(static_cast<double>(i + 1));
  arma::qr(q, r, a);
  return q;
}

inline AffineMarginal affine(std::size_t dimension) {
  AffineMarginal marginal{arma::rowvec(dimension), arma::rowvec(dimension)};
  for (std::size_t d = 0; d < dimension; ++d) {
    marginal.shift[d] = 1.0 / 3.0 - static_cast<double>(d);
    marginal.scale[d] = 0.1 * static_cast<double>(d + 1);
  }
  return marginal;
}

inline SplineMarginal splines(std::size_t dimension) {
  SplineMarginal marginal;
  for (std::size_t d = 0; d < dimension; ++d)
    marginal.columns.push_back(small_spline(static_cast<double>(d) / static_cast<double>(dimension)));
  return marginal;
}

/// What RBIG makes: rotations, affine maps and splines; and texts with everything that JSON must escape.
inline Model small_model(std::size_t dimension = 2) {
  Model model;
  model.kind = "rbig";
  model.flow.dimension = dimension;
  model.flow.layers = {{Identity{}, affine(dimension)}, {Orthogonal{orthogonal(dimension)}, splines(dimension)}};
  for (std::size_t d = 0; d < dimension; ++d) model.columns.push_back("größe \"" + std::to_string(d) + "\"\n");
  model.options = {{"rotation", "pca"}, {"", "\\ / \t"}, {"zero", std::string("a\0b", 3)}};
  model.summary = {{"test_nll", "1.25"}};
  model.calibration = {-7.5, -0.1, -0.1, 2.25};
  return model;
}

/// sin(first), sin(first + 1), …, in Armadillo's order.
template <class Matrix>
Matrix sines(Matrix matrix, double first) {
  for (std::size_t i = 0; i < matrix.n_elem; ++i) matrix[i] = std::sin(first + static_cast<double>(i));
  return matrix;
}

/// What training makes: both kinds of reflections, mixtures with weights and without, on images of 4×4 pixels.
inline Model trained_model() {
  Model model;
  model.kind = "gf";
  model.flow.dimension = 16;
  const LogisticMixture weighted{sines(arma::mat(3, 16), 1), sines(arma::mat(3, 16), 101),
                                 sines(arma::mat(3, 16), 201)};
  const LogisticMixture equal{sines(arma::mat(2, 16), 301), sines(arma::mat(2, 16), 401), {}};
  const PatchRotation patches{4, 2, 3, true, sines(arma::cube(4, 3, 4), 501)};
  model.flow.layers = {{Householder{sines(arma::mat(16, 2), 601)}, weighted},
                       {patches, equal},
                       {Householder{arma::mat(16, 0)}, affine(16)}};
  return model;
}

/// What both make today: splines with straight tails, logits with weights and without, and the map that ends them.
inline Model straight_model() {
  Model model;
  model.kind = "gf";
  model.flow.dimension = 3;
  SplineMarginal straight = splines(3);
  straight.columns[1].lower.straight = straight.columns[2].upper.straight = 1;
  const LogisticMixture weighted{sines(arma::mat(4, 3), 1), sines(arma::mat(4, 3), 101), sines(arma::mat(4, 3), 201),
                                 Link::logit};
  const LogisticMixture equal{sines(arma::mat(2, 3), 301), sines(arma::mat(2, 3), 401), {}, Link::logit};
  model.flow.layers = {{Identity{}, affine(3)},
                       {Identity{}, straight},
                       {Householder{sines(arma::mat(3, 3), 601)}, weighted},
                       {Orthogonal{orthogonal(3)}, equal},
                       {Identity{}, LogisticToNormal{3}}};
  return model;
}

inline bool same_bits(const double* a, const double* b, std::size_t n) {
  return n == 0 || std::memcmp(a, b, n * sizeof(double)) == 0;
}

template <class Matrix>
bool same_bits(const Matrix& a, const Matrix& b) requires requires {
  a.memptr();
}
{ return arma::size(a) == arma::size(b) && same_bits(a.memptr(), b.memptr(), a.n_elem); }

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && same_bits(a.data(), b.data(), a.size());
}

inline bool same_bits(const MonotoneSpline& a, const MonotoneSpline& b) {
  bool same = same_bits(a.position, b.position) && same_bits(a.value, b.value) && same_bits(a.slope, b.slope) &&
              a.cell_knot == b.cell_knot && a.cell_level == b.cell_level && a.main_segment == b.main_segment &&
              a.segments.size() == b.segments.size();
  for (std::size_t s = 0; same && s < a.segments.size(); ++s) {
    const SplineSegment &p = a.segments[s], &q = b.segments[s];
    same = same_bits(&p.begin, &q.begin, 1) && same_bits(&p.cell_width, &q.cell_width, 1) &&
           p.first_cell == q.first_cell && p.cells == q.cells;
  }
  const auto scalars = [](const MonotoneSpline& t) {
    return std::vector<double>{t.lower.log_mass, t.lower.rate, t.lower.shape, t.upper.log_mass, t.upper.rate,
                               t.upper.shape,    t.bandwidth,  t.shrinkage,   t.shift,          t.scale};
  };
  same = same && a.lower.straight == b.lower.straight && a.upper.straight == b.upper.straight;
  return same && same_bits(scalars(a), scalars(b));
}

inline bool same_bits(const Identity&, const Identity&) {
  return true;
}

inline bool same_bits(const Orthogonal& a, const Orthogonal& b) {
  return same_bits(a.q, b.q);
}

inline bool same_bits(const Householder& a, const Householder& b) {
  return same_bits(a.v, b.v);
}

inline bool same_bits(const PatchRotation& a, const PatchRotation& b) {
  return a.side == b.side && a.patch == b.patch && a.shift == b.shift && a.vertical == b.vertical &&
         same_bits(a.v, b.v);
}

inline bool same_bits(const AffineMarginal& a, const AffineMarginal& b) {
  return same_bits(a.shift, b.shift) && same_bits(a.scale, b.scale);
}

inline bool same_bits(const SplineMarginal& a, const SplineMarginal& b) {
  bool same = a.columns.size() == b.columns.size();
  for (std::size_t d = 0; same && d < a.columns.size(); ++d) same = same_bits(a.columns[d], b.columns[d]);
  return same;
}

inline bool same_bits(const LogisticMixture& a, const LogisticMixture& b) {
  return a.link == b.link && same_bits(a.mu, b.mu) && same_bits(a.log_scale, b.log_scale) &&
         same_bits(a.logit, b.logit);
}

inline bool same_bits(const LogisticToNormal& a, const LogisticToNormal& b) {
  return a.dimension == b.dimension;
}

template <class... Kinds>
bool same_bits(const std::variant<Kinds...>& a, const std::variant<Kinds...>& b) {
  return a.index() == b.index() &&
         std::visit([&b]<class Kind>(const Kind& half) { return same_bits(half, std::get<Kind>(b)); }, a);
}

inline bool same_bits(const Layer& a, const Layer& b) {
  return same_bits(a.rotation, b.rotation) && same_bits(a.marginal, b.marginal);
}

inline bool same_bits(const Model& a, const Model& b) {
  bool same = a.kind == b.kind && a.columns == b.columns && a.options == b.options && a.summary == b.summary &&
              same_bits(a.calibration, b.calibration) && a.flow.dimension == b.flow.dimension &&
              a.flow.layers.size() == b.flow.layers.size();
  for (std::size_t i = 0; same && i < a.flow.layers.size(); ++i) same = same_bits(a.flow.layers[i], b.flow.layers[i]);
  return same;
}

}  // namespace gaussianize::testing
