"""The C++ that the documents show is the C++ that is compiled: test_docs.py ROOT.

A ```cpp block is preceded by a line <!-- docs/examples/x.cpp -->. Its paragraphs, parted by blank lines, stand in that
file word for word and in that order, as whole lines; only the indentation common to a paragraph's lines is free.
"""

import re
import sys
import textwrap
import unittest
from pathlib import Path

DOCUMENTS = ["README.md", "docs/library.md"]
BLOCK = re.compile(r"(?:^<!-- (\S+) -->\n)?^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find_paragraph(paragraph, lines, start):
    """The line after the paragraph's first occurrence in lines[start:], or None."""
    wanted = textwrap.dedent(paragraph).split("\n")
    for first in range(start, len(lines) - len(wanted) + 1):
        if textwrap.dedent("\n".join(lines[first:first + len(wanted)])).split("\n") == wanted:
            return first + len(wanted)
    return None


def drift(text, read):
    """What in a document's C++ is not in its files; read(name) gives a file's text, or None."""
    wrong = []
    for name, block in BLOCK.findall(text):
        source = read(name) if name else None
        if source is None:
            wrong.append(f"no file <!-- {name} --> before the block:\n{block}")
            continue
        lines, start = source.split("\n"), 0
        for paragraph in re.split(r"\n\s*\n", block.strip("\n")):
            end = find_paragraph(paragraph, lines, start)
            if end is None:
                wrong.append(f"not in {name}, or not in this order:\n{paragraph}")
            else:
                start = end
    return wrong


class Docs(unittest.TestCase):
    def test_documents_show_what_is_compiled(self):
        lists = (ROOT / "tests/examples/CMakeLists.txt").read_text(encoding="utf-8")
        built = re.search(r"foreach\(name ([^)]*)\)", lists).group(1).split()

        def read(name):
            path = ROOT / name
            return path.read_text(encoding="utf-8") if path.is_file() and path.stem in built else None

        for document in DOCUMENTS:
            text = (ROOT / document).read_text(encoding="utf-8")
            self.assertTrue(BLOCK.search(text), f"{document} shows no C++")
            self.assertEqual("\n".join(drift(text, read)), "", document)
        self.assertEqual(sorted(built), sorted(path.stem for path in (ROOT / "docs/examples").glob("*.cpp")))

    def test_links_lead_to_files(self):
        for document in DOCUMENTS:
            path = ROOT / document
            prose = BLOCK.sub("", path.read_text(encoding="utf-8"))
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
                self.assertTrue((path.parent / link).exists(), f"{document}: {link}")

    def test_headers_exist(self):
        for document in DOCUMENTS:
            for header in re.findall(r"\b[a-z]+/\w+\.hpp", (ROOT / document).read_text(encoding="utf-8")):
                self.assertTrue(any((ROOT / folder / header).is_file() for folder in ("lib", "lib/gaussianize")),
                                f"{document}: {header}")


class DriftIsFound(unittest.TestCase):
    SOURCE = "int main() {\n  int a = 1;\n\n  if (a)\n    return a;\n}\n"

    def drift(self, block, name="<!-- a.cpp -->\n"):
        return drift(f"Text.\n\n{name}```cpp\n{block}```\n", lambda name: self.SOURCE if name == "a.cpp" else None)

    def test_whole_lines_pass_at_any_indentation(self):
        self.assertEqual(self.drift("int a = 1;\n\nif (a)\n  return a;\n"), [])
        self.assertEqual(self.drift("int main() {\n  int a = 1;\n"), [])

    def test_each_mistake_is_found(self):
        for block in ["int a = 2;\n", "int a\n", "if (a)\nreturn a;\n", "return a;\n\nint a = 1;\n", "int a = 1;\n\nint a = 1;\n"]:
            self.assertEqual(len(self.drift(block)), 1, block)
        self.assertEqual(len(self.drift("int a = 1;\n", name="")), 1)
        self.assertEqual(len(self.drift("int a = 1;\n", name="<!-- b.cpp -->\n")), 1)


if __name__ == "__main__":
    ROOT = Path(sys.argv.pop(1)).resolve()
    unittest.main()
