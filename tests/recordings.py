"""A reader of recordings that knows docs/record.md and nothing of our C: what a reader in another language would do."""

import json
import struct
import zlib
from pathlib import Path

import numpy as np


class Bits:
    def __init__(self, data):
        self.number, self.left = int.from_bytes(data, "little"), 8 * len(data)

    def take(self, count):
        assert count <= self.left
        value = self.number & ((1 << count) - 1)
        self.number >>= count
        self.left -= count
        return value

    def column(self, count):
        numbers = []
        for begin in range(0, count, 32):
            size, width, base = min(32, count - begin), 0, 0
            if self.take(1):
                width, base_width = self.take(6), self.take(6)
                z = self.take(base_width)
                base = (z >> 1) ^ -(z & 1)
            numbers += [base + self.take(width) for _ in range(size)]
        return ((np.array(numbers, dtype=np.int64) + 2**31) % 2**32 - 2**31).astype(np.int64)


def wrap(numbers):
    return (numbers + 2**31) % 2**32 - 2**31


def read_chunks(data):
    at = 0
    while at + 12 <= len(data):
        tag, length = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        if at + 12 + length > len(data):
            return
        assert length % 4 == 0
        (crc,) = struct.unpack_from("<I", data, at + 8 + length)
        assert crc == zlib.crc32(data[at : at + 8 + length])
        yield tag, data[at + 8 : at + 8 + length]
        at += 12 + length


def steps(numbers):
    return np.cumsum(numbers + 1) - 1


class Recording:
    """head, and frames: dicts of time, wall, key, signals {name: value}, poses, id, radius, material, velocity,
    position, and one entry per channel; all in SI units. done: the run came to its end."""

    def __init__(self, directory):
        text = (Path(directory) / "head.json").read_bytes()
        self.head = json.loads(text)
        assert self.head["format"] == "scree-record" and self.head["version"] == 1
        chunks = list(read_chunks((Path(directory) / "frames.bin").read_bytes()))
        assert chunks[0] == (b"SCRE", struct.pack("<II", 1, zlib.crc32(text)))
        self.done = chunks[-1][0] == b"DONE"
        self.grains = None
        self.frames = [self.read_frame(payload) for tag, payload in chunks if tag == b"FRAM"]

    def read_frame(self, payload):
        time, wall, k, flags, n, gone, come, words, zero = struct.unpack_from("<3d6I", payload)
        signals, bodies, channels = (self.head[name] for name in ("signals", "bodies", "channels"))
        at = 48
        values = struct.unpack_from(f"<{len(signals)}d", payload, at)
        at += 8 * len(signals)
        poses = np.array(struct.unpack_from(f"<{7 * len(bodies)}d", payload, at)).reshape(-1, 7)
        at += 56 * len(bodies)
        bits = Bits(payload[at : at + 4 * words])
        if flags & 1:
            assert gone == 0 and come == n
            self.grains = np.zeros((9 + len(channels), 0), dtype=np.int64)
        grains = np.delete(self.grains, steps(bits.column(gone)), axis=1)
        fresh = np.zeros((len(grains), come), dtype=np.int64)
        fresh[0], fresh[1], fresh[2] = steps(bits.column(come)), bits.column(come), bits.column(come)
        grains = np.concatenate([grains, fresh], axis=1)
        assert grains.shape[1] == n and zero == 0
        before = grains[3:6].copy()
        for i in range(3, len(grains)):
            expected = np.floor((before[i - 6] + grains[i - 3]) * k + 0.5).astype(np.int64) if 6 <= i < 9 else 0
            grains[i] = wrap(grains[i] + expected + bits.column(n))
        self.grains = grains
        frame = {
            "time": time,
            "wall": wall,
            "key": bool(flags & 1),
            "signals": {signal["name"]: value for signal, value in zip(signals, values)},
            "poses": poses,
            "id": grains[0] % 2**32,
            "radius": grains[1].astype(np.int32).view(np.float32),
            "material": grains[2].copy(),
            "velocity": grains[3:6].T * self.head["resolution"]["speed"],
            "position": grains[6:9].T * self.head["resolution"]["length"],
        }
        for i, channel in enumerate(channels):
            codes = grains[9 + i]
            if channel["coding"] == "logarithmic":
                frame[channel["name"]] = np.where(
                    codes == 0, 0.0, channel["floor"] * 2.0 ** ((codes - 1) / channel["perOctave"])
                )
            else:
                frame[channel["name"]] = codes.copy()
        return frame
