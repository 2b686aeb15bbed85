#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cli/nearest.hpp"

using namespace gaussianize;

namespace {

/// The words over {a, b} of up to `longest` letters.
std::vector<std::string> words(std::size_t longest) {
  std::vector<std::string> all{""};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == longest) continue;
    all.push_back(all[i] + 'a');
    all.push_back(all[i] + 'b');
  }
  return all;
}

/// The definition, letter by letter from the end: exponential, but plainly right.
std::size_t distance_by_definition(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const auto shorter = [](std::string_view s, std::size_t n) { return s.substr(0, s.size() - n); };
  std::size_t best = distance_by_definition(shorter(a, 1), shorter(b, 1)) + (a.back() == b.back() ? 0 : 1);
  best = std::min(best, distance_by_definition(shorter(a, 1), b) + 1);
  best = std::min(best, distance_by_definition(a, shorter(b, 1)) + 1);
  if (a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && a[a.size() - 2] == b.back())
    best = std::min(best, distance_by_definition(shorter(a, 2), shorter(b, 2)) + 1);
  return best;
}

}  // namespace

TEST_CASE("edit_distance counts as defined") {
  const std::vector<std::string> all = words(4);
  REQUIRE(all.size() == 31);
  for (const std::string& a : all)
    for (const std::string& b : all) {
      CAPTURE(a);
      CAPTURE(b);
      CHECK(edit_distance(a, b) == distance_by_definition(a, b));
    }
  CHECK(edit_distance("comapre", "compare") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("nearest proposes what was probably meant, or nothing") {
  constexpr std::array<std::string_view, 4> commands{"compare", "diagnose", "sample", "score"};
  CHECK(nearest("comapre", commands) == "compare");
  CHECK(nearest("simple", commands) == "sample");
  CHECK(nearest("scor", commands) == "score");
  CHECK(nearest("diagnosis", commands) == "diagnose");
  CHECK_FALSE(nearest("frobnicate", commands).has_value());
  CHECK_FALSE(nearest("", commands).has_value());
  CHECK_FALSE(nearest("compare", {}).has_value());
}
