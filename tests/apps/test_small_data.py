"""compare on real tables, if they are there: test_small_data.py PROGRAM FOLDER."""

import glob
import json
import math
import os
import sys
from pathlib import Path

from program import ProgramTest, main

FOLDER = sys.argv[2] if len(sys.argv) > 2 else ""
FILES = sorted(glob.glob(os.path.join(FOLDER, "*.csv")))


class SmallData(ProgramTest):
    def test_finite_numbers_or_a_correct_refusal(self):
        for path in FILES:
            with self.subTest(os.path.basename(path)):
                self.compare(path)

    def compare(self, path):
        header, *lines = Path(path).read_text(encoding="utf-8").split()
        constant = [name for name, *cells in zip(header.split(","), *(line.split(",") for line in lines))
                    if len(set(cells)) == 1]
        options = ["--preset", "fast", "--json", "r.json"]
        if constant:
            done = self.run_program("compare", path, *options, code=3)
            for name in constant:
                self.assertIn(name, done.stderr)
            options += ["--constant", "drop"]
        done = self.run_program("compare", path, *options)
        result = json.loads(self.read("r.json"))
        for model in result["models"]:
            for key in ("test_nll", "test_nll_se", "fit_seconds", "round_trip_max_error"):
                self.assertTrue(math.isfinite(model[key]), (path, model))
            self.assertLess(model["round_trip_max_error"], 1e-9)
        difference = result["gf_minus_rbig"]
        worse = difference["value"] > 2 * difference["standard_error"]
        self.assertEqual("GF is worse than RBIG" in done.stdout, worse)


if __name__ == "__main__":
    main(skipped_code=77)
