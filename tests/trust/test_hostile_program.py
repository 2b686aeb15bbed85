"""Hostile data through the program, one test a row of docs/hostile_data.md: test_hostile_program.py PROGRAM.

Either the exact message and exit code, with nothing written, or finite numbers that survive the way there and back."""

import math
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "apps"))
from program import PROGRAM, ProgramTest, main, rows  # noqa: E402

RBIG = ["--model", "rbig", "--layers", "3"]
GF = ["--model", "gf", "--layers", "2", "--anchors", "6", "--first-anchors", "12", "--batch", "50", "--epochs", "3"]
MISSING_FIX = "; fill it in, drop such rows (--missing drop), or leave the column out (--columns)"


def normals(count, columns, seed=1):
    draw = random.Random(seed)
    return [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(count)]


def text(table, names="", mark=","):
    lines = [names] if names else []
    return "\n".join(lines + [mark.join(map(repr, row)) for row in table]) + "\n"


GOOD = text(normals(40, 2), "a,b")
LINES = GOOD.splitlines()


def with_line(line, number=6):
    """The good table with one line more; its header is line 1."""
    return "\n".join(LINES[: number - 1] + [line] + LINES[number - 1:]) + "\n"


class Refused(ProgramTest):
    """What is no table of finite numbers."""

    def refuse(self, content, message, *options, file="t.csv", code=3):
        """fit and score say the same, and write nothing."""
        with open(self.path(file), "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        self.say_and_write_nothing(file, message, code, *options)

    def say_and_write_nothing(self, file, message, code, *options):
        self.write("good.csv", GOOD)
        self.fit("good.csv", "m", "gaussian")
        before, model = sorted(os.listdir(self.folder)), self.read("m")
        for command in (["fit", file, *GF, "-o", "m"], ["score", "m", file, "-o", "s"]):
            done = self.run_program(*command, *options, code=code)
            self.assertEqual(done.stderr, f"gaussianize: {file}: {message}\n")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertEqual(self.read("m"), model)

    def same_as_good(self, content, *options, file="t.csv"):
        """The model is that of the good table, byte by byte."""
        self.write("good.csv", GOOD)
        with open(self.path(file), "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        for kind in (RBIG, GF):
            self.out("fit", "good.csv", *kind, "-o", "m")
            self.out("fit", file, *kind, "-o", "n", *options)
            self.assertEqual(self.read("m"), self.read("n"))

    def refuse_cell(self, cell, what):
        self.refuse(with_line("1," + cell), f"line 6, column 1 ('b'): '{cell}' {what}")

    def test_nan(self):
        self.refuse_cell("NaN", "is not a finite number" + MISSING_FIX)
        self.same_as_good(with_line("1,NaN"), "--missing", "drop")

    def test_infinity(self):
        for cell in ("inf", "-inf", "Infinity"):
            self.refuse_cell(cell, "is not a finite number" + MISSING_FIX)
        self.same_as_good(with_line("-Inf,1"), "--missing", "drop")

    def test_na(self):
        self.refuse_cell("NA", "is not a finite number" + MISSING_FIX)
        self.same_as_good(with_line("NA,1"), "--missing", "drop")

    def test_1e400(self):
        self.refuse_cell("-1e400", "exceeds the largest number, 1.8e308; rescale the column")

    def test_0x10(self):
        self.refuse_cell("0x10", "is not a number; write it in decimal digits")

    def test_unicode_minus(self):
        self.refuse_cell("\u22125", "is not a number; it has a typographic minus; replace it by the hyphen-minus "
                                    "'-' of the keyboard")

    def test_empty_file(self):
        self.refuse("", "is empty")

    def test_header_only(self):
        self.refuse("a,b\n", "has a header but no rows below it")

    def test_ragged(self):
        fix = "where the first line has 2; give every line the same number of cells"
        self.refuse(with_line("1,2,3"), "line 6: the line has 3 cells " + fix)
        self.refuse(with_line("1"), "line 6: the line has 1 cell " + fix)

    def test_blank_line_in_the_middle(self):
        self.refuse(with_line(""), "line 6: the line is blank; remove it, or drop such lines (--missing drop)")
        self.same_as_good(with_line(""), "--missing", "drop")

    def test_trailing_delimiter(self):
        self.refuse(with_line("1,2,"), "line 6: the line has 3 cells where the first line has 2; remove the delimiter "
                                       "that ends it")
        everywhere = GOOD.replace("\n", ",\n")
        self.refuse(everywhere, "the header: column 2 (counted from 0) has no name; remove the delimiter that ends the "
                                "lines, name it, or leave it out (--columns)")
        self.same_as_good(everywhere, "--columns", "a,b")

    def test_tabs_in_a_file_named_csv(self):
        tabs = text([[1.5, 2.5], [3.5, 4.5]], "a\tb", "\t")
        self.refuse(tabs, "line 2, column 0 ('a?b'): '1.5?2.5' is not a number; it holds a tab; if tabs separate the "
                          "cells, set --delimiter to tab")
        self.same_as_good(GOOD.replace(",", "\t"), "--delimiter", "tab")

    def test_semicolons_and_decimal_commas(self):
        point = "numbers take a decimal point and no thousands separator; write 1.5, not 1,5"
        self.refuse("a;b\n1,5;2,5\n", f"line 2, column 0 ('a'): '1,5' is not a number; {point}", file="t.txt")
        self.refuse("a;b\n1,5;2,5\n", "line 2: the line has 3 cells where the first line has 1; the first line holds ';': "
                                      "if it separates the cells, set --delimiter to ';'")
        self.refuse("1,5;2,5\n", "line 1: this may be a header or a row: '1' is a number and '5;2' is not; it holds ';': "
                                 "if that separates the cells, set --delimiter to ';'")
        self.refuse("a;b\n1,5;2,5\n", f"line 2, column 0 ('a'): '1,5' is not a number; {point}", "--delimiter", ";")
        self.same_as_good(GOOD.replace(",", ";"), "--delimiter", ";")

    def test_cr_lf_and_byte_order_mark(self):
        self.same_as_good("\ufeff" + GOOD.replace("\n", "\r\n"))

    def test_lone_carriage_returns(self):
        self.refuse(GOOD.replace("\n", "\r"), "line 1: a carriage return has no line feed; end lines with LF or CR LF "
                                              "(tr '\\r' '\\n' converts)")

    def test_utf_16(self):
        self.refuse(GOOD.encode("utf-16"), "is UTF-16 text; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)")
        self.refuse(GOOD.encode("utf-16-le"), "has NUL bytes, as UTF-16 text does; convert it to UTF-8 (iconv -f "
                                              "UTF-16LE -t UTF-8)")

    def test_nul_bytes(self):
        self.refuse(with_line("1,2\0"), "line 6: a NUL byte; this is not a text file, or it is damaged")

    def test_quoted_numbers(self):
        self.same_as_good('"a","b"\n' + "".join('"' + line.replace(",", '","') + '"\n' for line in LINES[1:]))

    def test_a_line_of_100_mb(self):
        self.refuse("x" * 100_000_000 + "\n1\n", "line 1: the line is 100000000 bytes long, and none may be longer than "
                                                 "67108864; end lines with LF or CR LF")
        self.refuse("a\n" + "7" * 100_000_000 + "\n", f"line 2, column 0 ('a'): '{'7' * 80}…' exceeds the largest "
                                                      "number, 1.8e308; rescale the column")

    def test_folders(self):
        os.mkdir(self.path("t.csv"))
        self.say_and_write_nothing("t.csv", "is a folder; give the name of a file in it", 4)
        self.run_program("fit", "good.csv", *RBIG, "-o", "t.csv", code=4)
        self.assertEqual(os.listdir(self.path("t.csv")), [])
        self.assertIn("is a folder", self.run_program("score", "t.csv", "good.csv", code=4).stderr)

    def test_devices(self):
        self.write("good.csv", GOOD)
        done = self.run_program("fit", "/dev/zero", *RBIG, "-o", "m", code=4)
        self.assertIn("/dev/zero: is a device; copy the data to a file and give its name", done.stderr)

    def test_files_that_cannot_be_opened(self):
        os.symlink("t.csv", self.path("t.csv"))
        self.say_and_write_nothing("t.csv", "cannot be opened: Too many levels of symbolic links", 4)
        self.say_and_write_nothing("none.csv", "cannot be opened: No such file or directory", 4)

    def test_unreadable_file(self):
        self.write("t.csv", GOOD)
        os.chmod(self.path("t.csv"), 0)
        os.chmod(self.folder, 0o755)
        # Root may read every file, so that somebody else has to try.
        somebody = {"user": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            self.run_program("--version", **somebody)
        except (AssertionError, OSError):
            self.skipTest("root may read every file, and nobody else may run the program")
        done = self.run_program("measure", "entropy", "t.csv", code=4, **somebody)
        self.assertEqual(done.stderr, "gaussianize: t.csv: cannot be opened: Permission denied\n")


class Pipes(ProgramTest):
    def test_a_pipe_with_a_name_is_as_good_as_a_file(self):
        self.write("good.csv", GOOD)
        self.out("fit", "good.csv", *RBIG, "-o", "m")
        os.mkfifo(self.path("t.csv"))
        writer = threading.Thread(target=self.write, args=("t.csv", GOOD))
        writer.start()
        self.out("fit", "t.csv", *RBIG, "-o", "n")
        writer.join()
        self.assertEqual(self.read("m"), self.read("n"))

    def test_a_model_is_not_read_from_one(self):
        self.write("good.csv", GOOD)
        os.mkfifo(self.path("m"))
        self.assertEqual(self.run_program("score", "m", "good.csv", code=4).stderr,
                         "gaussianize: m: is not a regular file; copy the data to one and give its name\n")

    def test_a_signal_ends_the_wait_for_one(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            name = f"{number}.csv"
            os.mkfifo(self.path(name))
            process = subprocess.Popen([PROGRAM, "fit", name, *RBIG, "-o", "m"], cwd=self.folder,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # Opens once the program has, which then waits for bytes that never come.
            pipe = os.open(self.path(name), os.O_WRONLY)
            process.send_signal(number)
            out, err = process.communicate(timeout=1000)
            os.close(pipe)
            self.assertEqual((process.returncode, out, err), (130, b"", b"gaussianize: interrupted\n"))
            self.assertFalse(os.path.exists(self.path("m")))


class Scored(ProgramTest):
    """New rows that are not like those that were fitted."""

    def setUp(self):
        super().setUp()
        self.write("good.csv", GOOD)
        self.fit("good.csv", "m", "rbig", *RBIG[2:])
        self.fit("good.csv", "g", "gf", *GF[2:])

    def test_wrong_number_of_columns(self):
        for count in (1, 3):
            self.write("t.csv", text(normals(5, count)))
            for command in ("score", "transform"):
                self.assertEqual(self.run_program(command, "m", "t.csv", code=3).stderr,
                                 f"gaussianize: t.csv: has {count} columns and the model 2; choose as many with --columns\n")

    def test_names_that_the_model_does_not_have(self):
        self.write("t.csv", GOOD.replace("a,b", "a,B"))
        self.assertEqual(self.run_program("score", "m", "t.csv", code=3).stderr,
                         "gaussianize: t.csv: lacks 1 of the columns of the model: b; it has a, B\n")

    def test_columns_in_another_order(self):
        table = rows(GOOD)
        self.write("t.csv", text([[y, 0, x] for x, y in table], "b,more,a"))
        done = self.run_program("score", "m", "t.csv")
        self.assertEqual(done.stdout, self.out("score", "m", "good.csv"))
        self.assertIn("note: t.csv: 1 columns that the model does not have are left out\n", done.stderr)
        self.assertIn("note: t.csv: columns put into the order of the model\n", done.stderr)

    def test_rows_far_outside_are_finite_and_flagged(self):
        self.write("t.csv", text([[0, 0], [1e6, 0], [-1e100, 1], [0, -1e150], [1e150, 1e150]]))
        for model in ("m", "g"):
            scored = rows(self.out("score", model, "t.csv", "--tail"))
            self.assertTrue(all(math.isfinite(row[0]) for row in scored))
            self.assertEqual([row[2] for row in scored], [0, 1, 1, 1, 1])
            self.assertTrue(all(row[1] == 1 / 5 for row in scored[1:]))  # four held-out rows tell no smaller probability

    def test_rows_whose_log_density_is_no_number_are_named(self):
        self.write("t.csv", text([[0, 0], [0, 0], [1e200, 0]]))
        far = "the row is too far from the data that were fitted"
        self.assertEqual(self.run_program("score", "m", "t.csv", "--quiet", code=5).stderr,
                         f"gaussianize: the log density is below every number: {far} (row 2)\n")
        self.write("t.csv", text([[0, 0], [0, -1.79e308]]))
        self.assertEqual(self.run_program("score", "g", "t.csv", "--quiet", code=5).stderr,
                         f"gaussianize: the map overflows: {far} (layer 0, dimension 1, row 1)\n")


class Locale(ProgramTest):
    def test_german(self):
        made = shutil.which("localedef") and subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", "--no-archive", self.path("de_DE.UTF-8")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
        if not made:
            self.skipTest("no German locale can be made here")
        german = {**os.environ, "LOCPATH": self.folder, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
        shown = subprocess.run(["locale", "decimal_point"], env=german, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(shown, ",\n")
        self.write("good.csv", GOOD)
        for kind in (RBIG, GF):
            results = []
            for environment in (dict(os.environ, LC_ALL="C"), german):
                fit = self.out("fit", "good.csv", *kind, "--validation-fraction", "0.25", "-o", "m", env=environment)
                results.append((fit, self.read("m"), self.out("score", "m", "good.csv", "--tail", env=environment),
                                self.out("sample", "m", "-n", "2000", env=environment),
                                self.out("inspect", "m", "--json", "-", env=environment)))
            self.assertEqual(results[0], results[1])


if __name__ == "__main__":
    main()
