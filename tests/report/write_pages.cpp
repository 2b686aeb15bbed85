#include <filesystem>
#include <iostream>

#include "report/example_pages.hpp"

/// write_pages FOLDER: the pages that the browser test opens.
int main(int argc, char** argv) {
  using namespace gaussianize::report;
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  const testing::Example plane = testing::plane_example(3000, 40, 8), space = testing::space_example(2000, 20, 6);
  const std::vector<std::string> two{"width", "height <b>&amp;"},
      five{"alpha", "a_long_name_that_is_cut", "50 %", "l'été \"x\"", "`id`"};
  const auto put = [&](const char* name, const Report& report) {
    for (const std::string& problem : report.problems) std::cerr << name << ": " << problem << '\n';
    write_report(report, folder / name);
  };
  put("compare2.html", compare_report(testing::compare_input(plane, two)));
  put("compare5.html", compare_report(testing::compare_input(space, five)));
  put("diagnose5.html", diagnose_report(testing::diagnose_input(space, five)));
  put("fit2.html", fit_report(testing::fit_input(plane, two)));
  put("fit5.html", fit_report(testing::fit_input(space, five)));
}
