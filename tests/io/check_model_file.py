"""Reads files with json and numpy alone and compares them with what small_model.hpp and small_checkpoint.hpp put there."""

import json
import math
import os
import struct
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("[skipped] numpy is not installed for", sys.executable)
    sys.exit(77)

TYPES = {"F64": "<f8", "I64": "<i8", "U64": "<u8", "U32": "<u4", "U8": "u1"}
D = 3


def crc64(data):
    """CRC-64/XZ, bit by bit."""
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xC96C5795D7870F42 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFFFFFFFFFF


def read(raw):
    (length,) = struct.unpack("<Q", raw[:8])
    assert length % 8 == 0
    header = json.loads(raw[8 : 8 + length].decode("utf-8"))
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        dtype = np.dtype(TYPES[entry["dtype"]])
        assert begin % dtype.itemsize == 0, name
        tensors[name] = np.frombuffer(raw[begin:end], dtype).reshape(entry["shape"])
    return metadata, tensors


def check_checksum(raw, metadata):
    digits = metadata["checksum"].encode()
    assert len(digits) == 16 and raw.count(digits) == 1
    assert "%016x" % crc64(raw.replace(digits, b"0" * 16)) == metadata["checksum"]


def check_equal(tensors, expected):
    assert set(tensors) == set(expected), set(tensors) ^ set(expected)
    for name, array in expected.items():
        assert tensors[name].shape == np.shape(array), name
        np.testing.assert_allclose(tensors[name], array, rtol=1e-13, atol=1e-14, err_msg=name)


def check_metadata(metadata):
    assert metadata["format"] == "gaussianize-model" and metadata["format_version"] == "2"
    assert metadata["kind"] == "rbig" and metadata["dimension"] == str(D) and metadata["layers"] == "2"
    assert json.loads(metadata["structure"]) == ["identity affine", "orthogonal tables"]
    assert json.loads(metadata["columns"]) == ['größe "%d"\n' % d for d in range(D)]
    assert json.loads(metadata["options"]) == {"rotation": "pca", "": "\\ / \t", "zero": "a\0b"}
    assert json.loads(metadata["summary"]) == {"test_nll": "1.25"}


def check_small(metadata, tensors):
    check_metadata(metadata)
    d = np.arange(D)
    expected = {
        "calibration": [-7.5, -0.1, -0.1, 2.25],
        "layer.0000.affine.shift": 1.0 / 3.0 - d,
        "layer.0000.affine.scale": 0.1 * (d + 1),
    }
    position = np.array([-2.0, -1.0, -0.5, 0.0, 1.0, 1.5, 2.0])
    value = position + np.array([math.sin(x) for x in position]) / 10
    log_cdf = lambda z: math.log(0.5 * math.erfc(-z / math.sqrt(2)))
    table = {
        "segment.offsets": 2 * np.arange(D + 1),
        "segment.begin": np.tile([-2.0, 1.0], D),
        "segment.cell_width": np.tile([1.0, 0.5], D),
        "segment.first_cell": np.tile([0, 2], D),
        "segment.cells": np.tile([2, 2], D),
        "cell.offsets": 4 * np.arange(D + 1),
        "cell.knot": np.tile([0, 1, 4, 5], D),
        "cell.level": np.tile([0, 1, 0, 0], D),
        "knot.offsets": 7 * np.arange(D + 1),
        "knot.position": np.tile(position, D),
        "knot.value": np.tile(value, D),
        "knot.slope": np.tile(1 + np.array([math.cos(x) for x in position]) / 10, D),
        "main_segment": np.full(D, 1),
        "lower.log_mass": np.full(D, log_cdf(value[0])),
        "lower.rate": np.full(D, 2.5),
        "lower.shape": np.full(D, 0.25),
        "upper.log_mass": np.full(D, log_cdf(-value[-1])),
        "upper.rate": np.full(D, 1.5),
        "upper.shape": np.full(D, 0.0),
        "bandwidth": np.full(D, 0.1),
        "blend": d / D,
        "shift": np.full(D, -0.0),
        "scale": np.full(D, 1.25),
    }
    expected.update({"layer.0001.table." + name: array for name, array in table.items()})
    q, _ = np.linalg.qr(np.sin(np.arange(1.0, D * D + 1)).reshape(D, D).T)  # columns first, as Armadillo fills
    expected["layer.0001.rotation.q"] = q * np.sign(q[0]) * np.sign(tensors["layer.0001.rotation.q"][0])

    check_equal(tensors, expected)
    assert not np.allclose(q, q.T)


