#include <cmath>
#include <stdexcept>
#include <string_view>

#include <doctest/doctest.h>

#include "paper/paper_sets.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;

namespace {

double loss(const PaperSet& set, std::string_view method) {
  for (const PaperResult& result : set.results)
    if (result.method == method) return result.loss.value();
  return std::nan("");
}

}  // namespace

TEST_CASE("every set has its row: sizes, architecture, results") {
  CHECK(paper_sets().size() == 7);
  for (const PaperSet& set : paper_sets()) {
    CAPTURE(set.name);
    CHECK(&find_paper_set(set.name) == &set);
    const bool image = set.unit == LossUnit::bits_per_dimension;
    CHECK(image == (set.columns == 784));
    CHECK(image == (set.architecture.patch == 4));
    CHECK(image != set.gaussian_nll.has_value());
    // On tables the paper reflects as often as there are columns.
    if (!image) CHECK(set.architecture.reflections == set.columns);
    CHECK(loss(set, "GF") < loss(set, "RBIG"));
    if (!image) CHECK(loss(set, "RBIG") < set.gaussian_nll.value());
  }
  // Tenths: the last ⌊0.1 N⌋ rows are test, the last ⌊0.1 · rest⌋ validation.
  for (const char* name : {"power", "gas", "miniboone"}) {
    const PaperSet& set = find_paper_set(name);
    const std::size_t rest = set.train_rows + set.validation_rows;
    CHECK(set.test_rows == (rest + set.test_rows) / 10);
    CHECK(set.validation_rows == rest / 10);
  }
  CHECK_THROWS_AS(find_paper_set("cifar"), std::invalid_argument);
}

TEST_CASE("stretched results differ from those of the original space by one constant a set and transform") {
  CHECK(stretched_results().size() == 36);
  for (const StretchedResult& a : stretched_results()) {
    CHECK(a.loss.has_value() == a.original_loss.has_value());
    CHECK(a.loss.has_value() == a.note.empty());
    for (const StretchedResult& b : stretched_results())
      if (a.set == b.set && a.transform == b.transform && a.loss && b.loss)
        CHECK(testing::relative_error(*a.loss - *a.original_loss, *b.loss - *b.original_loss) < 1e-13);
    // 1000x + 51 adds D log 1000.
    if (a.transform == "affine" && a.loss)
      CHECK(testing::relative_error(*a.loss - *a.original_loss,
                                    static_cast<double>(find_paper_set(a.set).columns) * std::log(1000.0)) < 2e-4);
  }
}
