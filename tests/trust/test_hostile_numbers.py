"""Legal but unkind numbers through the program, one test a row of docs/hostile_data.md: test_hostile_numbers.py PROGRAM.

RBIG and GF each fit the table; the model that was saved gives every row a finite log density, and the way to Gaussian
space and back ends where it began."""

import math
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "apps"))
from program import ProgramTest, main, rows  # noqa: E402

FITS = {"rbig": ["--layers", "3"],
        "gf": ["--layers", "2", "--anchors", "6", "--first-anchors", "12", "--batch", "50", "--epochs", "3"]}
LEAST = 5e-324
EPSILON = 2.0**-52


def normals(count, columns, seed=1):
    draw = random.Random(seed)
    return [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(count)]


def with_column(column):
    """Three dependent columns; the second is as the function makes it."""
    return [[x, column(y + 0.5 * x), z + 0.8 * x] for x, y, z in normals(80, 3)]


class Shapes(ProgramTest):
    """Tables that are too small, or have columns without a density."""

    def refuse_fits(self, content, message):
        self.write("t.csv", content)
        for kind, options in FITS.items():
            done = self.run_program("fit", "t.csv", "--model", kind, *options, "-o", "m", code=3)
            self.assertEqual(done.stderr, f"gaussianize: {message}\n")
        self.assertEqual(os.listdir(self.folder), ["t.csv"])

    def test_one_row(self):
        self.refuse_fits("a,b\n1,2\n", "1 row is too few to hold out a share of 0.1: 1 must be held out and 2 be left to "
                                       "fit; give more rows")

    def test_constant_column(self):
        table = "a,b,c\n" + "".join(f"{x},{y},7\n" for x, y in normals(40, 2))
        self.refuse_fits(table, "1 column is constant in the rows to fit and has no density: c; leave constant columns out "
                                "with --constant drop, or choose columns with --columns")
        self.write("rest.csv", table.replace(",c", "").replace(",7\n", "\n"))
        for kind, options in FITS.items():
            self.fit("t.csv", "m", kind, *options, "--constant", "drop")
            self.fit("rest.csv", "n", kind, *options)
            self.assertEqual(self.read("m"), self.read("n"))

    def test_nothing_but_constant_columns(self):
        self.refuse_fits("a,b\n" + "1,2\n" * 40, "every column is constant in the rows to fit: there is nothing to fit")


class HostileNumbers(ProgramTest):
    def check(self, table, note="", **fits):
        names = ",".join(f"c{d}" for d in range(len(table[0])))
        self.write("t.csv", "\n".join([names] + [",".join(map(repr, row)) for row in table]) + "\n")
        for kind, options in (fits or FITS).items():
            done = self.run_program("fit", "t.csv", "--model", kind, "-o", "m", *options)
            self.assertIn(note, done.stderr)
            densities = [float(line) for line in self.out("score", "m", "t.csv").split()]
            self.assertEqual(len(densities), len(table))
            self.assertTrue(all(map(math.isfinite, densities)), (kind, densities))
            self.out("transform", "m", "t.csv", "-o", "z.csv")
            self.same(table, rows(self.out("transform", "m", "z.csv", "--inverse")), kind)

    def same(self, table, again, kind):
        """Within 1e-12 of the column's range, and the last bits of the number itself."""
        self.assertEqual(len(again), len(table))
        for there, back in zip(zip(*table), zip(*again)):
            half = max(there) / 2 - min(there) / 2
            for x, y in zip(there, back):
                self.assertLessEqual(abs(x - y), 1e-12 * half + 8 * EPSILON * abs(x) + LEAST, (kind, x, y))

    def test_near_constant_column(self):
        self.check(with_column(lambda v: 1e9 + 1e-7 * v), "1 column repeats values in more than half of the rows: c1;")

    def test_up_to_1e308(self):
        self.check(with_column(lambda v: 1e308 * math.tanh(v)))

    def test_subnormals(self):
        self.check(with_column(lambda v: 1e-310 * v))

    def test_zeros_of_both_signs(self):
        self.check(with_column(lambda v: v if v > 0.5 else math.copysign(0.0, v)), "1 column repeats")

    def test_cauchy_tails(self):
        self.check(with_column(lambda v: math.tan(1.57 * math.erf(v / 1.5))))

    def test_one_outlier(self):
        table = with_column(lambda v: v)
        table[17][1] = 1e10
        self.check(table)
        # The half that layers are traced with is fitted without that row.
        self.assertIn("rbig leaves J", self.out("diagnose", "t.csv", "--preset", "fast", "--permutations", "9"))

    def test_point_mass_and_density(self):
        self.check(with_column(lambda v: max(v, 0.0)))

    def test_years_around_2000(self):
        self.check(with_column(lambda v: round(2000 + 4 * v)), "1 column repeats")

    def test_integers(self):
        self.check(with_column(lambda v: math.floor(math.exp(v))), "1 column repeats")

    def test_binary(self):
        self.check(with_column(lambda v: int(v > 0.3)), "1 column repeats")

    def test_nothing_but_binary_columns(self):
        self.check([[int(v > 0) for v in row] for row in normals(80, 3)], "3 columns repeat")

    def test_half_of_the_rows_twice(self):
        table = with_column(lambda v: v)
        self.check(table[:40] + table[:40])

    def test_one_column(self):
        self.check(normals(80, 1))

    def test_columns_twice(self):
        self.check([row + row for row in normals(80, 2)])

    def test_collinear_columns(self):
        self.check([[x, y, 3 * x - 2 * y, 1e6 * y] for x, y in normals(80, 2)])

    def test_fewer_rows_than_columns(self):
        self.check(normals(12, 30))

    def test_ten_thousand_columns(self):
        # One layer of RBIG: a rotation of 10,000 columns would be a matrix of 800 MB.
        self.check([[round(v, 4) for v in row] for row in normals(12, 10_000)],
                   rbig=["--layers", "1", "--bandwidth", "rule", "--stop", "fixed"],
                   gf=["--layers", "2", "--reflections", "2", "--anchors", "4", "--first-anchors", "4", "--epochs", "1",
                       "--no-kde-front"])


if __name__ == "__main__":
    main()
