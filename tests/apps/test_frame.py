"""Options, configuration, help, manual pages and completion: test_frame.py PROGRAM."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from program import PROGRAM, ProgramTest, main

COMMANDS = re.findall(r"(?m)^  (\w+) ", subprocess.run([PROGRAM, "--help"], stdout=subprocess.PIPE, text=True).stdout
                      .split("commands:")[1].split("\n\n")[0])
EVERYWHERE = ["seed", "threads", "json", "quiet", "config", "help"]
OF_TABLES = ["columns", "missing", "header", "max-rows", "delimiter"]
WITHOUT_TABLES = ["sample", "inspect", "generate", "prepare", "reproduce"]


class Options(ProgramTest):
    def test_an_unknown_option_is_refused_with_a_guess(self):
        done = self.run_program("generate", "gaussian", "-n", "5", "--sed", "1", code=2)
        self.assertIn("did you mean '--seed'?", done.stderr)
        self.assertIn("'--sed'", done.stderr)
        done = self.run_program("generate", "gaussian", "--frobnicate", code=2)
        self.assertNotIn("did you mean", done.stderr)

    def test_the_programs_own_options_are_guessed_too(self):
        self.assertIn("did you mean '--version'?", self.run_program("--versoin", code=2).stderr)

    def test_options_are_not_abbreviated(self):
        self.run_program("generate", "gaussian", "--row", "5", code=2)

    def test_whole_numbers_are_strict(self):
        for bad in ("-1", "1.5", "abc", "", "1e400", "0x10", " 5", "+5", "nan", "-0", "1e30"):
            done = self.run_program("generate", "gaussian", f"--rows={bad}", code=2)
            self.assertIn("--rows", done.stderr)
        done = self.run_program("generate", "gaussian", "-n", "5", "--seed", "-1", code=2)
        self.assertIn("--seed", done.stderr)
        self.assertEqual(self.out("generate", "gaussian", "-n", "1e1"), self.out("generate", "gaussian", "-n10"))
        self.assertEqual(self.out("generate", "gaussian", "-n", "5", "--seed", 2**64 - 1).count("\n"), 6)
        self.run_program("generate", "gaussian", "-n", "5", "--seed", 2**64, code=2)

    def test_numbers_and_choices_are_strict(self):
        done = self.run_program("fit", "x.csv", "--model", "gf", "-o", "m", "--learning-rate", "fast", code=2)
        self.assertIn("--learning-rate", done.stderr)
        done = self.run_program("fit", "x.csv", "--model", "rbgi", "-o", "m", code=2)
        self.assertIn("did you mean 'rbig'?", done.stderr)

    def test_too_few_and_too_many_arguments(self):
        self.assertIn("DATA is missing", self.run_program("fit", "--model", "rbig", "-o", "m", code=2).stderr)
        self.assertIn("one argument too many", self.run_program("inspect", "a", "b", code=2).stderr)

    def test_a_value_is_missing_or_given_twice(self):
        self.run_program("generate", "gaussian", "-n", code=2)
        self.run_program("generate", "gaussian", "-n", "5", "-n", "6", code=2)

    def test_what_is_wrong_with_an_option_is_said(self):
        for arguments, message in [
            (["-n"], "'--rows' needs a value"),
            (["--rows="], "'--rows' has nothing behind its ="),
            (["--quiet=yes"], "'--quiet' takes no value"),
            (["-n", "5", "--rows", "6"], "'--rows' is given more than once"),
            (["--%option%="], "'--%option%' has nothing behind its ="),
            (["--%canonical_option%"], "there is no option '--%canonical_option%'"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(message, self.run_program("generate", "gaussian", *arguments, code=2).stderr)

    def test_a_configuration_file_counts_as_typed_and_typing_wins(self):
        self.write("c.ini", "rows=4\nseed=3\nquiet=true\n")
        typed = self.run_program("generate", "gaussian", "-n", "4", "--seed", "3").stdout
        self.assertEqual(self.run_program("generate", "gaussian", "--config", "c.ini").stdout, typed)
        self.assertEqual(self.run_program("generate", "gaussian", "--config", "c.ini", "-n", "2").stdout.count("\n"), 3)

    def test_unknown_keys_of_a_configuration_are_errors(self):
        self.write("c.ini", "row=4\n")
        done = self.run_program("generate", "gaussian", "--config", "c.ini", code=2)
        self.assertIn("c.ini", done.stderr)
        self.assertIn("did you mean '--rows'?", done.stderr)
        self.write("c.ini", "rows=many\n")
        self.run_program("generate", "gaussian", "--config", "c.ini", code=2)
        self.run_program("generate", "gaussian", "--config", "none.ini", code=4)

    def test_a_line_of_a_configuration_that_is_wrong_is_named(self):
        for text, line, message in [
            ("seed=1\n\nrows=many\n", 3, "--rows is 'many'"),
            ("quiet=%value%\n", 1, "a switch is true or false"),
            ("[%invalid_line%\n", 1, "a configuration has none"),
            ("rows=4\nrows=5\n", 2, "'rows' stands in line 1 already"),
            ("quiet\n", 1, "a switch is option=true"),
            ("=4\n", 1, "names no option"),
            ("config=b.ini\n", 1, "cannot take in another"),
            ("rows=4\0\n", 1, "zero byte"),
            ("x" * 1000000 + "=1\n", 1, "there is no option 'xxx"),
        ]:
            with self.subTest(text=text[:40]):
                self.write("c.ini", text)
                done = self.run_program("generate", "gaussian", "--config", "c.ini", code=2)
                self.assertIn(f"c.ini: line {line}: ", done.stderr)
                self.assertIn(message, done.stderr)
                self.assertLess(len(done.stderr), 1000)

    def test_remarks_blanks_and_line_ends_of_a_configuration(self):
        self.write("c.ini", "\ufeff# a remark\r\n  rows = 4  # another\r\n\r\nseed=3\r\nquiet = on")
        typed = self.run_program("generate", "gaussian", "-n", "4", "--seed", "3").stdout
        self.assertEqual(self.run_program("generate", "gaussian", "--config", "c.ini").stdout, typed)

    def test_options_without_use_are_refused(self):
        done = self.run_program("generate", "gaussian", "-n", "5", "--columns", "a", code=2)
        self.assertIn("there is no option '--columns'", done.stderr)

    def test_an_unknown_column_is_refused_with_the_nearest(self):
        self.write("t.csv", "height,weight\n1,2\n3,5\n")
        fit = ("fit", "t.csv", "-m", "gaussian", "-o", "m", "--columns")
        self.assertEqual(self.run_program(*fit, "hieght", code=2).stderr,
                         "gaussianize: t.csv: there is no column 'hieght'; there are 'height', 'weight'; "
                         "did you mean 'height'?\n")
        self.assertNotIn("did you mean", self.run_program(*fit, "colour", code=2).stderr)

    def test_what_is_read_is_not_written(self):
        self.generate("gaussian", 50)
        before = self.read("data.csv")
        for arguments, message in (
                (("fit", "data.csv", "-m", "gaussian", "-o", "data.csv"), "would replace DATA"),
                (("fit", "data.csv", "-m", "gaussian", "-o", "./data.csv"), "would replace DATA"),
                (("fit", "data.csv", "-m", "gaussian", "-o", "m", "--json", "m"), "both write m"),
                (("generate", "gaussian", "-n", "5", "-o", "-", "--true-log-density", "-"), "both write to standard")):
            self.assertIn(message, self.run_program(*arguments, code=2).stderr)
        self.assertEqual(self.read("data.csv"), before)
        self.assertEqual(os.listdir(self.folder), ["data.csv"])

    def test_words_and_options_are_called_what_they_are(self):
        self.assertIn("measure: QUANTITY is 'foo'", self.run_program("measure", "foo", code=2).stderr)
        self.write("c.ini", "--rows=4\n")
        self.assertIn("'--rows' begins with a dash",
                      self.run_program("generate", "gaussian", "--config", "c.ini", code=2).stderr)

    def test_a_closed_standard_output_is_no_success(self):
        for arguments in (["generate", "gaussian", "-n", "5"], ["generate", "--list"], ["--version"]):
            done = subprocess.run(["/bin/sh", "-c", '"$0" "$@" >&-', PROGRAM, *arguments], cwd=self.folder,
                                  stderr=subprocess.PIPE, text=True, timeout=1000)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("standard output", done.stderr)


class Help(ProgramTest):
    def test_every_command_has_help_with_options_and_examples(self):
        for command in COMMANDS:
            for arguments in ([command, "--help"], ["help", command], [command, "-h", "--nonsense"]):
                done = self.run_program(*arguments)
                self.assertEqual(done.stderr, "")
                self.assertTrue(done.stdout.startswith(f"usage: gaussianize {command}"))
                for option in EVERYWHERE:
                    self.assertRegex(done.stdout, rf"(?m)^  (-\w, )?--{option}\b")
                for option in OF_TABLES:
                    self.assertEqual(f"\n  --{option} " in done.stdout, command not in WITHOUT_TABLES)
                self.assertRegex(done.stdout, r"(?m)^examples?:\n  gaussianize ")
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)

    def test_the_document_lists_the_options_of_a_fit_as_the_help_does(self):
        text = self.run_program("fit", "--help").stdout
        shown = re.search(r"(?ms)^RBIG and GF:.*?(?=^Reading tables:)", text).group().rstrip()
        document = (Path(__file__).parents[2] / "docs/command_line.md").read_text(encoding="utf-8")
        self.assertIn("\n".join("    " + line if line else "" for line in shown.split("\n")), document,
                      "put this into the section fit of docs/command_line.md")

    def test_every_example_runs(self):
        shutil.copy(PROGRAM, self.path("gaussianize"))
        environment = {**os.environ, "PATH": self.folder + os.pathsep + os.environ["PATH"]}
        for command in COMMANDS:
            text = self.run_program(command, "--help").stdout
            folder = self.path(command)
            os.mkdir(folder)
            for example in re.split(r"(?m)^examples?:\n", text)[1].splitlines():
                done = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", example.strip()], cwd=folder,
                                      env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True, timeout=1000)
                self.assertEqual(done.returncode, 0, f"{example}\n{done.stderr}")

    def test_manual_pages_name_every_option(self):
        os.mkdir(self.path("man"))
        self.run_program("--generate-man", "man")
        self.assertEqual(sorted(os.listdir(self.path("man"))),
                         sorted(["gaussianize.1"] + [f"gaussianize-{c}.1" for c in COMMANDS]))
        for command in COMMANDS:
            page = self.read(f"man/gaussianize-{command}.1").decode()
            for option in re.findall(r"(?m)^  (?:-\w, )?--([\w-]+)", self.run_program(command, "--help").stdout):
                self.assertIn("\\-\\-" + option.replace("-", "\\-"), page)
            if shutil.which("groff"):
                done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-k"], input=page.encode(),
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_completion_scripts(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.run_program("--generate-completion", shell).stdout
            for command in COMMANDS:
                self.assertIn(command, script)
            self.assertIn("true-log-density", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, text=True, check=True)
        self.run_program("--generate-completion", "csh", code=2)

    def test_bash_completes(self):
        self.write("complete.sh", self.run_program("--generate-completion", "bash").stdout)

        def complete(*words):
            quoted = " ".join(f"'{word}'" for word in words)
            script = (f". ./complete.sh; COMP_WORDS=(gaussianize {quoted}); COMP_CWORD={len(words)}; _gaussianize; "
                      'printf "%s\\n" "${COMPREPLY[@]}"')
            return subprocess.run(["bash", "-c", script], cwd=self.folder, stdout=subprocess.PIPE, text=True,
                                  check=True).stdout.split()

        self.assertEqual(complete("comp"), ["compare"])
        self.assertEqual(complete("fit", "--lea"), ["--learning-rate"])
        self.assertEqual(complete("fit", "--model", ""), ["rbig", "gf", "gaussian"])
        self.assertEqual(complete("fit", "compl"), ["complete.sh"])
        self.assertEqual(complete("generate", "two"), ["two-spirals"])
        self.assertEqual(complete("compare", "--toy", "pin"), ["pinwheel"])


if __name__ == "__main__":
    main()
