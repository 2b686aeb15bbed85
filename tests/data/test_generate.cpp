#include <algorithm>
#include <set>
#include <string>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/generate.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/toys.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;
using gaussianize::testing::same_bytes;

TEST_CASE("every entry of the list can be drawn from") {
  std::set<std::string_view> names;
  for (const ToyInfo& info : toys()) {
    CAPTURE(info.name);
    names.insert(info.name);
    CHECK_FALSE(info.description.empty());
    const ToySample few = generate(info.name, 5, 0, Seed{1});
    const ToySample many = generate(info.name, 50, info.dimension, Seed{1});
    CHECK(few.x.n_cols == info.dimension);
    CHECK(few.columns.size() == info.dimension);
    CHECK(few.columns.back() == (info.any_dimension ? "x9" : "x1"));
    CHECK(few.x.is_finite());
    CHECK(few.log_density.is_finite());
    CHECK(same_bytes(arma::mat(many.x.head_rows(5)), few.x));
    CHECK(same_bytes(arma::vec(many.log_density.head(5)), few.log_density));
    CHECK_FALSE(same_bytes(generate(info.name, 5, 0, Seed{2}).x, few.x));
    if (info.any_dimension)
      CHECK(generate(info.name, 2, 3, Seed{1}).x.n_cols == 3);
    else
      CHECK_THROWS_AS(generate(info.name, 2, 3, Seed{1}), std::invalid_argument);
  }
  CHECK(names.size() == toys().size());
  CHECK(names.size() == 16);
}

TEST_CASE("each name stands for its own distribution") {
  CHECK(same_bytes(generate("moons", 20, 0, Seed{4}).x, draw(Toy::moons, 20, Seed{4})));
  CHECK(same_bytes(generate("student-t", 20, 4, Seed{4}).x, draw(KnownDistribution::student_t, 20, 4, Seed{4}).x));
  CHECK(same_bytes(generate("gaussian-mixture", 20, 4, Seed{4}).x,
                   draw(KnownDistribution::gaussian_mixture, 20, 4, Seed{4}).x));
}

TEST_CASE("an unknown name is answered with the list") {
  std::string message;
  try {
    find_toy("checkers");
  } catch (const std::invalid_argument& error) {
    message = error.what();
  }
  CHECK(message.find("'checkers'") != std::string::npos);
  CHECK(message.find("checkerboard, eight-gaussians") != std::string::npos);
}
