"""What the runs on a GPU need besides the repository, as one small folder.

    python -m benchmarks.gpu.device_folder pack FOLDER --encoder MODEL --sts STS --kernel KERNEL.so
    python -m benchmarks.gpu.device_folder unpack FOLDER --to ENCODER

`pack` stores an encoder of BERT's layout with word embeddings in 8 bits, a scale for each row,
and all else in 16, the STS files, and the compiled kernels; `unpack` writes the encoder back.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

EMBEDDINGS = "embeddings.word_embeddings.weight"
SCALES = "scales"
WEIGHTS = "model.safetensors"


def main() -> None:
    """Pack or unpack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=["pack", "unpack"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--encoder", type=Path, help="folder of the encoder to pack")
    parser.add_argument("--sts", type=Path, help="folder with raw/ and stsb/")
    parser.add_argument("--kernel", type=Path, help="the compiled kernels")
    parser.add_argument("--to", type=Path, help="where the encoder goes")
    options = parser.parse_args()
    if options.step == "unpack":
        _unpack(options.folder / "encoder", options.to)
        return
    _pack(options.encoder, options.folder / "encoder")
    target = options.folder / "sts"
    shutil.copytree(options.sts / "raw", target, dirs_exist_ok=True)
    (target / "stsb").mkdir(exist_ok=True)
    shutil.copy(options.sts / "stsb" / "sts-dev.csv", target / "stsb")
    shutil.copy(options.kernel, options.folder)


def _pack(source: Path, folder: Path) -> None:
    """The encoder with smaller numbers, and its other files."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = load_file(source / WEIGHTS)
    table = tensors.pop(EMBEDDINGS).float()
    scales = table.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / 127
    small = {
        name: values.half() if values.is_floating_point() else values
        for name, values in tensors.items()
    }
    small[EMBEDDINGS] = (table / scales).round().to(torch.int8)
    save_file({**small, SCALES: scales}, folder / WEIGHTS)
    for path in source.glob("*.json"):
        shutil.copy(path, folder)


def _unpack(folder: Path, target: Path) -> None:
    """The encoder in 32 bits."""
    target.mkdir(parents=True, exist_ok=True)
    tensors = load_file(folder / WEIGHTS)
    scales = tensors.pop(SCALES)
    wide = {
        name: values.float() if values.is_floating_point() else values
        for name, values in tensors.items()
    }
    wide[EMBEDDINGS] = tensors[EMBEDDINGS].float() * scales
    save_file(wide, target / WEIGHTS, metadata={"format": "pt"})
    for path in folder.glob("*.json"):
        shutil.copy(path, target)


if __name__ == "__main__":
    main()
