"""fit, score, sample, transform and inspect through the program: test_models.py PROGRAM."""

import csv
import json
import math
import os
import re
import signal
import subprocess
import time

from program import PROGRAM, ProgramTest, main, rows

GF = ["--layers", "2", "--anchors", "6", "--first-anchors", "6", "--equal-weights", "--batch", "50", "--epochs", "3"]


class Fit(ProgramTest):
    def test_each_kind_writes_a_model_and_a_summary(self):
        self.generate("two-spirals", 300)
        for kind, more in (("gaussian", []), ("rbig", ["--layers", "3"]), ("gf", GF)):
            done = self.run_program("fit", "data.csv", "--model", kind, "-o", "m.model", "--json", "r.json", *more)
            self.assertIn(f"model: {kind}, 2 columns", done.stdout)
            result = json.loads(self.read("r.json"))
            self.assertEqual((result["model"], result["units"], result["columns"]), (kind, "nats", ["x0", "x1"]))
            self.assertEqual(result["summary"]["calibration"],
                             "training rows" if kind == "gaussian" else "held-out rows")
            self.assertEqual(self.json("inspect", "m.model")["kind"], kind)
        self.assertEqual(sorted(os.listdir(self.folder)), ["data.csv", "m.model", "r.json"])

    def test_threads_change_no_byte_and_the_seed_does(self):
        self.generate("pinwheel", 400)
        for kind, more in (("rbig", ["--layers", "4"]), ("gf", GF)):
            models = [self.read(self.fit("data.csv", f"{kind}{i}", kind, *more, *extra)) for i, extra in
                      enumerate((["--threads", "1"], ["--threads", "3"], ["--threads", "1", "--seed", "1"]))]
            self.assertEqual(models[0], models[1])
            self.assertNotEqual(models[0], models[2])

    def test_the_defaults_that_help_shows_are_those_in_use(self):
        self.generate("pinwheel", 200)
        text = self.run_program("fit", "--help").stdout
        for kind, heading, few in (("rbig", "RBIG:", ["--layers", "3"]), ("gf", "GF, ", GF)):
            section = text[text.index("\n" + heading):].split("\n\n")[0]
            shown = re.findall(r"--([\w-]+) [A-Z]+\s[^-]*?default\s+([\w.]+)\)", section)
            self.assertGreaterEqual(len(shown), 4)
            typed = [f"--{name}={value}" for name, value in shown]
            self.assertEqual(self.read(self.fit("data.csv", "a", kind, *few)),
                             self.read(self.fit("data.csv", "b", kind, *few, *typed)))

    def test_options_of_the_other_model_are_refused(self):
        self.generate("gaussian", 50)
        for kind, option in (("rbig", "--anchors=3"), ("gf", "--rotation=pca"), ("gaussian", "--layers=3"),
                             ("rbig", "--resume")):
            done = self.run_program("fit", "data.csv", "--model", kind, "-o", "m", option, code=2)
            self.assertIn(option.split("=")[0], done.stderr)
            self.assertFalse(os.path.exists(self.path("m")))
        self.assertIn("--model is missing", self.run_program("fit", "data.csv", "-o", "m", code=2).stderr)
        self.assertIn("-o MODEL", self.run_program("fit", "data.csv", "--model", "rbig", code=2).stderr)

    def test_bad_data_and_files(self):
        self.write("words.csv", "a,b\n1,2\n3,setosa\n")
        done = self.run_program("fit", "words.csv", "--model", "gaussian", "-o", "m", code=3)
        self.assertIn("setosa", done.stderr)
        self.write("constant.csv", "a,b,c\n1,2,7\n1,3,5\n1,4,1\n1,5,2\n1,9,4\n")
        done = self.run_program("fit", "constant.csv", "--model", "gaussian", "-o", "m", code=3)
        self.assertIn("a;", done.stderr)
        self.assertIn("--constant drop", done.stderr)
        self.fit("constant.csv", "m", "gaussian", "--constant", "drop")
        self.assertEqual(self.json("inspect", "m")["columns"], ["b", "c"])
        self.run_program("fit", "none.csv", "--model", "gaussian", "-o", "m", code=4)
        self.run_program("fit", "words.csv", "--columns", "a", "--model", "gaussian", "-o", "none/m", code=4)
        self.write("one.csv", "1,2\n")
        self.run_program("fit", "one.csv", "--model", "rbig", "-o", "m", code=3)

    def test_validation_rows_of_ones_own(self):
        self.generate("gaussian", 100)
        self.generate("gaussian", 30, "v.csv", "--seed", "5")
        self.fit("data.csv", "m", "rbig", "--layers", "2", "--validation", "v.csv")
        summary = self.json("inspect", "m")["summary"]
        self.assertEqual((summary["training_rows"], summary["validation_rows"]), (100, 30))

    def test_rows_are_held_out_by_one_option(self):
        self.generate("gaussian", 100)
        self.run_program("fit", "data.csv", "--model", "rbig", "-o", "m", "--validation", "data.csv",
                         "--validation-fraction", "0.2", code=2)

    def test_a_patch_asks_for_patch_rotations(self):
        self.generate("gaussian", 100, "data.csv", "--dimension", "4")
        for typed, kind in (([], "patch"), (["--rotations", "alternating"], "alternating")):
            self.fit("data.csv", "m", "gf", "--patch", "2", *typed, *GF)
            options = self.json("inspect", "m")["options"]
            self.assertEqual((options["rotations"], options["patch"]), (kind, 2))
        done = self.run_program("fit", "data.csv", "--model", "gf", "-o", "x", "--patch", "2", "--rotations",
                                "householder", code=2)
        self.assertIn("--patch", done.stderr)

    def test_missing_values_and_selected_columns(self):
        self.write("gaps.csv", "a,b,c\n1,2,x\n3,,x\n4,5,x\n6,1,x\nNA,1,x\n")
        done = self.run_program("fit", "gaps.csv", "--columns", "a,b", "--missing", "drop", "--model", "gaussian", "-o", "m")
        self.assertIn("2 rows with missing values dropped", done.stderr)
        self.run_program("fit", "gaps.csv", "--columns", "a,b", "--model", "gaussian", "-o", "m", code=3)

    def interrupt(self, number, begun, *arguments):
        """Starts the program, sends the signal once `begun` says that it is at work; returns its code and words."""
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        begun(process)
        process.send_signal(number)
        out, err = process.communicate(timeout=1000)
        self.assertEqual(out, "")
        return process.returncode, err

    def test_a_killed_search_resumes_to_the_same_bytes(self):
        self.generate("two-spirals", 120)
        self.generate("two-spirals", 400, "held.csv", "--seed", "1")
        command = ["fit", "data.csv", "--validation", "held.csv", "--model", "gf", "--preset", "fast",
                   "--checkpoint-seconds", "0.05"]
        self.out(*command, "-o", "whole", "--threads", "1")
        for threads in (2, 3, 8):
            # Killed in the middle of a search: no handler runs, and what was saved last is all there is. Once more if
            # the search was over before that.
            while not os.path.exists(self.path("cut.checkpoint")):
                process = subprocess.Popen([PROGRAM, *command, "-o", "cut", "--threads", str(threads)], cwd=self.folder,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.addCleanup(process.kill)
                while process.poll() is None and not os.path.exists(self.path("cut.checkpoint")):
                    pass
                process.kill()
                if process.wait() == 0:
                    os.remove(self.path("cut"))
            self.assertFalse(os.path.exists(self.path("cut")))
            self.assertIn("--no-search", self.run_program(*command, "-o", "cut", "--resume", "--no-search",
                                                          code=2).stderr)
            done = self.run_program(*command, "-o", "cut", "--resume", "--threads", str(threads))
            self.assertIn("continuing from cut.checkpoint", done.stderr)
            self.assertEqual(self.read("whole"), self.read("cut"))
            self.assertFalse(os.path.exists(self.path("cut.checkpoint")))
            os.remove(self.path("cut"))

    def test_an_interrupted_fit_resumes_to_the_same_bytes(self):
        self.generate("two-spirals", 2000)
        command = ["fit", "data.csv", "--model", "gf", "--layers", "4", "--anchors", "20", "--batch", "100",
                   "--epochs", "40"]
        self.out(*command, "-o", "whole")

        def checkpoint_exists(process):
            while process.poll() is None and not os.path.exists(self.path("cut.checkpoint")):
                pass

        for number in (signal.SIGINT, signal.SIGTERM):
            code = 0
            while code == 0:  # once more if the fit was over before it was interrupted
                code, words = self.interrupt(number, checkpoint_exists, *command, "-o", "cut", "--checkpoint-seconds",
                                             "0.001")
                if code == 0:
                    os.remove(self.path("cut"))
            self.assertEqual(code, 130, words)
            self.assertIn("--resume", words)
            self.assertFalse(os.path.exists(self.path("cut")))
            self.assertEqual(self.json("inspect", "cut.checkpoint")["kind"], "checkpoint")
            self.run_program("score", "cut.checkpoint", "data.csv", code=4)
            self.run_program(*command, "-o", "cut", "--resume", "--seed", "9", code=2)
            self.run_program(*command, "-o", "cut", "--resume", "--init", "rbig", code=2)
            done = self.run_program(*command, "-o", "cut", "--resume")
            self.assertIn("continuing from cut.checkpoint", done.stderr)
            self.assertEqual(self.read("whole"), self.read("cut"))
            self.assertFalse(os.path.exists(self.path("cut.checkpoint")))
            os.remove(self.path("cut"))

    def test_a_start_from_rbig(self):
        self.generate("two-spirals", 400)
        self.fit("data.csv", "m", "gf", "--init", "rbig", *GF)
        self.assertEqual(self.json("inspect", "m")["options"]["init"], "rbig")
        self.fit("data.csv", "q", "gf", *GF)
        starts = [float(self.json("inspect", model)["summary"]["initial_nll"]) for model in ("m", "q")]
        self.assertLess(starts[0], starts[1])
        self.run_program("fit", "data.csv", "--model", "gf", "--init", "rbig", "--marginals", "2", "-o", "x", code=2)

    def test_an_interrupted_rbig_fit_writes_nothing(self):
        self.generate("sine-chain", 3000)
        code, words = self.interrupt(signal.SIGINT, lambda process: process.stderr.readline(), "fit", "data.csv",
                                     "--model", "rbig", "-o", "m")
        self.assertEqual(code, 130, words)
        self.assertIn("no model was written", words)
        self.assertEqual(os.listdir(self.folder), ["data.csv"])


class Score(ProgramTest):
    def setUp(self):
        super().setUp()
        # A normal distribution in closed form: two independent columns, and so many rows that its moments are known exactly.
        self.write("data.csv", "a,b\n" + "".join(f"{x},{y}\n" for x in (-1, 1) for y in (8, 12)))
        self.fit("data.csv")

    def log_normal(self, a, b):
        return -0.5 * (a**2 + ((b - 10) / 2) ** 2) - math.log(2 * math.pi) - math.log(2)

    def test_one_log_density_per_line(self):
        self.write("new.csv", "a,b\n0,10\n1,8\n-3,17\n")
        values = [float(line) for line in self.out("score", "m.model", "new.csv").split()]
        for value, row in zip(values, ((0, 10), (1, 8), (-3, 17))):
            self.assertAlmostEqual(value, self.log_normal(*row), places=9)
        self.assertEqual(len(values), 3)
        self.assertEqual([row[0] for row in self.json("score", "m.model", "new.csv")["values"]], values)

    def test_summary(self):
        self.write("new.csv", "a,b\n0,10\n1,8\n-3,17\n")
        truth = [self.log_normal(*row) for row in ((0, 10), (1, 8), (-3, 17))]
        mean = sum(truth) / 3
        error = math.sqrt(sum((t - mean) ** 2 for t in truth) / 6)
        result = self.json("score", "m.model", "new.csv", "--summary")
        self.assertAlmostEqual(result["mean_log_density"], mean, places=9)
        self.assertAlmostEqual(result["standard_error"], error, places=9)
        self.assertEqual((result["rows"], result["units"]), (3, "nats"))
        self.assertIn("rows 3\n", self.out("score", "m.model", "new.csv", "--summary"))

    def test_columns_are_matched_by_name(self):
        self.write("swapped.csv", "b,c,a\n17,0,-3\n")
        done = self.run_program("score", "m.model", "swapped.csv")
        self.assertAlmostEqual(float(done.stdout), self.log_normal(-3, 17), places=9)
        self.assertIn("order", done.stderr)
        self.assertIn("left out", done.stderr)
        self.write("lacking.csv", "b,c\n17,0\n")
        self.assertIn("a", self.run_program("score", "m.model", "lacking.csv", code=3).stderr)
        self.write("bare.csv", "-3,17\n")
        self.assertAlmostEqual(float(self.out("score", "m.model", "bare.csv")), self.log_normal(-3, 17), places=9)
        self.write("bare.csv", "-3,17,1\n")
        self.run_program("score", "m.model", "bare.csv", code=3)

    def test_the_tail_probability_is_calibrated(self):
        self.generate("gaussian", 4000, "train.csv", "--dimension", "2")
        self.fit("train.csv", "g.model", "rbig", "--layers", "3", "--validation-fraction", "0.5")
        self.generate("gaussian", 4000, "new.csv", "--dimension", "2", "--seed", "1")
        text = self.out("score", "g.model", "new.csv", "--tail")
        self.assertEqual(text.splitlines()[0], "log_density,tail_probability,outside")
        tails = [row[1] for row in rows(text)]
        for level in (0.01, 0.1, 0.5):
            share = sum(tail <= level for tail in tails) / len(tails)
            # Both samples, of 2000 and 4000 rows, have their binomial errors.
            self.assertLess(abs(share - level), 5 * math.sqrt(level * (1 - level) * (1 / 2000 + 1 / 4000)))

    def test_the_least_likely_rows_and_why(self):
        self.write("new.csv", "a,b\n0,10\n0,60\n1,12\n9,11\n")
        done = self.run_program("score", "m.model", "new.csv", "--top", "2")
        self.assertIn("calibrated on the rows it was fitted to", done.stderr)
        top = self.json("score", "m.model", "new.csv", "--top", "2")["top"]
        self.assertEqual([entry["row"] for entry in top], [1, 3])
        self.assertEqual([entry["contributions"][0]["column"] for entry in top], ["b", "a"])
        # b is 25 standard deviations out, and independent of a: replacing it gains ½·25² nats.
        self.assertAlmostEqual(top[0]["contributions"][0]["nats"], 312.5, delta=0.1)
        self.assertLess(top[0]["contributions"][1]["nats"], 1e-9)
        self.assertTrue(top[0]["outside"])

    def test_top_and_summary_go_where_output_says(self):
        self.write("new.csv", "a,b\n0,10\n0,60\n")
        for option in (["--top", "1"], ["--summary"]):
            text = self.out("score", "m.model", "new.csv", *option, "--seed", "3")
            self.assertEqual(self.out("score", "m.model", "new.csv", *option, "--seed", "3", "-o", "o.csv"), "")
            self.assertEqual(self.read("o.csv").decode(), text)
            self.run_program("score", "m.model", "new.csv", *option, "-o", "o.npy", code=2)
            self.run_program("score", "m.model", "new.csv", *option, "-o", "-", "--json", "-", code=2)

    def test_rows_are_numbered_as_in_the_file_and_names_are_quoted(self):
        self.write("odd.csv", '"a ""x"", y",b\n' + "".join(f"{x},{y}\n" for x in (-1, 1) for y in (8, 12)))
        self.fit("odd.csv", "odd.model")
        self.write("gaps.csv", '"a ""x"", y",b\nNA,1\n0,10\n,3\nNA,4\n0,11\n99,10\n1,NA\n')
        text = self.out("score", "odd.model", "gaps.csv", "--missing", "drop", "--top", "3")
        table = list(csv.reader(text.splitlines()))
        self.assertEqual([row[0] for row in table[1:]], ["5", "4", "1"])
        self.assertEqual({len(row) for row in table}, {5})
        self.assertTrue(table[1][-1].startswith('a "x", y=99 '))
        self.write("gaps.csv", "0,10\nNA,1\n99,10\n")
        entry = self.json("score", "odd.model", "gaps.csv", "--missing", "drop", "--top", "1")["top"][0]
        self.assertEqual(entry["row"], 2)

    def test_rows_far_outside_have_a_finite_log_density_and_a_flag(self):
        self.generate("two-spirals", 400, "train.csv")
        self.write("far.csv", "x0,x1\n1e6,0\n-1e9,1e9\n0.1,0.2\n")
        for kind, more in (("rbig", ["--layers", "3"]), ("gf", GF)):
            self.fit("train.csv", "f.model", kind, *more)
            scored = rows(self.run_program("score", "f.model", "far.csv", "--tail").stdout)
            self.assertTrue(all(math.isfinite(row[0]) for row in scored))
            self.assertEqual([row[2] for row in scored[:2]], [1, 1])

    def test_contradictions(self):
        self.run_program("score", "m.model", "data.csv", "--summary", "--tail", code=2)
        self.run_program("score", "-", "-", code=2)
        self.run_program("score", "data.csv", "data.csv", code=4)


class SampleAndTransform(ProgramTest):
    def test_a_sample_has_the_law_and_the_names(self):
        self.write("data.csv", "a,b\n" + "".join(f"{x},{y}\n" for x in (-1, 1) for y in (8, 12)))
        self.fit("data.csv")
        text = self.out("sample", "m.model", "-n", "5000", "--seed", "3")
        drawn = rows(text)
        self.assertEqual((text.splitlines()[0], len(drawn)), ("a,b", 5000))
        mean = sum(row[1] for row in drawn) / 5000
        self.assertLess(abs(mean - 10), 5 * 2 / math.sqrt(5000))
        self.assertTrue(text.startswith(self.out("sample", "m.model", "-n", "300", "--seed", "3")))
        self.assertNotEqual(text, self.out("sample", "m.model", "-n", "5000", "--seed", "4"))
        self.run_program("sample", "m.model", code=2)

    def test_layers_of_the_paper_are_an_option(self):
        self.generate("two-spirals", 300)
        self.fit("data.csv", "straight.model", "gf", *GF)
        self.fit("data.csv", "paper.model", "gf", *GF, "--layer", "paper")
        result = self.json("inspect", "paper.model")
        self.assertEqual(result["options"]["layer"], "paper")
        self.assertEqual(result["layers"][-1]["marginal"], "mixtures of 6 kernels, by normal quantile")
        self.assertEqual(self.json("inspect", "straight.model")["options"]["layer"], "straight")
        drawn = self.json("sample", "straight.model", "-n", "20000")
        self.assertEqual(drawn["redrawn"], 0)
        self.assertLess(max(abs(x) for row in drawn["values"] for x in row), 12)
        self.assertIn("straight", self.run_program("fit", "data.csv", "-m", "gf", "-o", "x", "--layer", "bent",
                                                   code=2).stderr)

    def test_there_and_back(self):
        self.generate("pinwheel", 300)
        self.fit("data.csv", "m.model", "rbig", "--layers", "4")
        self.out("transform", "m.model", "data.csv", "-o", "z.csv")
        self.assertTrue(self.read("z.csv").startswith(b"z0,z1\n"))
        back = rows(self.out("transform", "m.model", "z.csv", "--inverse"))
        for there, again in zip(rows(self.read("data.csv").decode()), back):
            for x, y in zip(there, again):
                self.assertAlmostEqual(x, y, delta=1e-9 * (1 + abs(x)))

    def test_a_pipeline_through_standard_streams(self):
        script = ('"$0" generate two-spirals -n 500 --quiet | "$0" fit - --model rbig --layers 3 -o - --quiet | '
                  'tee m.model | "$0" sample - -n 200 -o drawn.csv --quiet && '
                  'cat drawn.csv | "$0" score m.model - --summary --quiet')
        done = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", script, PROGRAM], cwd=self.folder, timeout=1000,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("rows 200\n", done.stdout)

    def test_json_takes_all_of_standard_output(self):
        self.write("data.csv", "a,b\n1,2\n2,5\n3,1\n")
        self.fit("data.csv")
        result = self.json("sample", "m.model", "-n", "3")
        self.assertEqual((result["columns"], len(result["values"]), len(result["values"][0])), (["a", "b"], 3, 2))
        result = self.json("transform", "m.model", "data.csv", "-o", "z.npy")
        self.assertEqual((result["output"], result["rows"]), ("z.npy", 3))
        self.assertNotIn("values", result)
        self.assertTrue(self.read("z.npy").startswith(b"\x93NUMPY"))
        self.run_program("sample", "m.model", "-n", "3", "--json", "-", "-o", "-", code=2)


class Inspect(ProgramTest):
    def test_what_a_model_holds(self):
        self.generate("two-spirals", 200)
        self.fit("data.csv", "m.model", "gf", *GF)
        result = self.json("inspect", "m.model")
        self.assertEqual(result["bytes"], os.path.getsize(self.path("m.model")))
        self.assertEqual(result["options"]["anchors"], 6)
        marginals = [layer["marginal"] for layer in result["layers"]]
        self.assertEqual(marginals[-2:], ["mixtures of 6 kernels, by logit", "logistic to normal"])
        self.assertEqual(result["calibration_rows"], 20)
        self.assertIn("mixtures of 6 kernels", self.out("inspect", "m.model"))
        with open(self.path("m.model"), "rb") as file:
            self.assertEqual(json.loads(self.out("inspect", "-", "--json", "-", stdin=file))["kind"], "gf")

    def test_other_files_are_refused(self):
        self.generate("two-spirals", 20)
        self.run_program("inspect", "data.csv", code=4)
        self.run_program("inspect", "none.model", code=4)


class Generate(ProgramTest):
    def test_distributions(self):
        names = [distribution["name"] for distribution in self.json("generate", "--list")["distributions"]]
        self.assertIn("two-spirals", names)
        for name in names:
            text = self.out("generate", name, "-n", "7", "--seed", "2")
            self.assertEqual(len(rows(text)), 7)
            self.assertEqual(text, self.out("generate", name, "-n", "7", "--seed", "2", "--threads", "2"))
            self.assertIn(name, self.out("generate", "--list"))
        self.assertIn("did you mean 'two-spirals'?", self.run_program("generate", "two-spiral", "-n", "5", code=2).stderr)
        self.run_program("generate", "two-spirals", code=2)
        self.run_program("generate", "two-spirals", "-n", "5", "--dimension", "3", code=2)

    def test_one_signal_ends_it(self):
        process = subprocess.Popen([PROGRAM, "generate", "rings", "-n", "4e7", "-o", "x.csv"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)

        def caught():  # whether it has a handler for SIGINT by now
            status = open(f"/proc/{process.pid}/status", encoding="ascii").read()
            return int(re.search(r"SigCgt:\s*(\w+)", status).group(1), 16) >> (signal.SIGINT - 1) & 1

        while not caught():
            self.assertIsNone(process.poll())
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=1000)
        self.assertEqual((process.returncode, words), (130, "gaussianize: interrupted\n"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_true_log_density(self):
        self.out("generate", "gaussian", "-n", "4", "--dimension", "1", "--true-log-density", "t.csv", "-o", "x.csv")
        for (x,), (log_p,) in zip(rows(self.read("x.csv").decode()), rows(self.read("t.csv").decode())):
            self.assertAlmostEqual(log_p, -0.5 * x * x - 0.5 * math.log(2 * math.pi), places=12)


if __name__ == "__main__":
    main()
