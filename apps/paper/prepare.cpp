#include "paper/prepare.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/data/transform.hpp"

#include "paper/numpy_random.hpp"

namespace gaussianize {
using namespace detail;
namespace {

void check_raw(const arma::mat& raw, arma::uword columns, const char* file) {
  if (raw.n_cols != columns)
    throw DataError(concat(file, ": ", raw.n_cols, " columns where ", columns, " are expected; is it the right file?"));
  if (raw.is_finite()) return;
  const arma::uvec wrong = arma::find_nonfinite(raw);
  throw DataError(concat(file, ": row ", wrong[0] % raw.n_rows, ", column ", wrong[0] / raw.n_rows, " is ",
                         raw[wrong[0]], "; every value must be finite"));
}

/// ⌊0.1 n⌋ as the published code computes it. The parts need two rows each for a mean and a spread.
std::size_t tenth(std::size_t n, const char* file) {
  const auto part = static_cast<std::size_t>(0.1 * static_cast<double>(n));
  if (part < 1) throw DataError(concat(file, ": ", n, " rows are left, too few to split; at least 12 are needed"));
  return part;
}

/// The last rows go to test, the last of the rest to validation.
PreparedSet split_tail(const arma::mat& x, const char* file) {
  const std::size_t test = tenth(x.n_rows, file);
  const std::size_t rest = x.n_rows - test;
  const std::size_t validation = tenth(rest, file);
  return {x.head_rows(rest - validation), x.rows(rest - validation, rest - 1), x.tail_rows(test)};
}

/// Column means and standard deviations of x with divisor N − ddof.
AffineMarginal standardiser(const arma::mat& x, std::size_t ddof, const char* file) {
  if (x.n_rows < 2) throw DataError(concat(file, ": ", x.n_rows, " rows are left; at least 2 are needed"));
  AffineMarginal map = fit_affine(x);
  const auto n = static_cast<double>(x.n_rows);
  map.scale *= std::sqrt(n / (n - static_cast<double>(ddof)));
  return map;
}

void standardise(PreparedSet& set, const AffineMarginal& map) {
  for (arma::mat* part : {&set.train, &set.validation, &set.test}) *part = forward(map, *part).values;
}

PreparedSet single_precision(PreparedSet set) {
  for (arma::mat* part : {&set.train, &set.validation, &set.test})
    part->transform([](double value) { return static_cast<double>(static_cast<float>(value)); });
  return set;
}

PreparedSet split_and_standardise(const arma::mat& x, const char* file) {
  PreparedSet set = split_tail(x, file);
  standardise(set, standardiser(arma::join_cols(set.train, set.validation), 0, file));
  return single_precision(std::move(set));
}

/// Columns whose smallest value occurs at most 5 times.
arma::uvec columns_without_pile(const arma::mat& x) {
  std::vector<arma::uword> kept;
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    const double smallest = x.col(d).min();
    if (arma::accu(x.col(d) == smallest) <= 5) kept.push_back(d);
  }
  return arma::conv_to<arma::uvec>::from(kept);
}

arma::uvec to_rows(const std::vector<std::size_t>& order, std::size_t count) {
  arma::uvec rows(count);
  std::copy_n(order.begin(), count, rows.begin());
  return rows;
}

/// Sensors that are left when the first one that correlates above 0.98 with another is dropped until none does.
arma::uvec uncorrelated_columns(const arma::mat& x) {
  const arma::mat correlation = arma::cor(x);
  std::vector<arma::uword> kept(x.n_cols);
  for (arma::uword d = 0; d < x.n_cols; ++d) kept[d] = d;
  const auto has_twin = [&](arma::uword d) {
    return std::any_of(kept.begin(), kept.end(), [&](arma::uword e) { return e != d && correlation(d, e) > 0.98; });
  };
  for (auto twin = std::find_if(kept.begin(), kept.end(), has_twin); twin != kept.end();
       twin = std::find_if(kept.begin(), kept.end(), has_twin))
    kept.erase(twin);
  return arma::conv_to<arma::uvec>::from(kept);
}

/// Rows with label 1, without the label.
arma::mat signal_rows(const arma::mat& labelled, const char* file) {
  const arma::uvec signal = arma::find(labelled.col(0) == 1.0);
  if (signal.is_empty()) throw DataError(concat(file, ": no row has the label 1 in its first column"));
  return labelled.submat(signal, arma::regspace<arma::uvec>(1, labelled.n_cols - 1));
}

}  // namespace