def sines(first, *shape):
    """As Armadillo fills a matrix of this shape: the first extent varies fastest."""
    return np.sin(first + np.arange(float(np.prod(shape)))).reshape(shape, order="F")


def check_trained(metadata, tensors):
    assert metadata["kind"] == "gf" and metadata["dimension"] == "16"
    structure = ["householder weighted_mixture", "patch mixture", "householder affine"]
    assert json.loads(metadata["structure"]) == structure
    expected = {
        "calibration": np.zeros(0),
        "layer.0000.rotation.v": sines(601, 16, 2),
        "layer.0000.mixture.mu": sines(1, 3, 16),
        "layer.0000.mixture.log_scale": sines(101, 3, 16),
        "layer.0000.mixture.logit": sines(201, 3, 16),
        "layer.0001.rotation.side": np.uint64(4),
        "layer.0001.rotation.patch": np.uint64(2),
        "layer.0001.rotation.shift": np.uint64(3),
        "layer.0001.rotation.vertical": np.uint8(1),
        "layer.0001.rotation.v": np.moveaxis(sines(501, 4, 3, 4), 2, 0),  # slices first
        "layer.0001.mixture.mu": sines(301, 2, 16),
        "layer.0001.mixture.log_scale": sines(401, 2, 16),
        "layer.0002.rotation.v": np.zeros((16, 0)),
        "layer.0002.affine.shift": 1.0 / 3.0 - np.arange(16),
        "layer.0002.affine.scale": 0.1 * np.arange(1, 17),
    }
    check_equal(tensors, expected)


def check_straight(metadata, tensors):
    structure = ["identity affine", "identity straight_tables", "householder weighted_logit_mixture",
                 "orthogonal logit_mixture", "identity logistic_to_normal"]
    assert json.loads(metadata["structure"]) == structure
    assert tensors["layer.0001.table.lower.straight"].tolist() == [0, 1, 0]
    assert tensors["layer.0001.table.upper.straight"].tolist() == [0, 0, 1]
    assert tensors["layer.0001.table.upper.straight"].dtype == np.uint8
    for name, expected in {"layer.0002.mixture.mu": sines(1, 4, 3), "layer.0002.mixture.logit": sines(201, 4, 3),
                           "layer.0003.mixture.log_scale": sines(401, 2, 3)}.items():
        np.testing.assert_allclose(tensors[name], expected, rtol=1e-13, atol=1e-14, err_msg=name)
    assert not [name for name in tensors if name.startswith("layer.0004")]


def check_checkpoint(metadata, tensors):
    assert metadata["format"] == "gaussianize-bundle" and metadata["format_version"] == "1"
    own = {"epoch": "12", "format": 'größe "\n', "checksum": "a\0b", "": ""}
    assert json.loads(metadata["metadata"]) == own
    shapes = {"layer 3 mu": (2, 3), "nan": (2, 2), "column": (4, 1), "no rows": (0, 5), "no columns": (7, 0), "": (0, 0)}
    assert {name: array.shape for name, array in tensors.items()} == shapes
    largest = sys.float_info.max
    expected = np.array([[1.5, -0.0, 5e-324], [math.inf, -math.inf, largest]])
    assert tensors["layer 3 mu"].tobytes() == expected.tobytes()
    minus_tenth = int(np.float64(-0.1).view(np.uint64))
    bits = [[0xFFF8000000001234, 0x7FF0000000000001], [minus_tenth, 0x7FF8000000000000]]
    assert tensors["nan"].view(np.uint64).tolist() == bits
    assert (tensors["column"] == 1).all()


def check_with_library(path, tensors):
    try:
        from safetensors.numpy import load_file
    except ImportError:
        return
    for name, array in load_file(path).items():
        np.testing.assert_array_equal(array, tensors[name], err_msg=name)


def main():
    checks = {"small": check_small, "trained": check_trained, "straight": check_straight, "checkpoint": check_checkpoint}
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name + ".safetensors") for name in checks]
        subprocess.run([sys.argv[1], *paths], check=True)
        for path, check in zip(paths, checks.values()):
            with open(path, "rb") as file:
                raw = file.read()
            metadata, tensors = read(raw)
            check_checksum(raw, metadata)
            check(metadata, tensors)
            check_with_library(path, tensors)


main()
