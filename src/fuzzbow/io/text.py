"""Text files in blocks or numbered lines, whatever their encoding and compression; plain text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from fuzzbow.errors import BadRowError, DataError, InputError
from fuzzbow.io.streams import LONGEST_LINE, WRITERS, check_encoding, encoding_of, open_stream
from fuzzbow.io.tables import AS_IT_IS, BadRows, Reading, Table, TableFormat, batched

BLOCK_BYTES = 1 << 20
MARK = b"\xef\xbb\xbf"  # the byte order mark in UTF-8


class TextFile:
    """Text file being read: its position, the share that was read, and bad rows.

    A record of several lines must not be longer than the longest line: a quote that never ends
    would make the rest of the file one value.
    """

    def __init__(self, path: Path, options: Reading = AS_IT_IS) -> None:
        self.path, self.options = path, options
        self.bad = BadRows()
        self.line = 0  # number of the last line that was read
        self.share = 0.0  # of the file, from 0 to 1
        self._record_bytes = 0  # of the lines since `end_record`
        self._size = 1  # bytes of the file; 0 if it is compressed
        self.blocks = self._read()  # what was not read yet as UTF-8, cut anywhere

    def lines(self) -> Iterator[str]:
        """Yield the lines, each of which is a record."""
        for line in self.record_lines():
            self.end_record()
            yield line

    def record_lines(self, before: bytes = b"") -> Iterator[str]:
        """Yield `before` and the unread rest as lines; a carriage return also ends a line.

        The caller marks where each record ends.
        """
        rest = before
        for block in self.blocks:
            lines = (rest + block).splitlines(keepends=True)
            rest = lines.pop()  # which may go on, even after a return
            yield from self._decode(lines)
            if len(rest) > LONGEST_LINE:
                self.line += 1
                raise self._too_long()
        yield from self.lines_of(rest)

    def lines_of(self, block: bytes) -> Iterator[str]:
        """Yield the lines of a block."""
        return self._decode(block.splitlines(keepends=True))

    def end_record(self) -> int:
        """Mark the end of a record at the last line; return the size of the record in bytes."""
        size, self._record_bytes = self._record_bytes, 0
        return size

    def skip(self, block: bytes) -> None:
        """Count the lines of a block that was parsed as a whole."""
        self.line += block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n")

    def advance(self, read: int) -> None:
        """Update the share of the file that was read."""
        if self._size:
            self.share = min(self.share + read / self._size, 1.0)

    def refuse(self, error: InputError) -> None:
        """Raise an error for a malformed row, or count it if bad rows are skipped."""
        if not self.options.skip_bad:
            raise BadRowError(str(error)) from error
        self.bad.add(error)

    @property
    def location(self) -> str:
        """Return the file and the number of the last line."""
        return f"{self.path}, line {self.line}"

    def _decode(self, lines: list[bytes]) -> Iterator[str]:
        for line in lines:
            self.line += 1
            self._record_bytes += len(line)
            if self._record_bytes > LONGEST_LINE:
                raise self._too_long(record=len(line) <= LONGEST_LINE)
            self.advance(len(line))
            yield line.decode()

    def _too_long(self, *, record: bool = False) -> DataError:
        what, hint = ("a record ", " (is a quote left open?)") if record else ("", "")
        return DataError(
            f"{self.location}: {what}must have at most {LONGEST_LINE} characters; it has more{hint}"
        )

    def _read(self) -> Iterator[bytes]:
        with open_stream(self.path) as stream:
            named = self.path.suffix if self.path.suffix in WRITERS else stream.compression
            if stream.head and named != stream.compression:
                raise DataError(
                    f"{self.path}: broken compression: its name says {named}, its content does not"
                )
            self._size = 0 if stream.compression else stream.file_size
            encoding = check_encoding(self.options.encoding or encoding_of(stream.head))
            decoder = codecs.getincrementaldecoder(encoding)()
            is_utf8 = codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
            mark, done, ends = MARK, False, 0
            while not done:
                stream.line = self.line
                raw = stream.read(BLOCK_BYTES)
                done = len(raw) < BLOCK_BYTES
                try:
                    text = decoder.decode(raw, final=done)
                except UnicodeError as error:
                    if not (is_utf8 and isinstance(error, UnicodeDecodeError)):
                        after = f", after line {self.line}" if self.line else ""
                        raise DataError(
                            f"{self.path}{after}: must be {encoding.upper()}; {error}"
                        ) from error
                    ends += error.object[: error.start].count(b"\n")
                    raise DataError(
                        f"{self.path}, line {ends + 1}: must be UTF-8; byte"
                        f" {error.object[error.start]:#04x} is not (if the file is Latin-1, as"
                        " older programs write it, give the encoding latin-1)"
                    ) from error
                if self._size == 0:
                    self.share = stream.share
                ends += raw.count(b"\n")
                block = (raw if is_utf8 else text.encode("utf-8", "replace")).removeprefix(mark)
                mark = b""
                if block:
                    yield block


def _read_texts(path: Path, options: Reading, batch_rows: int) -> Table:
    """Read lines of text, blank ones too, as a column `text`."""
    import pyarrow as pa

    file = TextFile(path, options)
    schema = pa.schema([("text", pa.string())])

    def texts() -> Iterator[tuple[str, int]]:
        for line in file.lines():
            if "\0" in line:
                raise DataError(f"{file.location}: must be text; it holds a zero byte")
            yield line.rstrip("\r\n"), len(line)

    batches = (pa.record_batch([part], schema=schema) for part in batched(texts(), batch_rows))
    return Table(schema, batches, share=lambda: file.share, bad=file.bad)


PLAIN_TEXT = TableFormat("txt", (".txt",), _read_texts, one_line=True)
