"""check_layout.py finds nothing in a sound tree, and each planted mistake in turn."""

import tempfile
import unittest
from pathlib import Path

from check_layout import violations

SOUND = {
    "lib/gaussianize/core/error.hpp": "#pragma once\n",
    "lib/gaussianize/core/error.cpp": '#include "gaussianize/core/error.hpp"\n#include <string>\n',
    "lib/gaussianize/core/CMakeLists.txt": "target_sources(gaussianize PRIVATE error.cpp)\n",
    "lib/gaussianize/math/normal.hpp": '#include "gaussianize/core/error.hpp"\n#include "gaussianize/version.hpp"\n',
    "lib/gaussianize/rotation/pca.hpp": '#include "gaussianize/math/normal.hpp"\n',
    "lib/gaussianize/rotation/detail/signs.hpp": "\n",
    "lib/gaussianize/marginal/detail/table.hpp": '#include "gaussianize/core/detail/require.hpp"\n',
    "lib/gaussianize/core/detail/require.hpp": "\n",
    "lib/gaussianize/flow/detail/walk.hpp": '#include "gaussianize/marginal/detail/table.hpp"\n'
                                            '#include "gaussianize/rotation/detail/signs.hpp"\n',
    "lib/gaussianize/info/detail/ranks.hpp": '#include "gaussianize/rotation/detail/signs.hpp"\n',
    "lib/gaussianize/io/detail/csv.hpp": '#include "gaussianize/rotation/detail/signs.hpp"\n',
    "lib/gaussianize/gaussianize.hpp": '#include "gaussianize/flow/flow.hpp"\n',
    "lib/gaussianize/marginal/kde.hpp": "// std::cout << would print, and rand() would not repeat\n",
    "lib/gaussianize/flow/flow.hpp": '#include "gaussianize/marginal/kde.hpp"\n#include "gaussianize/rotation/pca.hpp"\n',
    "lib/gaussianize/info/entropy.hpp": '#include "gaussianize/flow/flow.hpp"\nint printf_width; void print();\n',
    "lib/gaussianize/io/csv.hpp": '#include "gaussianize/core/error.hpp"\nconst char* text = "exit(1)";\n',
    "apps/main.cpp": '#include <boost/program_options.hpp>\n#include "cli/help.hpp"\n#include "paper/run.hpp"\n',
    "apps/commands.hpp": '#include "gaussianize/io/detail/csv.hpp"\n#include "gaussianize/core/detail/require.hpp"\n'
                         '#include "gaussianize/marginal/detail/table.hpp"\n',
    "apps/cli/help.hpp": '#include "cli/text.hpp"\n',
    "apps/fitting/fit.hpp": '#include "cli/help.hpp"\n#include "report/page.hpp"\n',
    "apps/paper/run.hpp": '#include "cli/help.hpp"\n#include "fitting/fit.hpp"\n#include "paper/run.hpp"\n',
    "apps/report/page.hpp": '#include "report/text.hpp"\n',
    "apps/CMakeLists.txt": "add_executable(program main.cpp)\n",
    "apps/packages.txt": "# the compiler\ng++\n\n# the rest\ncmake\nlibboost1.74-dev\n",
    "tests/core/test_error.cpp": "\n",
    "tests/CMakeLists.txt": "add_executable(test core/test_error.cpp)\n",
    "docs/guide.md": "Everything is done.\n",
}


