"""A writer of recordings that knows docs/record.md and nothing of our C, for grains that come and go as they like."""

import json
import struct
import zlib

import numpy as np

HEAD = {
    "format": "scree-record",
    "version": 1,
    "program": "packer",
    "scene": {"name": "made_up", "description": "Grains that come and go", "gravity": [0, 0, -9.81]},
    "experiment": {"stop": 1, "step": 0.01},
    "interval": 0.01,
    "resolution": {"length": 1e-5, "speed": 1e-3},
    "materials": [{"id": "rock", "density": 2500}, {"id": "ore", "density": 4000}],
    "bodies": [],
    "signals": [{"name": "info.particles", "unit": "1", "description": "Grains"}],
    "channels": [
        {"name": "force", "unit": "N", "description": "", "coding": "logarithmic", "floor": 1e-3, "perOctave": 16},
        {"name": "aggregate", "unit": "1", "description": "", "coding": "integer"},
    ],
    "parameters": [],
}


class Bits:
    def __init__(self):
        self.number, self.filled = 0, 0

    def put(self, value, count):
        self.number |= (int(value) & ((1 << count) - 1)) << self.filled
        self.filled += count

    def column(self, numbers):
        numbers = [int(n) for n in numbers]
        for begin in range(0, len(numbers), 32):
            block = numbers[begin : begin + 32]
            self.put(any(block), 1)
            if not any(block):
                continue
            base = min(block)
            z = 2 * base if base >= 0 else -2 * base - 1
            width = (max(block) - base).bit_length()
            self.put(width, 6)
            self.put(z.bit_length(), 6)
            self.put(z, z.bit_length())
            for number in block:
                self.put(number - base, width)

    def words(self):
        return self.number.to_bytes(4 * ((self.filled + 31) // 32), "little")


def steps(numbers):
    return np.diff(np.concatenate([[-1], numbers])) - 1


def chunk(tag, payload):
    data = tag + struct.pack("<I", len(payload)) + payload
    return data + struct.pack("<I", zlib.crc32(data))


def pack_frame(time, key, k, last, now):
    """last, now: dicts of id, radius (float32), material, velocity, position (integers, [n, 3]), channels ([n, c])."""
    kept = np.isin(last["id"], now["id"]) if not key else np.zeros(0, bool)
    old = int(kept.sum())
    bits, n = Bits(), len(now["id"])
    gone = np.flatnonzero(~kept)
    bits.column(steps(gone))
    bits.column(steps(now["id"][old:]))
    bits.column(now["radius"][old:].view(np.int32))
    bits.column(now["material"][old:])

    def before(name):
        values = np.zeros_like(now[name])
        if not key:
            values[:old] = last[name][kept]
        return values

    u = before("velocity")
    for axis in range(3):
        bits.column(now["velocity"][:, axis] - u[:, axis])
    expected = before("position") + np.floor((u + now["velocity"]) * k + 0.5).astype(np.int64)
    for axis in range(3):
        bits.column(now["position"][:, axis] - expected[:, axis])
    for c in range(now["channels"].shape[1]):
        bits.column(now["channels"][:, c] - before("channels")[:, c])
    words = bits.words()
    head = struct.pack("<3d6I", time, float("nan"), k, int(key), n, len(gone), n - old, len(words) // 4, 0)
    return chunk(b"FRAM", head + struct.pack("<d", n) + words)


def make_frames(count, seed=1):
    """Grains in wild motion; some vanish and new ones come in every frame."""
    random = np.random.default_rng(seed)
    fresh_id = 0

    def fresh(n):
        nonlocal fresh_id
        fresh_id += n
        return {
            "id": np.arange(fresh_id - n, fresh_id),
            "radius": random.uniform(0.005, 0.02, n).astype(np.float32),
            "material": random.integers(0, 2, n),
            "velocity": random.integers(-3000, 3000, (n, 3)),
            "position": random.integers(-50000, 50000, (n, 3)),
            "channels": random.integers(0, 300, (n, 2)),
        }

    frames = [fresh(150)]
    while len(frames) < count:
        last = frames[-1]
        stay = random.random(len(last["id"])) > 0.05
        now = {name: values[stay].copy() for name, values in last.items()}
        now["position"] += np.round(now["velocity"] * 1.0).astype(np.int64) + random.integers(-3, 4, now["position"].shape)
        now["velocity"] += random.integers(-200, 200, now["velocity"].shape)
        now["channels"] = random.integers(0, 300, now["channels"].shape)
        more = fresh(int(random.integers(0, 15)))
        frames.append({name: np.concatenate([now[name], more[name]]) for name in now})
    return frames


def write_record(folder, frames, key_every=20):
    folder.mkdir()
    text = json.dumps(HEAD).encode()
    (folder / "head.json").write_bytes(text)
    data = chunk(b"SCRE", struct.pack("<II", 1, zlib.crc32(text)))
    for i, frame in enumerate(frames):
        key = i % key_every == 0
        data += pack_frame(0.01 * i, key, 0.0 if key else 0.5, frames[i - 1], frame)
        data += chunk(b"NEW1", b"skip")  # a reader skips what it does not know
    (folder / "frames.bin").write_bytes(data + chunk(b"DONE", b""))