PreparedSet prepare_power(const arma::mat& raw) {
  constexpr const char* file = "household power";
  check_raw(raw, 8, file);
  NumpyRandom random(42);
  const std::size_t n = raw.n_rows;
  const arma::uvec columns{0, 2, 4, 5, 6, 7};
  arma::mat x = raw.submat(to_rows(random.shuffled(n), n), columns);
  for (std::size_t i = 0; i < n; ++i) x(i, 1) += 0.01 * random.random_sample();
  for (std::size_t i = 0; i < n; ++i) x(i, 0) += 0.001 * random.random_sample();
  for (std::size_t i = 0; i < n; ++i)
    for (arma::uword d = 2; d < 5; ++d) x(i, d) += random.random_sample();
  return split_and_standardise(x, file);
}

PreparedSet prepare_gas(const arma::mat& raw, const GasOptions& options) {
  constexpr const char* file = "ethylene_CO";
  check_raw(raw, 19, file);
  arma::mat sensors = raw.tail_cols(16);
  if (options.rows > 0 && sensors.n_rows > options.rows) {
    RandomStream stream(options.seed, Purpose::subsample);
    sensors = arma::mat(sensors.rows(to_rows(permutation(sensors.n_rows, stream), options.rows)));
  }
  if (sensors.n_rows < 2) throw DataError(concat(file, ": ", sensors.n_rows, " rows; at least 2 are needed"));
  const arma::mat x = sensors.cols(uncorrelated_columns(sensors));
  return single_precision(split_tail(forward(standardiser(x, 1, file), x).values, file));
}

PreparedSet prepare_hepmass(const arma::mat& train, const arma::mat& test) {
  constexpr const char* train_file = "HEPMASS 1000_train";
  constexpr const char* test_file = "HEPMASS 1000_test";
  check_raw(train, 28, train_file);
  check_raw(test, 29, test_file);
  const arma::mat signal = signal_rows(train, train_file);
  const AffineMarginal map = standardiser(signal, 1, train_file);
  const arma::mat standard = forward(map, signal).values;
  const arma::mat standard_test = forward(map, signal_rows(test.head_cols(28), test_file)).values;
  const arma::uvec kept = columns_without_pile(standard);
  const std::size_t validation = tenth(standard.n_rows, train_file);
  const arma::mat left = standard.cols(kept);
  return single_precision(
      {left.head_rows(left.n_rows - validation), left.tail_rows(validation), standard_test.cols(kept)});
}

PreparedSet prepare_miniboone(const arma::mat& raw, std::size_t signal) {
  constexpr const char* file = "MiniBooNE_PID";
  check_raw(raw, 50, file);
  if (signal > raw.n_rows)
    throw DataError(concat(file, ": ", signal, " signal rows are announced, the file has ", raw.n_rows, " rows"));
  const arma::mat rows = raw.head_rows(signal);
  const arma::mat inside = rows.rows(arma::find(rows.col(0) >= -100));
  if (inside.n_rows < 2) throw DataError(concat(file, ": ", inside.n_rows, " rows are left; at least 2 are needed"));
  return split_and_standardise(inside.cols(columns_without_pile(inside)), file);
}

PreparedSet prepare_bsds300(const arma::mat& train, const arma::mat& validation, const arma::mat& test) {
  check_raw(train, 63, "BSDS300, train");
  check_raw(validation, 63, "BSDS300, validation");
  check_raw(test, 63, "BSDS300, test");
  return single_precision({train, validation, test});
}

PreparedSet prepare_images(const arma::mat& train, const arma::mat& test, const ImageOptions& options) {
  check_raw(train, 784, "training images");
  check_raw(test, 784, "test images");
  if (train.n_rows <= options.validation_rows)
    throw DataError(concat("training images: ", train.n_rows, " rows, of which ", options.validation_rows,
                           " are to be held out; give more rows or hold out fewer"));
  // Rows are numbered through the files, so that no two share their noise.
  const arma::mat all = forward(image_transforms(options.lambda, options.seed), arma::join_cols(train, test)).values;
  const std::size_t fitted = train.n_rows - options.validation_rows;
  const auto rows = [&](std::size_t begin, std::size_t end) {
    return begin < end ? arma::mat(all.rows(begin, end - 1)) : arma::mat(0, all.n_cols);
  };
  return {rows(0, fitted), rows(fitted, train.n_rows), rows(train.n_rows, all.n_rows)};
}

}  // namespace gaussianize
