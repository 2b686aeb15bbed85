"""measure and diagnose through the program: test_measure.py PROGRAM."""

import json
import math
import os

from program import ProgramTest, main

KEYS = ["quantity", "value", "standard_error", "interval", "p_value", "units"]


class Measure(ProgramTest):
    def measure(self, *arguments):
        result = self.json("measure", *arguments)
        for key in KEYS:
            self.assertIn(key, result)
        self.assertEqual(result["quantity"], arguments[0])
        low, high = result["interval"]
        self.assertTrue(low <= result["value"] <= high)
        return result

    def check_near(self, result, truth, slack=0.02):
        self.assertLess(abs(result["value"] - truth), 4 * result["standard_error"] + slack)

    def test_groups_have_no_column_in_common(self):
        self.generate("gaussian", 60)
        for arguments in (("--x", "x0", "--y", "x0"), ("--x", "0,1", "--y", "2", "--given", "x1")):
            done = self.run_program("measure", "mutual-information", "data.csv", *arguments, code=2)
            self.assertIn("each column belongs to one group", done.stderr)

    def test_every_quantity_of_the_built_in_distribution(self):
        for quantity in ("entropy", "total-correlation", "mutual-information", "divergence"):
            result = self.measure(quantity, "--permutations", "19")
            if "truth" in result:
                self.check_near(result, result["truth"])
        done = self.run_program("measure", "total-correlation", "--permutations", "19")
        self.assertRegex(done.stdout, r"total-correlation: [\d.]+ ± [\d.]+ nats, 95 % interval .* p-value 0.050\n")
        self.assertIn("built-in distribution", done.stderr)

    def test_pairs_are_a_matrix_and_a_list_with_the_largest_first(self):
        self.generate("gaussian", 600, "data.csv", "--dimension", "3")
        result = self.json("measure", "pairs", "data.csv", "--permutations", "19")
        self.assertEqual(result["names"], ["x0", "x1", "x2"])
        for i in range(3):
            self.assertIsNone(result["value"][i][i])
            for j in range(i):
                self.assertEqual(result["value"][i][j], result["value"][j][i])
                self.assertGreater(result["standard_error"][i][j], 0)
        pair = self.measure("mutual-information", "data.csv", "--x", "x0", "--y", "x1", "--permutations", "0")
        self.assertLess(abs(pair["value"] - result["value"][0][1]), 3 * pair["standard_error"])
        lines = self.run_program("measure", "pairs", "data.csv", "--permutations", "19").stdout.splitlines()
        values = [float(line.split("±")[0].split()[-1]) for line in lines[1:]]
        self.assertEqual(len(values), 3)
        self.assertEqual(values, sorted(values, reverse=True))
        self.run_program("measure", "pairs", "data.csv", "--permutations", "0", "--units", "bits", "-o", "pairs.npy")
        self.assertTrue(os.path.exists(self.path("pairs.npy")))

    def test_local_total_correlation_has_a_number_for_every_row(self):
        self.generate("gaussian", 600, "data.csv", "--dimension", "3")
        local = [float(x) for x in self.run_program("measure", "local-total-correlation", "data.csv").stdout.split()]
        self.assertEqual(len(local), 600)
        whole = self.measure("total-correlation", "data.csv", "--permutations", "0")
        self.assertLess(abs(sum(local) / 600 - whole["value"]), 3 * whole["standard_error"])
        self.run_program("measure", "local-total-correlation", "data.csv", "-o", "local.csv")
        self.assertEqual(self.read("local.csv").decode().splitlines()[0], "local_total_correlation")
        self.run_program("measure", "local-total-correlation", "data.csv", "--permutations", "9", code=2)
        self.run_program("measure", "entropy", "data.csv", "-o", "x.csv", code=2)

    def test_candidates_are_named_with_what_unseen_rows_say_of_them(self):
        self.generate("sine-chain", 900, "data.csv", "--dimension", "3")
        arguments = ("total-correlation", "data.csv", "--permutations", "0")
        result = self.measure(*arguments)
        self.assertGreaterEqual(len(result["candidates"]), 4)
        self.assertLessEqual(sum(candidate["chosen"] for candidate in result["candidates"]), 1)
        low, high = result["interval"]
        self.assertGreater(high - low, 2 * result["model_error"])
        bits = self.measure(*arguments, "--units", "bits")["candidates"]
        for of_nats, of_bits in zip(result["candidates"], bits):
            self.assertAlmostEqual(of_bits["held_out"], of_nats["held_out"] / math.log(2), places=12)
        done = self.run_program("measure", *arguments)
        self.assertIn("candidates, nats on rows that they were not fitted to", done.stderr)
        self.assertEqual(self.measure(*arguments, "--preset", "fast")["candidates"], [])
        limited = self.measure(*arguments, "--preset", "fast", "--subsample", "300")
        self.assertIn("300 of 900 rows", limited["method"])

    def test_bits_are_nats_divided_by_log_2(self):
        self.generate("gaussian", 400, "data.csv", "--dimension", "2")
        nats, bits = (self.measure("total-correlation", "data.csv", "--permutations", "0", "--units", units)
                      for units in ("nats", "bits"))
        self.assertAlmostEqual(nats["value"], bits["value"] * math.log(2), places=12)
        self.assertAlmostEqual(nats["standard_error"], bits["standard_error"] * math.log(2), places=12)
        self.assertEqual((nats["units"], bits["units"], nats["p_value"]), ("nats", "bits", None))

    def test_what_too_few_rows_cannot_say(self):
        self.generate("rotated-uniform", 300, "data.csv", "--dimension", "20")
        result = self.measure("total-correlation", "data.csv", "--permutations", "0")
        self.assertTrue(result["suspect"])
        self.assertIn("could pass unseen", result["warnings"][0])
        done = self.run_program("measure", "total-correlation", "data.csv", "--permutations", "0")
        self.assertRegex(done.stdout, r"; suspect\n$")
        self.write("few.csv", "a,b,c\n1,2,3\n2,4,1\n")
        done = self.run_program("measure", "total-correlation", "few.csv", "--permutations", "0")
        self.assertIn("no interval: too few rows; suspect", done.stdout)

    def test_total_correlation_by_a_model(self):
        self.generate("gaussian", 1500, "seen.csv", "--dimension", "3")
        self.generate("gaussian", 1500, "unseen.csv", "--dimension", "3", "--seed", "1")
        self.run_program("fit", "seen.csv", "--model", "rbig", "-o", "rbig.model", "--quiet")
        result = self.measure("total-correlation", "unseen.csv", "--model", "rbig.model")
        self.check_near(result, 0.287682, 0.05)
        believed = result["model_believes"]
        self.assertLess(abs(believed["value"] - 0.287682), 4 * believed["standard_error"] + 0.05)
        self.assertIsNone(result["p_value"])
        self.run_program("measure", "entropy", "unseen.csv", "--model", "rbig.model", code=2)
        self.run_program("measure", "total-correlation", "--model", "rbig.model", code=2)

    def test_a_constant_column_is_named(self):
        self.write("data.csv", "a,b,c\n" + "".join(f"{i * i},7,{i % 3}\n" for i in range(30)))
        for arguments in (("entropy", "data.csv"), ("mutual-information", "data.csv", "--x", "b", "--y", "a")):
            done = self.run_program("measure", *arguments, code=3)
            self.assertIn("data.csv: column b is constant (7)", done.stderr)

    def test_mutual_information_between_groups(self):
        # AR(1) with correlation ½: neighbours share −½ log(1 − ¼); given the one between, the outer two share nothing.
        self.generate("gaussian", 2000, "data.csv", "--dimension", "3")
        near = self.measure("mutual-information", "data.csv", "--x", "x0", "--y", "x1", "--permutations", "19")
        self.check_near(near, -0.5 * math.log(0.75))
        self.assertLessEqual(near["p_value"], 0.05)
        far = self.measure("mutual-information", "data.csv", "--x", "x0", "--y", "x2", "--given", "1",
                           "--permutations", "0")
        self.check_near(far, 0.0)

    def test_divergence_of_two_files(self):
        self.generate("gaussian", 800, "p.csv", "--dimension", "2")
        self.generate("gaussian", 800, "q.csv", "--dimension", "2", "--seed", "1")
        same = self.measure("divergence", "p.csv", "q.csv", "--permutations", "19")
        self.check_near(same, 0.0, 0.05)
        self.write("r.csv", "x0,x1\n" + "".join(
            ",".join(str(float(cell) + 2) for cell in line.split(",")) + "\n"
            for line in self.read("q.csv").decode().splitlines()[1:]))
        other = self.measure("divergence", "p.csv", "r.csv", "--permutations", "0")
        # Mean shift m under correlation ½: ½ mᵀ Σ⁻¹ m with Σ⁻¹ = [[4, −2], [−2, 4]]/3.
        self.check_near(other, 0.5 * 4 * (4 - 2 - 2 + 4) / 3, 0.3)

    def test_contradictions(self):
        self.generate("gaussian", 50, "data.csv", "--dimension", "3")
        for arguments in (["entropy", "data.csv", "--x", "x0"], ["mutual-information", "data.csv"],
                          ["mutual-information", "data.csv", "--x", "x0"], ["divergence", "data.csv"],
                          ["entropy", "data.csv", "data.csv"], ["entropies"], [],
                          ["mutual-information", "data.csv", "--x", "x0", "--y", "x9"]):
            self.run_program("measure", *arguments, code=2)
        self.run_program("measure", "entropy", "none.csv", code=4)


