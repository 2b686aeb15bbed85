"""prepare and reproduce: every experiment from end to end, at a tiny scale on rows that the test makes."""

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import time

from program import PROGRAM, ProgramTest, main

TINY = ("--scale", "0.0001", "--data", "sets", "-o", "out")


class Reproduce(ProgramTest):
    def make_tables(self, *names, dimension=3, rows=700):
        for name in names:
            os.makedirs(self.path(f"sets/{name}"))
            for seed, part in enumerate(("train", "val", "test")):
                self.out("generate", "sine-chain", "-n", rows if part == "train" else 300, "--dimension", dimension,
                         "--seed", seed, "-o", f"sets/{name}/{part}.npy")

    def make_images(self, name, images=620, side=8):
        """IDX files of blobs."""
        os.makedirs(self.path(f"sets/{name}"))
        draw = random.Random(1)
        for part in ("train", "t10k"):
            pixels = bytearray()
            for _ in range(images):
                cx, cy = draw.uniform(2, 6), draw.uniform(2, 6)
                for i in range(side * side):
                    distance = (i // side - cy) ** 2 + (i % side - cx) ** 2
                    pixels.append(max(0, min(255, int(255 * 2.718 ** (-distance / 4) + draw.uniform(0, 20)))))
            header = bytes([0, 0, 8, 3]) + b"".join(n.to_bytes(4, "big") for n in (images, side, side))
            with open(self.path(f"sets/{name}/{part}-images-idx3-ubyte"), "wb") as file:
                file.write(header + pixels)

    def reproduce(self, experiment):
        """Runs it twice: the second time it finds everything done and changes no number."""
        first = self.json("reproduce", experiment, *TINY)
        self.assertTrue(first["complete"])
        self.assertGreater(len(first["records"]), 0)
        for record in first["records"]:
            self.assertIsInstance(record["value"], float, record)
        folder = f"out/{experiment}"
        page = self.read(f"{folder}/report.html").decode()
        self.assertIn("<html", page)
        with open(self.path(f"{folder}/results.csv"), newline="", encoding="utf-8") as file:
            self.assertEqual(len(list(csv.DictReader(file))), len(first["records"]))
        again = self.json("reproduce", experiment, *TINY)
        self.assertEqual(again["records"], first["records"])
        return first["records"]

    def test_toys(self):
        records = self.reproduce("toys")
        self.assertEqual(len(records), 4 * 2 * 2)
        for record in records:
            if record["quantity"] == "above the truth":
                self.assertGreater(record["value"], -4 * record["standard_error"], "better than the truth")

    def test_tables_as_the_paper_ran_them(self):
        self.make_tables("power")
        records = self.reproduce("tabular")
        self.assertEqual([(r["model"], r["paper"]) for r in records],
                         [("RBIG", 1.02), ("RBIG", None), ("GF", -0.57), ("GF", None)])
        only = self.run_program("reproduce", "tabular", *TINY, "--only", "no such part", code=0)
        self.assertIn("GF", only.stdout)  # what an earlier run did is shown all the same

    def test_only_some_parts(self):
        self.make_tables("power")
        done = self.out("reproduce", "rbig", *TINY, "--only", "ica")
        self.assertIn("ica", done)
        self.assertNotIn("random", done)
        self.assertIn("none of the", self.run_program("reproduce", "toys", *TINY, "--only", "nothing", code=2).stderr)

    def test_small_sets_and_starts(self):
        self.make_tables("power", rows=1500)
        self.assertEqual({r["variant"] for r in self.reproduce("small")}, {"500 rows"})
        starts = {r["variant"] for r in self.reproduce("initialisation")}
        self.assertEqual(starts, {"quantiles", "random rows"})

    def test_without_a_training_file_the_validation_rows_are_split(self):
        self.make_tables("power")
        os.remove(self.path("sets/power/train.npy"))
        done = self.run_program("reproduce", "rbig", *TINY)
        self.assertIn("270 rows of val.npy", self.read("out/rbig/report.html").decode())
        self.assertIn("lowest test NLL", done.stdout)

    def test_stretching_by_an_affine_map_loses_nothing(self):
        self.make_tables("power")
        records = [r for r in self.reproduce("stretched") if "original" in r["quantity"]]
        for model in ("GF", "GF, defaults"):
            nll = {r["variant"]: r["value"] for r in records if r["model"] == model}
            self.assertEqual(set(nll), {"unstretched", "cube", "affine"})
            self.assertLess(abs(nll["affine"] - nll["unstretched"]), 0.02, model)

    def test_rotations_of_rbig(self):
        self.make_tables("power")
        records = self.reproduce("rbig")
        self.assertEqual({r["variant"] for r in records}, {"pca", "ica", "random"})

    def test_images(self):
        self.make_images("mnist")
        records = self.reproduce("images")
        self.assertEqual({r["quantity"] for r in records}, {"bits per dimension"})
        self.assertEqual(len(records), 5)
        for record in records:
            self.assertLess(record["value"], 8, "pixels of 8 bits")
        if shutil.which("gnuplot"):
            self.assertEqual(self.read("out/images/mnist-GF-patch.png")[:8], b"\x89PNG\r\n\x1a\n")

    def test_budget(self):
        """A fit that runs out of time is left for another run, whichever model it is of."""
        self.make_tables("power", dimension=6, rows=3000)
        command = ["reproduce", "rbig", "--scale", "0.5", "--data", "sets", "-o", "out"]
        done = self.json(*command, "--budget", "0.0001")
        self.assertFalse(done["complete"])
        self.assertEqual(done["records"], [])

    def test_refusals(self):
        self.run_program("reproduce", "tabular", "--data", "nowhere", "-o", "out", code=3)
        self.assertIn("did you mean", self.run_program("reproduce", "toy", code=2).stderr)
        self.assertIn("(0, 1]", self.run_program("reproduce", "toys", "--scale", "2", "-o", "out", code=2).stderr)
        self.make_tables("power")
        self.out("reproduce", "rbig", *TINY)
        other = self.run_program("reproduce", "rbig", *TINY, "--seed", "5", code=4)
        self.assertIn("results of another run", other.stderr)
        self.write("out/rbig/results.json", "{")
        self.assertIn("not the results", self.run_program("reproduce", "rbig", *TINY, code=4).stderr)

    def test_ctrl_c_keeps_what_there_is_and_the_next_run_goes_on(self):
        self.make_tables("power", dimension=6, rows=3000)
        command = ["reproduce", "tabular", "--scale", "0.05", "--data", "sets", "-o", "out"]
        # After less time where the machine is so fast that the fit is over before.
        for delay in (0.5, 0.2, 0.1, 0.05, 0.02, 0):
            running = subprocess.Popen([PROGRAM, *command], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            for line in running.stderr:
                if "power GF" in line:
                    break
            time.sleep(delay)
            running.send_signal(signal.SIGINT)
            _, words = running.communicate(timeout=1000)
            with open(self.path("out/tabular/results.json"), encoding="utf-8") as file:
                cells = json.load(file)["cells"]
            if not cells["power GF"]["complete"]:
                break
            shutil.rmtree(self.path("out"))
        self.assertEqual(running.returncode, 130, words)
        self.assertIn("goes on from here", words)
        self.assertTrue(cells["power RBIG"]["complete"])
        self.assertFalse(cells["power GF"]["complete"])
        finished = self.json(*command)
        self.assertTrue(finished["complete"])

        # The same as a run that was never interrupted.
        whole = self.json(*command[:-1], "whole")
        self.assertEqual([r["value"] for r in finished["records"]], [r["value"] for r in whole["records"]])

    def test_prepare(self):
        sets = {entry["name"] for entry in self.json("prepare", "--list")["sets"]}
        self.assertEqual(sets, {"power", "gas", "hepmass", "miniboone", "bsds300", "mnist", "fashion-mnist"})
        self.make_images("mnist", images=11000, side=2)
        self.run_program("prepare", "mnist", "sets/mnist", code=3)  # four pixels are no MNIST
        os.makedirs(self.path("empty"))
        self.assertIn("there is no household_power_consumption.txt",
                      self.run_program("prepare", "power", "empty", code=4).stderr)
        draw = random.Random(2)
        with open(self.path("empty/household_power_consumption.txt"), "w", encoding="utf-8") as file:
            file.write("Date;Time;Global_active_power;Global_reactive_power;Voltage;Global_intensity;Sub_metering_1;"
                       "Sub_metering_2;Sub_metering_3\n")
            for i in range(400):
                file.write(f"16/12/2006;{i // 60:02}:{i % 60:02}:00;{draw.uniform(0, 9):.3f};{draw.uniform(0, 1):.3f};"
                           f"{draw.uniform(223, 254):.2f};{draw.uniform(0, 40):.1f};{draw.randint(0, 80)};"
                           f"{draw.randint(0, 80)};{draw.randint(0, 20)}\n")
        made = self.json("prepare", "power", "empty", "-o", "sets/power")
        self.assertEqual(made["shapes"], {"train": [324, 6], "val": [36, 6], "test": [40, 6]})
        self.assertEqual(made["published_gaussian_test_nll"], 7.74)
        self.assertEqual(sorted(os.listdir(self.path("sets/power"))), ["test.npy", "train.npy", "val.npy"])


if __name__ == "__main__":
    main()
