#include <clocale>
#include <cmath>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "report/script.hpp"
#include "report/text.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::report;

TEST_CASE("text from files is shown, never obeyed") {
  CHECK(escaped("<script>alert(\"1\")</script> & 'x'") ==
        "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39;");
  CHECK(clean_text("a\tb\r\nc\x01\x7F") == "a b  c  ");
  CHECK(clean_text(std::string("a\0b", 3)) == "a b");
}

TEST_CASE("bytes that are no UTF-8 become U+FFFD, one a byte, and the rest is kept") {
  CHECK(clean_text("\xFF ok") == "\uFFFD ok");
  CHECK(clean_text("\xC0\x80") == "\uFFFD\uFFFD");                      // overlong
  CHECK(clean_text("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");            // a surrogate
  CHECK(clean_text("\xF4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond U+10FFFF
  CHECK(clean_text("\xE2\x82") == "\uFFFD\uFFFD");                      // cut short
  CHECK(clean_text("\xEF\xBF\xBF") == "\uFFFD");                        // forbidden in XML
  CHECK(clean_text("\xC2\x85") == "\uFFFD");                            // a C1 control character
  CHECK(clean_text("é€𝔸 µ") == "é€𝔸 µ");
}

TEST_CASE("shortening counts characters, not bytes") {
  CHECK(shortened("ééééé", 5) == "ééééé");
  CHECK(shortened("éééééé", 5) == "éééé…");
  CHECK(shortened("", 3).empty());
  CHECK_THROWS_AS(shortened("a", 0), std::invalid_argument);
}

TEST_CASE("numbers for people") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(fixed(-1.25, 1) == "−1.2");
  CHECK(fixed(-0.0001, 2) == "0.00");
  CHECK(fixed(nan, 2) == "–");
  CHECK(fixed(-HUGE_VAL, 2) == "−∞");
  CHECK(fixed(1e300, 0).size() == 301);
  CHECK(significant(0.0123456, 3) == "0.0123");
  CHECK(significant(123456.7, 3) == "123457");
  CHECK(significant(3.21e-14, 2) == "3.2·10⁻¹⁴");
  CHECK(significant(-2e10, 1) == "−2·10¹⁰");
  CHECK(significant(999999.9, 3) == "1.00·10⁶");
  CHECK(significant(0.0, 3) == "0");
  CHECK(grouped(1234567.4) == "1\u202F234\u202F567");
  CHECK(grouped(-1000) == "−1\u202F000");
  CHECK(grouped(999.4) == "999");
}

TEST_CASE("estimates show two digits of the smallest standard error") {
  const Estimate a{4.58567, 0.0226}, b{-1.0, 0.3};
  CHECK(decimals_for({a, b}) == 3);
  CHECK(with_error(a, 3) == "4.586 ± 0.023");
  CHECK(with_error(b, 3) == "−1.000 ± 0.300");
  CHECK(with_error({1.5, std::nan("")}, 2) == "1.50");
  CHECK(decimals_for({{1, 0}, {2, std::nan("")}}) == 4);
  CHECK(decimals_for({{1, 1e-12}}) == 6);
  CHECK(decimals_for({{1, 250.0}}) == 0);
}

TEST_CASE("a gnuplot string holds its text and no command") {
  CHECK(quote("it's `id` @x $y \\") == "'it''s `id` @x $y \\'");
  CHECK(quote("a\nsystem('x')") == "'a system(''x'')'");
  CHECK(quote_tic("50 %h") == "'50 %%h'");
}

TEST_CASE("numbers for gnuplot do not follow the locale") {
  CHECK(plain(1234.5) == "1234.5");
  CHECK(plain(std::nan("")) == "NaN");
  CHECK(plain(HUGE_VAL) == "NaN");
  CHECK(plain(-1e-300) == "-1e-300");
}

TEST_CASE("ranges are never empty and hold the central share") {
  const Range all = central_range({0.0, 10.0, 5.0}, 1.0);
  CHECK(all.low == doctest::Approx(-1));
  CHECK(all.high == doctest::Approx(11));
  const Range constant = central_range({3.0, 3.0}, 1.0);
  CHECK(constant.low < 3.0);
  CHECK(constant.high > 3.0);
  const Range huge = central_range({1e200, 1e200}, 1.0);
  CHECK(huge.low < 1e200);
  CHECK(huge.high > 1e200);
  const Range none = central_range({std::nan(""), HUGE_VAL}, 1.0);
  CHECK(none.low == 0.0);
  CHECK(none.high == 1.0);
  arma::vec tailed = arma::linspace(0, 1, 1001);
  tailed(1000) = 1e9;
  CHECK(central_range(tailed, 0.99).high < 1.2);
}