class Diagnose(ProgramTest):
    def check(self, result, columns):
        for part in ("j", "i", "j_m"):
            low, high = result[part]["interval"]
            bound = result["j"]["bound"] and part != "j_m"
            self.assertLessEqual(low, result[part]["value"])
            if bound:
                self.assertIsNone(high)
            else:
                self.assertGreaterEqual(high, result[part]["value"])
        self.assertAlmostEqual(result["j"]["value"], result["i"]["value"] + result["j_m"]["value"], places=9)
        self.assertAlmostEqual(result["j_m"]["value"], sum(c["j_m"]["value"] for c in result["columns"]), places=9)
        for model in result["models"]:
            first, left = model["layers"][0]["before"], model["left"]
            for part in ("j", "i", "j_m"):
                self.assertAlmostEqual(first[part]["value"], result[part]["value"], places=9)
                self.assertAlmostEqual(first[part]["standard_error"], result[part]["standard_error"], places=9)
            self.assertEqual(left["bound"], result["j"]["bound"])
            self.assertAlmostEqual(left["value"], model["remains"]["j"]["value"], places=9)
            self.assertAlmostEqual(left["value"], left["i"]["value"] + left["j_m"]["value"], places=9)
            changes = sum(layer["j_change"]["value"] for layer in model["layers"])
            self.assertAlmostEqual(result["j"]["value"] + changes, left["value"], places=9)
        self.assertEqual(sorted(c["column"] for c in result["columns"]), sorted(columns))
        self.assertEqual(len(result["pairs"]), len(columns) * (len(columns) - 1) // 2)

    def test_a_built_in_distribution(self):
        result = self.json("diagnose", "--preset", "fast", "--rows", "600", "--permutations", "19")
        self.check(result, [f"x{d}" for d in range(5)])
        self.assertEqual([model["name"] for model in result["models"]], ["rbig", "gf"])
        for model in result["models"]:
            self.assertLess(model["left"]["value"], 0.5 * result["j"]["value"])
            self.assertGreater(model["learned_from_chance"]["standard_error"], 0)
        # The distribution is known, and so is J.
        self.assertEqual(result["j"]["measured_from"], "truth")
        self.assertFalse(result["j"]["bound"])

    def test_rows_of_a_file_give_a_bound_for_all_models_alike(self):
        self.generate("two-spirals", 1000)
        options = ["diagnose", "data.csv", "--preset", "fast", "--permutations", "19"]
        done = self.run_program(*options, "--json", "r.json", "--report", "r.html")
        result = json.loads(self.read("r.json"))
        self.check(result, ["x0", "x1"])
        self.assertTrue(result["j"]["bound"])
        self.assertIn("or more", done.stdout)
        page = self.read("r.html").decode()
        for line in done.stdout[done.stdout.index("J of the standardised held-out rows: ≥"):].strip().split("\n"):
            self.assertIn(line.replace("'", "&#39;").replace("<", "&lt;"), page)
        self.assertEqual(done.stdout.count("learned from chance"), 2)

    def test_what_carries_it(self):
        # a and b depend on each other; c is independent and alone far from normal.
        lines = ["a,b,c"]
        for i in range(600):
            u, v = math.sin(12.9898 * i) * 43758.5453 % 1, math.sin(78.233 * i + 1) * 12543.8712 % 1
            w = math.sin(39.425 * i + 2) * 24634.6345 % 1
            a = math.sqrt(-2 * math.log(1 - u)) * math.cos(2 * math.pi * v)
            e = math.sqrt(-2 * math.log(1 - u)) * math.sin(2 * math.pi * v)
            lines.append(f"{a},{0.9 * a + 0.4 * e},{-math.log(1 - w)}")
        self.write("data.csv", "\n".join(lines) + "\n")
        self.fit("data.csv", "m.model", "rbig", "--layers", "4")
        done = self.run_program("diagnose", "data.csv", "--model", "m.model", "--permutations", "19", "--json", "r.json")
        result = json.loads(self.read("r.json"))
        self.check(result, ["a", "b", "c"])
        self.assertEqual(result["columns"][0]["column"], "c")
        self.assertEqual(result["pairs"][0]["columns"], ["a", "b"])
        self.assertEqual([model["name"] for model in result["models"]], ["rbig"])
        self.assertIn("contributions to I", done.stdout)
        self.assertIn("rbig I", done.stdout)
        self.assertIn("J of the standardised rows: ≥", done.stdout)
        self.assertEqual("is no bound" in done.stdout, result["j"]["measured_from"] == "rbig")
        self.assertNotIn("learned from chance:", done.stdout)

    def test_contradictions(self):
        self.generate("gaussian", 50)
        self.fit("data.csv")
        self.run_program("diagnose", "data.csv", "--model", "m.model", "--constant", "drop", code=2)
        self.run_program("diagnose", "--model", "m.model", code=2)
        self.run_program("diagnose", "data.csv", "--model", "m.model", "--preset", "fast", code=2)
        self.run_program("diagnose", "data.csv", "--toy", "gaussian", code=2)
        self.run_program("diagnose", "data.csv", "--plot", "x.jpg", code=2)


if __name__ == "__main__":
    main()
