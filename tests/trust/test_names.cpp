#include <set>
#include <string_view>

#include <doctest/doctest.h>

#include "gaussianize/gf/gf.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/rbig/rbig.hpp"

using namespace gaussianize;

namespace {

/// Every value from the first to the last has a name of its own; what is no value is said to be unknown.
template <class Enumeration>
void check_names(Enumeration last) {
  std::set<std::string_view> names;
  for (int value = 0; value <= static_cast<int>(last); ++value) names.insert(name(static_cast<Enumeration>(value)));
  CHECK(names.size() == static_cast<std::size_t>(last) + 1);
  CHECK(!names.contains("unknown"));
  CHECK(name(static_cast<Enumeration>(99)) == "unknown");
}

}  // namespace

TEST_CASE("values that people see have names of their own") {
  check_names(GfStop::cancelled);
  check_names(StopReason::cancelled);
  check_names(FirstMap::whitening);
  check_names(RotationKind::automatic);
  check_names(EntropyMethod::nearest_neighbour);
  check_names(MeasureMethod::nearest_neighbour);
}
