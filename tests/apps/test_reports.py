"""--report and --plot of the program: test_reports.py PROGRAM."""

import os
import re
import shutil
import unittest

from program import ProgramTest, main

GNUPLOT = shutil.which("gnuplot")
COMMANDS = {
    "compare": ["compare", "data.csv", "--preset", "fast"],
    "diagnose": ["diagnose", "data.csv", "--preset", "fast", "--permutations", "0"],
    "fit": ["fit", "data.csv", "--model", "rbig", "--layers", "3", "-o", "m"],
}


class Reports(ProgramTest):
    def page(self, name):
        return self.read(name).decode()

    def check_alone(self, page):
        """Nothing is fetched: no address but those of XML name spaces, no script."""
        addresses = set(re.findall(r"[a-z]+://[^\s\"'<>)%]+", page)) - {"http://www.w3.org/2000/svg",
                                                                       "http://www.w3.org/1999/xlink"}
        self.assertEqual(addresses, set())
        self.assertNotIn("<script", page)
        self.assertNotIn("<link", page)
        self.assertIn("prefers-color-scheme: dark", page)
        self.assertIn('name="viewport"', page)

    @unittest.skipUnless(GNUPLOT, "gnuplot is not installed")
    def test_pages_and_pictures_of_one_two_and_four_columns(self):
        for distribution, more in (("gaussian", ["--dimension", "1"]), ("two-spirals", []), ("sine-chain", ["--dimension", "4"])):
            self.generate(distribution, 200, "data.csv", *more)
            for name, command in COMMANDS.items():
                with self.subTest(f"{name}, {distribution}"):
                    out = self.out(*command, "--report", "r.html", "--plot", "p.svg", "--seed", "12345")
                    self.assertTrue(out)
                    page = self.page("r.html")
                    self.check_alone(page)
                    self.assertNotIn("Not drawn", page)
                    self.assertGreaterEqual(page.count('src="data:image/svg+xml,'), 3)
                    for words in ("12345", "data.csv", "max-rows", "<h2"):
                        self.assertIn(words, page)
                    self.assertIn("<svg", self.page("p.svg"))
                    if name in ("compare", "fit"):
                        self.assertIn("draws from each model", page)
        self.out(*COMMANDS["fit"], "--plot", "p.png")
        self.assertTrue(self.read("p.png").startswith(b"\x89PNG\r\n\x1a\n"))

    def test_a_fit_traces_held_out_rows_where_there_are_enough(self):
        for rows, words, absent in ((1200, "These are the held-out rows.", "was learned from chance, so J"),
                                    (300, "was learned from chance, so J", "≥")):
            self.generate("sine-chain", rows, "data.csv", "--dimension", "3")
            self.out(*COMMANDS["fit"], "--report", "r.html")
            page = self.page("r.html")
            if GNUPLOT:
                self.assertIn(words, page)
                self.assertNotIn(absent, page)

    def test_without_gnuplot_the_page_has_its_tables(self):
        self.generate("two-spirals", 100)
        bare = {**os.environ, "PATH": self.folder}
        done = self.run_program(*COMMANDS["fit"], "--report", "r.html", env=bare)
        self.assertIn("gnuplot is not installed", done.stderr)
        self.assertIn("apt-get install gnuplot-nox", done.stderr)
        page = self.page("r.html")
        self.check_alone(page)
        self.assertIn("apt-get install gnuplot-nox", page)
        self.assertIn("<table", page)
        self.assertNotIn("<img", page)

    def test_without_gnuplot_a_picture_is_refused_before_the_work(self):
        self.generate("two-spirals", 100)
        for command in COMMANDS.values():
            done = self.run_program(*command, "--plot", "p.svg", env={**os.environ, "PATH": self.folder}, code=4)
            self.assertIn("gnuplot-nox", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["data.csv"])

    def test_a_place_that_is_not_there_is_refused_before_the_work(self):
        self.generate("two-spirals", 100)
        for name, command in COMMANDS.items():
            for option, file in (("--report", "none/r.html"), ("--plot", "none/p.svg"), ("--json", "none/r.json")):
                done = self.run_program(*command, option, file, code=4)
                self.assertIn(f"{option} {file}: there is no folder none; make it first", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["data.csv"])


if __name__ == "__main__":
    main(skipped_code=77)
