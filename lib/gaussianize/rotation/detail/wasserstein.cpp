#include "gaussianize/rotation/detail/wasserstein.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

bool before(const Ranked& a, const Ranked& b) {
  return a.value != b.value ? a.value < b.value : a.index < b.index;
}

void insertion_sort(Ranked* begin, Ranked* end) {
  for (Ranked* next = begin + 1; next < end; ++next) {
    const Ranked item = *next;
    Ranked* hole = next;
    for (; hole > begin && before(item, hole[-1]); --hole) *hole = hole[-1];
    *hole = item;
  }
}

// Shares of the sample over which T′ is taken; a difference over fewer values than the second would be noise.
constexpr std::size_t shares = 64;
constexpr std::size_t min_share = 16;

// T′ is unbounded where values coincide.
constexpr double steepest = 100.0;

double mean_slope(const std::vector<Ranked>& order, const std::vector<double>& scores) {
  const std::size_t n = order.size();
  const std::size_t parts = std::min(shares, n / min_share);
  if (parts < 2) return 1.0;
  double sum = 0.0;
  for (std::size_t k = 0; k < parts; ++k) {
    const std::size_t first = k * (n - 1) / parts, last = (k + 1) * (n - 1) / parts;
    const double rise = scores[last] - scores[first], run = order[last].value - order[first].value;
    sum += rise < steepest * run ? rise / run : steepest;
  }
  return sum / static_cast<double>(parts);
}

}  // namespace

std::vector<Ranked> sorted(const double* values, std::size_t n) {
  std::vector<Ranked> order(n);
  if (n == 0) return order;
  const auto [low, high] = std::minmax_element(values, values + n);
  const double half_range = 0.5 * *high - 0.5 * *low;
  // As many buckets as values: a bell curve then has three or four in its fullest ones.
  double per_unit = 0.5 * static_cast<double>(n) / half_range;
  if (!std::isfinite(per_unit)) per_unit = 0.0;
  const double last_bucket = static_cast<double>(n - 1);
  std::vector<std::uint32_t> bucket(n), end(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const double place = (values[i] - *low) * per_unit;
    bucket[i] = place < last_bucket ? static_cast<std::uint32_t>(place) : static_cast<std::uint32_t>(n - 1);
    ++end[bucket[i] + 1];
  }
  for (std::size_t b = 0; b < n; ++b) end[b + 1] += end[b];
  // Filling moves each bucket's begin to its end, which is the next one's begin.
  for (std::size_t i = 0; i < n; ++i) order[end[bucket[i]]++] = {values[i], static_cast<std::uint32_t>(i)};
  std::size_t first = 0;
  for (std::size_t b = 0; b < n; ++b) {
    const std::size_t last = end[b];
    if (last - first > 32)
      std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.begin() + static_cast<std::ptrdiff_t>(last),
                before);
    else if (last - first > 1)
      insertion_sort(order.data() + first, order.data() + last);
    first = last;
  }
  return order;
}

std::vector<double> normal_scores(std::size_t n) {
  std::vector<double> scores(n, 0.0);
  for (std::size_t i = 0; i < n / 2; ++i) {
    scores[i] = normal_quantile((static_cast<double>(i) + 0.5) / static_cast<double>(n));
    scores[n - 1 - i] = -scores[i];
  }
  return scores;
}

NormalFit fit_normal(const double* values, const std::vector<double>& scores, double* residual) {
  const std::size_t n = scores.size();
  const std::vector<Ranked> order = sorted(values, n);
  double distance = 0.0, correlation = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double rest = order[i].value - scores[i];
    residual[order[i].index] = rest;
    distance += rest * rest;
    correlation += order[i].value * scores[i];
  }
  const double count = static_cast<double>(n);
  return {distance / count, correlation / count, mean_slope(order, scores)};
}

}  // namespace gaussianize::detail
