"""coverage.py BUILD: line coverage of lib from the counters that g++ --coverage left in a build folder. Uses gcov alone.

A line counts as run if any of its copies ran: a template or an inline function has one in every source that uses it."""

import collections
import json
import pathlib
import subprocess
import sys


def counters(build):
    """{file: {line: count}} for every file below lib."""
    root = pathlib.Path(__file__).resolve().parent.parent / "lib"
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    # A source that no test linked has notes (.gcno) but no counts: gcov then reports each of its lines as not run.
    for notes in sorted(pathlib.Path(build).resolve().glob("lib/**/*.gcno")):
        done = subprocess.run(["gcov", "--json-format", "--stdout", str(notes)], capture_output=True, text=True,
                              cwd=build)
        for text in done.stdout.splitlines():
            report = json.loads(text)
            for file in report["files"]:
                path = pathlib.Path(report["current_working_directory"], file["file"]).resolve()
                if root not in path.parents:
                    continue
                for line in file["lines"]:
                    lines[str(path.relative_to(root))][line["line_number"]] += line["count"]
    return lines


def ranges(numbers):
    """[1, 2, 3, 7] as 1–3, 7."""
    texts = []
    for number in numbers:
        if texts and number == texts[-1][1] + 1:
            texts[-1][1] = number
        else:
            texts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in texts)


def main():
    lines = counters(sys.argv[1])
    total = run = 0
    for file in sorted(lines):
        missed = sorted(line for line, count in lines[file].items() if count == 0)
        total += len(lines[file])
        run += len(lines[file]) - len(missed)
        share = 100 * (1 - len(missed) / len(lines[file]))
        print(f"{share:6.1f} %  {len(lines[file]):5}  {file}" + (f"  not run: {ranges(missed)}" if missed else ""))
    if total == 0:
        sys.exit("no counters found: run tests/coverage.sh")
    print(f"{100 * run / total:6.2f} % of {total} lines of lib; {total - run} not run")


if __name__ == "__main__":
    main()
