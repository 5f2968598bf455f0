"""Runs what documents show: Python, commands with their output, and the files they name."""

from __future__ import annotations

import doctest
import gzip
import os
import re
import shlex
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import typer

from fuzzbow.cli.main import app
from tests.command import FORKS, end_child, forked_command
from tests.unit.vectors.samples import binary_of, text_of

FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NOT_RUN = ("pip ", "make ")  # they set up what runs this
PARSED_ONLY = ("fuzzbow sts ",)  # they need data or the network; tests/unit/research/sts runs them
SHOWN_PORT = "8000"
SHELL = re.compile(r"[|&;<>()$`*?\[\]{}~]")  # what a shell would not leave as it is
QUOTED = re.compile(r"'[^']*'|\"[^\"$`]*\"")
VARIABLES = {"COLUMNS": "80"}
SAMPLES = {  # small files under the names that documents use
    "pairs.csv": "question,answer\na cat?,a dog\n",
    "docs.csv": "doc,body,year,lang\n17,A cat sleeps,2023,en\n42,Her dog barked,2019,de\n",
    "more.jsonl": '{"doc": 43, "body": "A kitten naps", "year": 2024, "lang": "en"}\n',
    "queries.txt": "a kitten\nan airplane\n",
    "texts.csv": "text\nThe airplane landed at noon\nHe has a cat\nThe plane landed at noon\n",
    "products.csv": "title,name\nGarmin nuvi 010-00715-20,Garmin nuvi\nLexar 64GB,Lexar card\n",
    "train.jsonl": '{"text": "He has a cat"}\n{"text": "A jet landed"}\n',
    "test.jsonl": '{"text": "he has a cat"}\n',
}


@dataclass(frozen=True)
class Block:
    """A piece of code in a document."""

    kind: str
    title: str
    code: str
    line: int


def blocks_of(path: Path) -> list[Block]:
    """The fenced blocks of a document, in order."""
    text = path.read_text("utf-8")
    return [
        Block(found[1], found[2] or "", found[3], text.count("\n", 0, found.start(3)))
        for found in FENCE.finditer(text)
    ]


def commands_of(code: str) -> Iterator[tuple[str, str]]:
    """Commands, after `$`, with the output that is shown below them."""
    for part in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        command, _, rest = part.replace("\\\n", " ").partition("\n")
        yield command, rest


@dataclass
class Session:
    """One document, from top to bottom, in a folder and a namespace of its own."""

    path: Path
    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    port: int = 0
    started: list[subprocess.Popen[str]] = field(default_factory=list)
    ran: int = 0

    def run(self) -> int:
        """Run all blocks; how many snippets were run."""
        try:
            for block in blocks_of(self.path):
                if block.title:
                    (self.folder / block.title).write_text(block.code, encoding="utf-8")
                elif block.kind == "python":
                    self._python(block)
                elif block.kind == "console":
                    for command, output in commands_of(block.code):
                        self._command(command, output, block)
        finally:
            for process in self.started:
                end_child(process)
        return self.ran

    def _python(self, block: Block) -> None:
        self.ran += 1
        if ">>>" not in block.code:
            exec(compile(block.code, f"{self.path.name}:{block.line}", "exec"), self.names)
            return
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS)
        test = parser.get_doctest(
            block.code, self.names, self.path.name, str(self.path), block.line
        )
        report: list[str] = []
        failed = runner.run(test, out=report.append, clear_globs=False).failed
        self.names.update(test.globs)
        assert not failed, "".join(report)

    def _command(self, command: str, shown: str, block: Block) -> None:
        place = f"{self.path.name}, block after line {block.line}: {command}"
        if command.startswith(NOT_RUN):
            return
        self.ran += 1
        if command.startswith(PARSED_ONLY):
            check_usage(shlex.split(command, comments=True)[1:])
        elif command.rstrip().endswith("&"):
            self._start(command.rstrip()[:-1])
        else:
            done = self._run(command)
            wanted = (1, 2) if shown.startswith("error:") else (0,)
            assert done.returncode in wanted, f"{place}\n{done.stdout}"
            same = doctest.OutputChecker().check_output(shown, done.stdout, FLAGS)
            assert not shown or same, f"{place}\nshown:\n{shown}\nprinted:\n{done.stdout}"

    def _run(self, command: str) -> subprocess.CompletedProcess[str]:
        """What a command prints, as bash runs it; one of ours without bash, which is faster."""
        words = shlex.split(command, comments=True)
        if words[0] == "fuzzbow" and FORKS and not SHELL.search(QUOTED.sub("", command)):
            return forked_command(words[1:], variables=VARIABLES, together=True)
        return subprocess.run(
            ["bash", "-c", command.replace(SHOWN_PORT, str(self.port))],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
            cwd=self.folder, env=self._environment(),
        )  # fmt: skip

    def _start(self, command: str) -> None:
        """A server in the background, on a free port instead of the one that is shown."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        process = subprocess.Popen(
            ["bash", "-c", "exec " + command.replace(SHOWN_PORT, str(self.port))],
            cwd=self.folder, env=self._environment(), text=True,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.started.append(process)
        until = time.monotonic() + 60
        while time.monotonic() < until and process.poll() is None:
            try:
                with urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError(f"the server did not start: {command}")

    def _environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        more = {"PATH": path, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
        return {**os.environ, **VARIABLES, **more}


def check_usage(arguments: list[str]) -> None:
    """The command must exist and take these arguments; it is not run."""
    command: Any = typer.main.get_command(app)
    context = None
    while hasattr(command, "get_command"):
        context = command.make_context(
            command.name, ["--help"], parent=context, resilient_parsing=True
        )
        _, command, arguments = command.resolve_command(context, arguments)
    command.make_context(command.name, list(arguments), parent=context)


def write_samples(folder: Path) -> dict[str, Any]:
    """Small files under the names of the large ones that documents use, and objects."""
    from gensim.models import FastText, KeyedVectors
    from gensim.models.fasttext import save_facebook_model

    words = ["the", "a", "cat", "dog", "sat", "plane"]
    matrix = np.random.default_rng(5).standard_normal((6, 16)).astype(np.float32)
    for name in ("crawl-300d-2M.vec", "cc.fr.300.vec"):
        (folder / name).write_text(text_of(words, matrix, header=True), "utf-8")
    with gzip.open(folder / "GoogleNews-vectors-negative300.bin.gz", "wb") as file:
        file.write(binary_of(words, matrix))
    with zipfile.ZipFile(folder / "glove.840B.300d.zip", "w") as archive:
        archive.writestr("glove.840B.300d.txt", text_of(words, matrix, header=False))
    fasttext = FastText(sentences=[words] * 2, vector_size=4, min_count=1, epochs=1, bucket=50)
    save_facebook_model(fasttext, str(folder / "cc.en.300.bin"))
    for name, content in SAMPLES.items():
        (folder / name).write_text(content, "utf-8")
    keyed = KeyedVectors(16)
    keyed.add_vectors(words, matrix)
    texts, frame = ["a cat", "a jet"], {"year": [2019, 2021]}
    return {"keyed_vectors": keyed, "texts": texts, "ids": ["c", "j"], "frame": frame}
