"""Files that claim or unpack to more than they hold: test_memory.py PROGRAM. The program runs in little memory, so that
a header believed would end it; each file is refused with what is wrong and what to do."""

import gzip
import pathlib
import resource
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "apps"))
from program import ProgramTest, main  # noqa: E402

MEMORY = 800 << 20  # its libraries take a part of it, and gunzip may fill 256 MiB


def npy(shape, size):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(size)


def model(header, claimed=None):
    return struct.pack("<Q", len(header) if claimed is None else claimed) + header


class Memory(ProgramTest):
    def refusal(self, name, content, *command, code=4):
        with open(self.path(name), "wb") as file:
            file.write(content)
        done = self.run_program(*command, code=code, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (MEMORY, MEMORY)), env={"OPENBLAS_NUM_THREADS": "1"})
        self.assertIn(f"{name}: ", done.stderr)
        return done.stderr

    def test_the_limit_leaves_room_for_honest_files(self):
        self.generate("gaussian", 1000)
        with open(self.path("data.csv"), "rb") as file:
            content = gzip.compress(file.read())
        with open(self.path("data.csv.gz"), "wb") as file:
            file.write(content)
        self.run_program("fit", "data.csv.gz", "--model", "rbig", "-o", "m", "--threads", "1", preexec_fn=lambda:
                         resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)), env={"OPENBLAS_NUM_THREADS": "1"})

    def test_numpy_headers(self):
        fit = ("fit", "x.npy", "--model", "gaussian", "-o", "m")
        for shape in ("(1152921504606846976, 2)", "(1152921504606846976,)", "(2, 1152921504606846976)",
                      "(4294967296, 4294967296)", "(100000000, 3)"):
            message = self.refusal("x.npy", npy(shape, 16), *fit)
            self.assertIn("the header promises", message)
            self.assertIn("and 16 follow; write the file again", message)

    def test_idx_headers(self):
        content = b"\0\0\x08\x03" + b"\xff" * 12 + bytes(16)
        self.assertIn("promises", self.refusal("x.idx", content, "fit", "x.idx", "--model", "gaussian", "-o", "m"))

    def test_bombs(self):
        part = gzip.compress(b"0,1\n" * 2_500_000)
        for name, content in (("x.csv.gz", part * 40), ("x.npy.gz", gzip.compress(npy("(1000000000, 1)", 400_000_000), 1))):
            message = self.refusal(name, content, "fit", name, "--model", "gaussian", "-o", "m")
            self.assertIn("exceeds 268435456 bytes when it is unpacked", message)
            self.assertIn("unpack it yourself (gunzip)", message)

    def test_model_headers(self):
        tensors = b'{"a":{"dtype":"F64","shape":[1152921504606846976,2],"data_offsets":[0,16]}}'
        offsets = b'{"a":{"dtype":"F64","shape":[2],"data_offsets":[0,18446744073709551615]}}'
        for content in (model(b"{}", 1 << 60), model(tensors) + bytes(16), model(offsets) + bytes(16),
                        model(b"[" * 100_000), model(b'{"a":' * 100_000), b"\xff" * 8):
            for command in (("inspect", "x.model"), ("sample", "x.model", "-n", "1")):
                self.refusal("x.model", content, *command)

    def test_configurations(self):
        self.run_program("generate", "gaussian", "--config", ".", code=4)
        self.run_program("generate", "gaussian", "--config", "/dev/zero", code=4)
        self.refusal("x.ini", b"n" * 1_000_000, "generate", "gaussian", "--config", "x.ini", code=2)


if __name__ == "__main__":
    main()