def found_in(changes):
    """The violations of the sound tree with some files replaced."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**SOUND, **changes}.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return violations(Path(folder).resolve())


class CheckLayout(unittest.TestCase):
    def test_a_sound_tree_passes(self):
        self.assertEqual(found_in({}), [])

    def test_each_planted_mistake_is_found(self):
        planted = [
            # upwards, sideways, twice sideways
            ("lib/gaussianize/core/error.hpp", '#include "gaussianize/math/normal.hpp"\n', "core may not include math"),
            ("lib/gaussianize/math/normal.hpp", '#  include "gaussianize/flow/flow.hpp"\n', "math may not include flow"),
            ("lib/gaussianize/rotation/pca.hpp", '#include "gaussianize/marginal/kde.hpp"\n', "may not include marginal"),
            ("lib/gaussianize/io/csv.hpp", '#include "gaussianize/info/entropy.hpp"\n', "io may not include info"),
            ("lib/gaussianize/data/toys.hpp", '#include "gaussianize/io/csv.hpp"\n', "data may not include io"),
            ("lib/gaussianize/flow/flow.hpp", '#include "gaussianize/nothing/a.hpp"\n', "there is no module nothing"),
            ("lib/gaussianize/flow/flow.hpp", '#include "gaussianize/math/gone.hpp"\n', "there is no such file"),
            ("lib/gaussianize/flow/flow.hpp", '#include "../math/normal.hpp"\n', 'write "gaussianize/'),
            ("lib/gaussianize/flow/flow.hpp", "#include <gaussianize/math/normal.hpp>\n", "included by quotes"),
            ("lib/gaussianize/extra/a.hpp", "\n", "extra is no module"),
            ("lib/gaussianize/io/csv.hpp", "#include <boost/program_options.hpp>\n", "only apps parse"),
            # what is private
            ("lib/gaussianize/math/normal.hpp", '#include "gaussianize/core/detail/require.hpp"\n', "a public header"),
            ("lib/gaussianize/core/error.hpp", '#include "gaussianize/core/detail/require.hpp"\n', "a public header"),
            ("lib/gaussianize/info/detail/a.hpp", '#include "gaussianize/marginal/detail/table.hpp"\n',
             "info may not include what is private to marginal"),
            ("apps/fit.hpp", '#include "gaussianize/rotation/detail/signs.hpp"\n', "what is private to rotation"),
            # the rooms of the program
            ("apps/cli/help.hpp", '#include "commands.hpp"\n', "apps/cli may not include a command"),
            ("apps/cli/help.hpp", '#include "report/page.hpp"\n', "apps/cli may not include report"),
            ("apps/cli/help.hpp", '#include "paper/run.hpp"\n', "apps/cli may not include paper"),
            ("apps/report/page.hpp", '#include "cli/help.hpp"\n', "apps/report may not include cli"),
            ("apps/paper/run.hpp", '#include "compare/folds.hpp"\n', "apps/paper may not include compare"),
            ("apps/fitting/fit.hpp", '#include "measuring/all.hpp"\n', "apps/fitting may not include measuring"),
            # tests
            ("tests/core/test_error.cpp", "CHECK(x == doctest::Approx(1).epsilon(0.1));\n", "state a relative_error"),
            ("tests/core/test_error.cpp", 'TEST_CASE("a" * doctest::skip(true)) {}\n', "return skipped("),
            # what the library does not do
            ("lib/gaussianize/io/csv.hpp", "void f() { std::cerr << 1; }\n", "never prints"),
            ("lib/gaussianize/io/csv.hpp", 'void f() { printf("1"); }\n', "never prints"),
            ("lib/gaussianize/io/csv.hpp", "void f() { std::exit(1); }\n", "never ends the program"),
            ("lib/gaussianize/io/csv.hpp", "int f() { return rand(); }\n", "come from RandomStream"),
            ("lib/gaussianize/io/csv.hpp", "std::normal_distribution<double> d;\n", "come from RandomStream"),
            ("lib/gaussianize/io/csv.hpp", "auto a = arma::randn(3);\n", "come from RandomStream"),
            ("lib/CMakeLists.txt", "add_compile_options(-ffast-math)\n", "what the arithmetic means"),
            # the rest
            ("lib/gaussianize/core/error.hpp", "\n" * 401, "401 lines"),
            ("apps/main.cpp", "\n" * 401, "401 lines"),
            ("lib/gaussianize/core/detail/require.cpp", "\n", "no CMakeLists.txt names it"),
            ("tests/core/test_extra.cpp", "\n", "no CMakeLists.txt names it"),
            ("docs/guide.md", "TO" "DO: the rest\n", "finish it"),
            ("tests/core/test_error.cpp", "// FIX" "ME\n", "finish it"),
            ("apps/packages.txt", "# a\nLibUpper\n", "no package name"),
            ("apps/packages.txt", "# a\ncmake ninja\n", "no package name"),
            ("apps/packages.txt", "# a\ncmake\ncmake\n", "listed twice"),
            ("apps/packages.txt", "# a\ncmake\n\nninja\n", "what ninja is for"),
            ("apps/packages.txt", "# nothing\n", "lists no package"),
        ]
        for name, text, expected in planted:
            with self.subTest(file=name, text=text[:60]):
                found = found_in({name: text})
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(name + ":"), found)
                self.assertIn(expected, found[0])

    def test_a_source_of_lib_has_a_header_of_its_name(self):
        found = found_in({"lib/gaussianize/core/extra.cpp": "\n", "lib/gaussianize/core/CMakeLists.txt":
                          "target_sources(gaussianize PRIVATE error.cpp extra.cpp)\n"})
        self.assertEqual(found, ["lib/gaussianize/core/extra.cpp:1: has no header extra.hpp"])

    def test_an_exception_that_is_not_needed_is_found(self):
        self.assertEqual(found_in({"lib/gaussianize/info/detail/ranks.hpp": "\n"}),
                         ["lib/gaussianize/info:1: needs nothing private to rotation any more: take it out of PRIVATE_USERS"])

    def test_a_source_in_a_comment_is_not_named(self):
        found = found_in({"lib/gaussianize/core/CMakeLists.txt": "# error.cpp\n"})
        self.assertEqual(found, ["lib/gaussianize/core/error.cpp:1: no CMakeLists.txt names it"])

    def test_exactly_400_lines_pass(self):
        self.assertEqual(found_in({"apps/main.cpp": "\n" * 400}), [])

    def test_the_line_is_named(self):
        found = found_in({"lib/gaussianize/core/error.hpp": '\n\n#include "gaussianize/math/normal.hpp"\n'})
        self.assertEqual(found, ['lib/gaussianize/core/error.hpp:3: "gaussianize/math/normal.hpp": '
                                 "core may not include math"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
