// Times the tabulated kernel marginal on one thread: reading a table forwards and backwards, in calls of one block of
// rows, with and without blending and fitted tails, and the stages of making one. Prints nanoseconds per value, or
// microseconds per column, beside the plain loop where there is one, with the ratio to it in the same run.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/marginal/bandwidth.hpp"
#include "gaussianize/marginal/detail/kde_sums.hpp"
#include "gaussianize/marginal/detail/pareto_tail.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/detail/simd.hpp"

#include "math/reference_table.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;

constexpr std::size_t rows = 100'000;

volatile double sink = 0.0;

/// The best of many short timings of `body`, in nanoseconds per unit of work.
double nanoseconds(double units, const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int repeat = 0; repeat < 40; ++repeat) {
    const auto start = Clock::now();
    body();
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / units);
  }
  return best;
}

void print(const std::string& what, double time, double reference = 0.0) {
  if (reference > 0)
    std::printf("%-46s %10.2f %10.2f %8.2f\n", what.c_str(), time, reference, reference / time);
  else
    std::printf("%-46s %10.2f\n", what.c_str(), time);
}

/// Calls body(begin, count) for blocks of rows, as a flow does.
template <class Body>
void for_blocks(Body body) {
  for (std::size_t b = 0; b < block_count(rows); ++b) {
    const RowRange range = block_range(b, rows);
    body(range.begin, range.size());
  }
}

/// Two normal distributions, three quarters and a quarter of the rows.
std::vector<double> two_modes() {
  std::vector<double> x(rows);
  RandomStream stream(Seed{1}, Purpose::test);
  for (double& v : x) v = stream.uniform();
  simd().quantile(x.data(), x.data(), rows);
  for (double& v : x) v = stream.uniform() < 0.25 ? 3 + 0.5 * v : v;
  return x;
}

void bench_table(const std::string& name, const MonotoneSpline& table, const std::vector<double>& x) {
  std::vector<double> y(rows), slope(rows), back(rows);
  forward(table, x.data(), y.data(), slope.data(), rows);
  const SplineSegment& main = table.segments[table.main_segment];
  const double end = main.begin + main.cell_width * static_cast<double>(main.cells);
  const double plain = nanoseconds(rows, [&] {
    for (std::size_t i = 0; i < rows; ++i) {
      if (!(x[i] >= main.begin && x[i] < end)) continue;
      const reference::Value p = reference::forward(table, x[i]);
      back[i] = p.y;
      slope[i] = p.slope;
    }
  });
  const double fast = nanoseconds(
      rows, [&] { for_blocks([&](std::size_t i, std::size_t n) { forward(table, &x[i], &back[i], &slope[i], n); }); });
  print("forward, " + name, fast, plain);
  const auto inside = [&](double v) { return v >= main.begin && v < end; };
  const double plain_inverse = nanoseconds(rows, [&] {
    for (std::size_t i = 0; i < rows; ++i)
      if (inside(x[i])) back[i] = reference::inverse(table, y[i]);
  });
  const double fast_inverse =
      nanoseconds(rows, [&] { for_blocks([&](std::size_t i, std::size_t n) { inverse(table, &y[i], &back[i], n); }); });
  print("inverse, " + name, fast_inverse, plain_inverse);
  double worst = 0.0;
  for (std::size_t i = 0; i < rows; ++i) worst = std::max(worst, std::abs(back[i] - x[i]) * slope[i]);
  std::printf("  %zu knots, largest error of the round trip in y: %.2e\n", table.position.size(), worst);
}

void bench_log(const std::vector<double>& x) {
  std::vector<double> y(rows);
  print("log alone", nanoseconds(rows, [&] {
          for_blocks([&](std::size_t i, std::size_t n) {
            for (std::size_t k = i; k < i + n; ++k) y[k] = std::abs(x[k]) + 1e-3;
            simd().log(&y[i], &y[i], n);
          });
        }));
}

void bench_moments(const std::vector<double>& x, double h) {
  const Range range = simd().spline.range(x.data(), rows);
  const std::size_t cells = static_cast<std::size_t>((range.high - range.low) * 2 / h) + 1;
  const CellGrid grid{range.low, h / 2, 2 / h, static_cast<double>(cells)};
  std::vector<KdeSums::Moments> moments(cells);
  const double plain = nanoseconds(rows, [&] {
    for (const double v : x) reference::add_moments(v, range.low, 2 / h, cells - 1, moments[0].data());
  });
  for (const SimdLoops& loops : available_simd())
    print("moments of cells, " + std::string(loops.name),
          nanoseconds(rows, [&] { loops.spline.add_moments(grid, x.data(), rows, moments[0].data()); }), plain);
  print("range", nanoseconds(rows, [&] { sink = simd().spline.range(x.data(), rows).low; }));
}

void bench_fit(const std::vector<double>& x, double h) {
  std::printf("%-46s %10s %10s %8s\n", "microseconds per column of 100,000 rows", "fast", "plain", "ratio");
  const double plain = nanoseconds(1e3, [&] { sink = reference::robust_scale(x); });
  print("robust_scale", nanoseconds(1e3, [&] { sink = robust_scale(x.data(), rows); }), plain);
  const KdeSums sums(x.data(), rows, h);
  const auto points = static_cast<double>(sums.segments()[0].steps);
  print("one lattice point, in ns", nanoseconds(points, [&] {
          for (std::int64_t step = 0; step < sums.segments()[0].steps; ++step) sink = sums.at(0, step).density;
        }));
  const double gather = nanoseconds(1e3, [&] { sink = KdeSums(x.data(), rows, h).bandwidth(); });
  print("sums: range, moments and sweeps", gather);
  const double all = nanoseconds(1e3, [&] { sink = kde_spline(x.data(), rows, h).bandwidth; });
  print("knots: tabulate_kde less its sums", all - gather);
  print("tabulate_kde", all);
}

}  // namespace

int main() {
  const std::vector<double> x = two_modes();
  const double h = select_bandwidth(x.data(), rows, BandwidthRule::rule_of_thumb);
  std::printf("%-46s %10s %10s %8s\n", "nanoseconds per value, blocks of 256", "fast", "plain", "ratio");
  MonotoneSpline table = kde_spline(x.data(), rows, h);
  bench_table("kernel tails", table, x);
  table.shrinkage = 0.2;
  table.shift = 0.5;
  table.scale = 1.5;
  bench_table("kernel tails, blended", table, x);
  fit_tails(table, x.data(), rows);
  bench_table("fitted tails, blended", table, x);
  bench_log(x);
  bench_moments(x, h);
  bench_fit(x, h);
  return 0;
}
