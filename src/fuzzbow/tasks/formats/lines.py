"""Lines of a text file, and batches of the records in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fuzzbow.errors import BadRowError, DataError, InputError
from fuzzbow.streams import LONGEST_LINE, WRITERS, open_stream
from fuzzbow.tasks.formats.table import AS_IT_IS, BadRows, Reading, Record, Records

BATCH_CHARACTERS = 1 << 26  # a batch with so many ends before it has all its rows


class Lines:
    """Decoded lines of a text file, line ends kept, and how much of it has been read.

    A record that spans lines is held to the length of one: a quote that never ends would
    make the rest of the file one value.
    """

    def __init__(self, path: Path, reading: Reading = AS_IT_IS) -> None:
        self.path, self.reading = path, reading
        self.bad = BadRows()
        self.delimiter: str | None = None  # between the fields of CSV, once its header is read
        self.number = 0
        self.bytes = 0  # of the lines so far, as they are in the file
        self.share = 0.0  # of the file that has been read
        self.characters = 0
        self.record_began = 0  # at which character; set by whoever knows where a record ends

    def __iter__(self) -> Iterator[str]:
        with open_stream(self.path) as stream:
            named = self.path.suffix if self.path.suffix in WRITERS else stream.compression
            if stream.head and named != stream.compression:
                raise DataError(
                    f"{self.path}: broken compression: its name says {named}, its content does not"
                )
            plain = stream.compression == ""
            for line in stream.text_lines(self.reading.encoding):
                self.number += 1
                self.characters += len(line)
                self.bytes += len(line) if line.isascii() else len(line.encode("utf-8", "replace"))
                self.share = min(self.bytes / stream.file_size, 1.0) if plain else stream.share
                if self.characters - self.record_began > LONGEST_LINE:
                    raise self._too_long()
                yield line

    def refuse(self, error: InputError) -> None:
        """Raise what is wrong with a row, or count it where bad rows are passed over."""
        if not self.reading.skip_bad:
            raise BadRowError(str(error)) from error
        self.bad.pass_over(error)

    def _too_long(self) -> InputError:
        return DataError(
            f"{self.path}, line {self.number}: a record must have at most {LONGEST_LINE}"
            " characters; it has more (is a quote left open?)"
        )


def batched(records: Iterator[Record], lines: Lines, size: int) -> Iterator[Records]:
    """Lists of at most `size` records, fewer where they are very long."""
    batch: Records = []
    began = 0
    for record in records:
        batch.append(record)
        if len(batch) == size or lines.characters - began > BATCH_CHARACTERS:
            yield batch
            batch, began = [], lines.characters
    if batch:
        yield batch
