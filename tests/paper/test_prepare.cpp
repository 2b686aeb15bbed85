#include <cmath>
#include <filesystem>
#include <string>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/transform.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/io/table.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

#include "paper/paper_sets.hpp"
#include "paper/prepare.hpp"
#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/draws.hpp"
#include "support/messages.hpp"
#include "support/npy.hpp"
#include "support/skip.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

// check_prepare.py compares the recipes with NumPy, value by value. Here: what they refuse, and real data.

namespace {

bool single(const arma::mat& x) {
  return arma::all(arma::vectorise(x == arma::conv_to<arma::mat>::from(arma::conv_to<arma::fmat>::from(x))));
}

std::filesystem::path shared_data() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path() / "shared/data";
}

arma::mat labelled(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  arma::mat x = normals(rows, columns, seed);
  for (arma::uword i = 0; i < rows; ++i) x(i, 0) = static_cast<double>(i % 2);
  return x;
}

}  // namespace

TEST_CASE("the wrong file is refused by its columns") {
  CHECK(contains(data_error([] { prepare_power(normals(100, 7, 1)); }), "7 columns where 8"));
  CHECK(contains(data_error([] { prepare_gas(normals(100, 20, 1)); }), "20 columns where 19"));
  CHECK(contains(data_error([] { prepare_hepmass(labelled(100, 29, 1), labelled(100, 29, 2)); }), "1000_train"));
  CHECK(contains(data_error([] { prepare_hepmass(labelled(100, 28, 1), labelled(100, 28, 2)); }), "1000_test"));
  CHECK(contains(data_error([] { prepare_miniboone(normals(100, 51, 1), 50); }), "51 columns where 50"));
  CHECK(contains(data_error([] { prepare_bsds300(normals(9, 63, 1), normals(9, 64, 1), normals(9, 63, 1)); }),
                 "validation: 64 columns where 63"));
  CHECK(contains(data_error([] { prepare_images(arma::mat(3, 783), arma::mat(3, 784)); }), "783 columns where 784"));
}

TEST_CASE("too few rows, no signal, values that are not finite, constant columns") {
  CHECK(contains(data_error([] { prepare_power(normals(9, 8, 1)); }), "too few"));
  CHECK(contains(data_error([] { prepare_power(arma::mat(0, 8)); }), "too few"));
  CHECK(contains(data_error([] { prepare_miniboone(normals(100, 50, 1), 101); }), "101 signal rows"));
  CHECK(contains(data_error([] { prepare_miniboone(normals(100, 50, 1), 1); }), "at least 2"));
  CHECK(contains(data_error([] { prepare_gas(normals(1, 19, 1)); }), "at least 2"));
  arma::mat background = labelled(100, 28, 1);
  background.col(0).zeros();
  CHECK(contains(data_error([&] { prepare_hepmass(background, labelled(100, 29, 2)); }), "label 1"));
  arma::mat broken = normals(100, 8, 1);
  broken(31, 4) = std::nan("");
  CHECK(contains(data_error([&] { prepare_power(broken); }), "row 31, column 4 is nan"));
  arma::mat constant = normals(100, 8, 1);
  constant.col(7).fill(3);
  CHECK(contains(data_error([&] { prepare_power(constant); }), "constant"));
  CHECK(contains(data_error([] { prepare_images(arma::mat(20, 784), arma::mat(5, 784), {.validation_rows = 20}); }),
                 "held out"));
}

TEST_CASE("shapes, single precision and standardisation") {
  const PreparedSet power = prepare_power(normals(1000, 8, 2));
  CHECK(power.test.n_rows == 100);
  CHECK(power.validation.n_rows == 90);
  CHECK(power.train.n_rows == 810);
  CHECK(power.train.n_cols == 6);
  CHECK(single(power.train));
  const arma::mat both = arma::join_cols(power.train, power.validation);
  CHECK(arma::abs(arma::mean(both)).max() < 1e-7);
  CHECK(arma::abs(arma::stddev(both, 1) - 1).max() < 1e-7);
  const PreparedSet bsds = prepare_bsds300(normals(9, 63, 1), normals(5, 63, 2), normals(4, 63, 3));
  CHECK(single(bsds.test));
  CHECK(arma::abs(bsds.test - normals(4, 63, 3)).max() < 1e-6);
}

