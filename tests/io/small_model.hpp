#pragma once

#include <cmath>
#include <cstring>
#include <vector>

#include <armadillo>

#include "gaussianize/io/model_file.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::testing {

/// z = x + sin(x)/10 on seven knots in two segments, one of their cells halved, blended a little.
inline MonotoneTable small_table(double blend) {
  MonotoneTable table;
  table.position = {-2.0, -1.0, -0.5, 0.0, 1.0, 1.5, 2.0};
  table.segments = {{-2.0, 1.0, 0, 2}, {1.0, 0.5, 2, 2}};
  table.cell_knot = {0, 1, 4, 5};
  table.cell_level = {0, 1, 0, 0};
  table.main_segment = 1;
  for (const double x : table.position) {
    table.value.push_back(x + std::sin(x) / 10);
    table.slope.push_back(1 + std::cos(x) / 10);
  }
  table.lower = {log_normal_cdf(table.value.front()), 2.5, 0.25};
  table.upper = {log_normal_cdf(-table.value.back()), 1.5, 0.0};
  table.bandwidth = 0.1;
  table.blend = blend;
  table.shift = -0.0;
  table.scale = 1.25;
  return table;
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

inline TabulatedMarginal tables(std::size_t dimension) {
  TabulatedMarginal marginal;
  for (std::size_t d = 0; d < dimension; ++d)
    marginal.columns.push_back(small_table(static_cast<double>(d) / static_cast<double>(dimension)));
  return marginal;
}

/// Both rotations, both marginals, and texts with everything that JSON must escape.
inline Model small_model(std::size_t dimension = 2) {
  Model model;
  model.kind = "rbig";
  model.flow.dimension = dimension;
  model.flow.layers = {{Identity{}, affine(dimension)}, {Orthogonal{orthogonal(dimension)}, tables(dimension)}};
  for (std::size_t d = 0; d < dimension; ++d) model.columns.push_back("größe \"" + std::to_string(d) + "\"\n");
  model.options = {{"rotation", "pca"}, {"", "\\ / \t"}, {"zero", std::string("a\0b", 3)}};
  model.summary = {{"test_nll", "1.25"}};
  return model;
}

inline bool same_bits(const double* a, const double* b, std::size_t n) {
  return n == 0 || std::memcmp(a, b, n * sizeof(double)) == 0;
}

template <class Matrix>
bool same_bits(const Matrix& a, const Matrix& b) requires requires {
  a.memptr();
}
{ return a.n_rows == b.n_rows && a.n_cols == b.n_cols && same_bits(a.memptr(), b.memptr(), a.n_elem); }

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && same_bits(a.data(), b.data(), a.size());
}

inline bool same_bits(const MonotoneTable& a, const MonotoneTable& b) {
  bool same = same_bits(a.position, b.position) && same_bits(a.value, b.value) && same_bits(a.slope, b.slope) &&
              a.cell_knot == b.cell_knot && a.cell_level == b.cell_level && a.main_segment == b.main_segment &&
              a.segments.size() == b.segments.size();
  for (std::size_t s = 0; same && s < a.segments.size(); ++s) {
    const TableSegment &p = a.segments[s], &q = b.segments[s];
    same = same_bits(&p.begin, &q.begin, 1) && same_bits(&p.cell_width, &q.cell_width, 1) &&
           p.first_cell == q.first_cell && p.cells == q.cells;
  }
  const auto scalars = [](const MonotoneTable& t) {
    return std::vector<double>{t.lower.log_mass, t.lower.rate, t.lower.shape, t.upper.log_mass, t.upper.rate,
                               t.upper.shape,    t.bandwidth,  t.blend,       t.shift,          t.scale};
  };
  return same && same_bits(scalars(a), scalars(b));
}

inline bool same_bits(const Layer& a, const Layer& b) {
  if (a.rotation.index() != b.rotation.index() || a.marginal.index() != b.marginal.index()) return false;
  if (const auto* q = std::get_if<Orthogonal>(&a.rotation))
    if (!same_bits(q->q, std::get<Orthogonal>(b.rotation).q)) return false;
  if (const auto* p = std::get_if<AffineMarginal>(&a.marginal)) {
    const auto& r = std::get<AffineMarginal>(b.marginal);
    return same_bits(p->shift, r.shift) && same_bits(p->scale, r.scale);
  }
  const auto &p = std::get<TabulatedMarginal>(a.marginal).columns, &r = std::get<TabulatedMarginal>(b.marginal).columns;
  bool same = p.size() == r.size();
  for (std::size_t d = 0; same && d < p.size(); ++d) same = same_bits(p[d], r[d]);
  return same;
}

inline bool same_bits(const Model& a, const Model& b) {
  bool same = a.kind == b.kind && a.columns == b.columns && a.options == b.options && a.summary == b.summary &&
              a.flow.dimension == b.flow.dimension && a.flow.layers.size() == b.flow.layers.size();
  for (std::size_t i = 0; same && i < a.flow.layers.size(); ++i) same = same_bits(a.flow.layers[i], b.flow.layers[i]);
  return same;
}

}  // namespace gaussianize::testing
