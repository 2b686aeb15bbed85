"""compare through the program: test_compare.py PROGRAM."""

import json
import math
import os

from program import ProgramTest, main, rows

KEYS = ["name", "test_nll", "test_nll_se", "fit_seconds", "score_rows_per_second", "sample_rows_per_second",
        "round_trip_max_error", "draws_farthest_ranges"]


class Compare(ProgramTest):
    def check(self, result):
        self.assertEqual([model["name"] for model in result["models"]], ["gaussian", "rbig", "gf"])
        for model in result["models"]:
            for key in KEYS:
                self.assertIn(key, model)
            self.assertTrue(all(math.isfinite(model[key]) for key in KEYS[1:]), model)
            self.assertLess(model["round_trip_max_error"], 1e-6)
            self.assertGreaterEqual(model["draws_farthest_ranges"], 0)
            self.assertLess(model["draws_farthest_ranges"], 50)
        rbig, gf = (model["test_nll"] for model in result["models"][1:])
        self.assertAlmostEqual(result["gf_minus_rbig"]["value"], gf - rbig, places=9)
        self.assertGreater(result["gf_minus_rbig"]["standard_error"], 0)
        self.check_account(result)

    def check_account(self, result):
        """Parts sum, and what two models leave differs by the difference of their test NLL."""
        best = min(result["models"], key=lambda model: model["test_nll"])
        measured = result["j"]["standard_error"] is not None
        self.assertEqual(result["j"]["bound"], "truth" not in result and (result["dimension"] > 1 or not measured))
        for model in result["models"]:
            left = model["left"]
            self.assertEqual(left["bound"], result["j"]["bound"])
            if measured:
                self.assertAlmostEqual(left["value"], left["i"]["value"] + left["j_m"]["value"], places=9)
                self.assertGreater(left["standard_error"] + result["j"]["standard_error"], 0)
            else:
                self.assertIsNone(left["i"]["value"])
            self.assertAlmostEqual(left["value"] - best["left"]["value"], model["test_nll"] - best["test_nll"], places=9)
            self.assertGreater(model["learned_from_chance"]["standard_error"], 0)
            for contradiction in ("remaining_i", "remaining_j_m"):
                self.assertNotIn(contradiction, model)

    def test_the_built_in_distribution(self):
        options = ["--preset", "fast", "--rows", "600", "--test-rows", "300", "--dimension", "2"]
        done = self.run_program("compare", *options, "--json", "r.json")
        result = json.loads(self.read("r.json"))
        self.check(result)
        self.assertIn("GF − RBIG", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^truth ")
        self.assertIn("540 training rows, 60 validation rows, 300 test rows", done.stderr)
        truth = result["truth"]["test_nll"]
        for model in result["models"]:
            self.assertAlmostEqual(model["test_nll"] - truth, model["above_truth"]["value"], places=9)
            left, above = model["left"], model["above_truth"]
            self.assertLess(abs(left["i"]["value"] + left["j_m"]["value"] - above["value"]),
                            3 * math.hypot(left["standard_error"], above["standard_error"]))
        self.assertEqual(result["j"]["measured_from"], "truth")
        self.assertIn("learned from chance", done.stdout)
        self.assertIn("J of the standardised test rows: ", done.stdout)
        self.assertNotIn("≥", done.stdout)

    def test_without_the_truth_what_is_left_is_a_lower_bound(self):
        for distribution, dimension in (("sine-chain", 3), ("gaussian", 2), ("rotated-uniform", 3)):
            with self.subTest(distribution):
                files = {}
                for role, seed in (("data", 1), ("v", 2), ("t", 3)):
                    files[role] = self.generate(distribution, 800, f"{role}.csv", "--dimension", dimension, "--seed", seed,
                                                "--true-log-density", f"{role}_truth.csv")
                done = self.run_program("compare", files["data"], "--validation", files["v"], "--test", files["t"],
                                        "--preset", "fast", "--json", "r.json", "--report", "r.html")
                result = json.loads(self.read("r.json"))
                self.check(result)
                self.assertTrue(result["j"]["bound"])
                truth = [row[0] for row in rows(self.read("t_truth.csv").decode())]
                spread = math.sqrt(sum((t - sum(truth) / len(truth)) ** 2 for t in truth)) / len(truth)
                for model in result["models"]:
                    above = model["test_nll"] + sum(truth) / len(truth)
                    error = math.hypot(model["left"]["standard_error"], 0.3 * spread)
                    self.assertLess(model["left"]["value"], above + 3 * error, model)
                page = self.read("r.html").decode()
                for line in done.stdout[done.stdout.index("GF − RBIG"):].strip().split("\n"):
                    self.assertIn(line.replace("'", "&#39;"), page)
                self.assertIn("≥", page)

    def test_a_file_split_by_seed(self):
        self.generate("two-spirals", 300)
        again = [self.json("compare", "data.csv", "--preset", "fast", "--threads", threads) for threads in (1, 2)]
        self.check(again[0])
        self.assertEqual([m["test_nll"] for m in again[0]["models"]], [m["test_nll"] for m in again[1]["models"]])
        self.assertEqual((again[0]["training_rows"], again[0]["validation_rows"], again[0]["test_rows"]), (216, 24, 60))
        self.assertNotIn("truth", again[0])
        other = self.json("compare", "data.csv", "--preset", "fast", "--seed", "1")
        self.assertNotEqual(other["models"][0]["test_nll"], again[0]["models"][0]["test_nll"])

    def test_the_saved_models_are_those_that_were_compared(self):
        for file, seed in (("data.csv", 0), ("v.csv", 1), ("t.csv", 2)):
            self.generate("pinwheel", 150, file, "--seed", str(seed))
        result = self.json("compare", "data.csv", "--validation", "v.csv", "--test", "t.csv", "--preset", "fast",
                           "--save-models", "models")
        self.assertEqual(result["test_rows"], 150)
        for model in result["models"]:
            scored = self.json("score", f"models/{model['name']}.model", "t.csv", "--summary")
            self.assertAlmostEqual(-scored["mean_log_density"], model["test_nll"], places=12)
            self.assertAlmostEqual(scored["standard_error"], model["test_nll_se"], places=12)

    def test_a_folder_for_models_that_cannot_be_made(self):
        self.generate("pinwheel", 50)
        done = self.run_program("compare", "data.csv", "--preset", "fast", "--save-models", "data.csv/models", code=4)
        self.assertIn("--save-models data.csv/models", done.stderr)

    def test_cross_validation_tests_every_row_once(self):
        self.generate("gaussian", 91, "data.csv", "--dimension", "1")
        result = self.json("compare", "data.csv", "--cross-validate", "3", "--preset", "fast")
        self.check(result)
        self.assertEqual((result["test_rows"], result["folds"]), (91, 3))

    def test_data_that_cannot_be_compared(self):
        self.write("species.csv", "length,species\n" + "".join(f"{i},setosa\n" for i in range(20)))
        done = self.run_program("compare", "species.csv", code=3)
        self.assertIn("species", done.stderr)
        self.assertIn("--columns", done.stderr)
        self.write("constant.csv", "a,b\n" + "".join(f"{i % 7},3\n" for i in range(40)))
        done = self.run_program("compare", "constant.csv", code=3)
        self.assertIn(": b;", done.stderr)
        self.check(self.json("compare", "constant.csv", "--constant", "drop", "--preset", "fast"))
        self.write("two.csv", "1,2\n3,4\n")
        self.run_program("compare", "two.csv", code=3)

    def test_repeated_values_are_said(self):
        self.write("codes.csv", "height,kind\n" + "".join(f"{i * i % 97 + i / 1000},{i % 3}\n" for i in range(60)))
        done = self.run_program("compare", "codes.csv", "--preset", "fast")
        self.assertIn("1 column repeats values in more than half of the rows: kind;", done.stderr)

    def test_contradictions(self):
        self.generate("gaussian", 50)
        for options in (["--toy", "gaussian"], ["--cross-validate", "1"], ["--cross-validate", "30"],
                        ["--cross-validate", "2", "--save-models", "d"], ["--cross-validate", "2", "--test", "data.csv"]):
            self.run_program("compare", "data.csv", *options, code=2)
        self.run_program("compare", "--test", "data.csv", code=2)
        self.run_program("compare", "--toy", "gausian", code=2)


if __name__ == "__main__":
    main()