TEST_CASE("GAS: a seeded draw of as many rows as were published") {
  const arma::mat raw = normals(400, 19, 4);
  const PreparedSet all = prepare_gas(raw);
  const PreparedSet some = prepare_gas(raw, {.rows = 100, .seed = Seed{1}});
  CHECK(all.train.n_rows + all.validation.n_rows + all.test.n_rows == 400);
  CHECK(some.train.n_rows + some.validation.n_rows + some.test.n_rows == 100);
  CHECK(same_bytes(some.train, prepare_gas(raw, {.rows = 100, .seed = Seed{1}}).train));
  CHECK_FALSE(same_bytes(some.train, prepare_gas(raw, {.rows = 100, .seed = Seed{2}}).train));
}

TEST_CASE("images pass through dequantisation and logit and come back as pixels") {
  arma::mat train(30, 784);
  RandomStream stream(Seed{5}, Purpose::test);
  train.imbue([&] { return static_cast<double>(stream.below(256)); });
  const arma::mat test = train.head_rows(4);
  const PreparedSet set = prepare_images(train, test, {.lambda = 1e-5, .validation_rows = 10, .seed = Seed{1}});
  CHECK(set.train.n_rows == 20);
  CHECK(set.validation.n_rows == 10);
  CHECK(set.test.n_rows == 4);
  const auto pixels = [](const arma::mat& y) { return inverse(image_transforms(1e-5, Seed{1}), y).values; };
  CHECK(same_bytes(pixels(set.train), arma::mat(train.head_rows(20))));
  CHECK(same_bytes(pixels(set.validation), arma::mat(train.tail_rows(10))));
  CHECK(same_bytes(pixels(set.test), test));
  // The same pixels in another row have other noise.
  CHECK(arma::abs(set.test - set.train.head_rows(4)).max() > 0.01);
  CHECK(prepare_images(train, test, {.validation_rows = 0}).validation.n_rows == 0);
}

TEST_CASE("MNIST's images come back from logit space to the pixel, and uniform ones would take 8 bits") {
  const std::filesystem::path file = shared_data() / "mnist/t10k-images-idx3-ubyte.gz";
  if (!std::filesystem::exists(file)) {
    return skipped("no MNIST beside the project, in ../shared/data");
  }
  const arma::mat pixels = read_table(file, {.max_rows = 1500}).values;
  const PreparedSet set = prepare_images(pixels, pixels.tail_rows(500), {.lambda = 1e-5, .validation_rows = 500});
  const Transformed back = inverse(image_transforms(1e-5, Seed{}), set.test);
  CHECK(same_bytes(back.values, arma::mat(pixels.tail_rows(500))));
  // Uniform pixels, as a model in logit space: 8 bits for any data at all.
  arma::vec model(500, arma::fill::zeros);
  for (arma::uword d = 0; d < 784; ++d)
    for (arma::uword i = 0; i < 500; ++i) {
      const double e = std::exp(-std::abs(set.test(i, d)));
      model[i] += std::log(e / ((1 + e) * (1 + e)) / (1 - 2e-5));
    }
  CHECK(relative_error(bits_per_dimension(model + back.log_det, 784).value, 8) < 1e-14);
}

TEST_CASE("a Gaussian scores on prepared data what is published") {
  const std::filesystem::path folder = shared_data() / "bsds300";
  const auto train = read_float_npy(folder / "train.npy");
  const auto test = read_float_npy(folder / "test.npy");
  if (!train || !test) {
    return skipped("no BSDS300 beside the project, in ../shared/data");
  }
  const PreparedSet set = prepare_bsds300(*train, *test, *test);
  const double nll = -arma::mean(log_density(fit_gaussian(set.train), set.test));
  // Another draw of patches from the same images than the published one.
  CHECK(relative_error(nll, find_paper_set("bsds300").gaussian_nll.value()) < 0.002);
}
