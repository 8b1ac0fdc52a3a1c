"""The index of a TensorFlow checkpoint: where each variable lies.

It is a table of LevelDB's format, whose values are protocol buffers.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
FOOTER = 48


class Place(NamedTuple):
    """Where a tensor lies: kind of its numbers, shape, number of the file, bytes."""

    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int


def read_index(index: Path) -> tuple[dict[str, Place], int]:
    """Where each variable lies, and in how many files they lie.

    RAISES (ValueError): Names the file, which is cut short or no index.
    """
    try:
        entries = dict(_table(index.read_bytes()))
        (n_shards,) = _fields(entries.pop(b"")).get(1, [1])
        places = {key.decode("utf8"): _place(entries[key]) for key in entries}
    except (ValueError, KeyError, IndexError, TypeError, struct.error) as error:
        raise ValueError(
            f"{index}: not the index of a TensorFlow checkpoint ({error})."
        ) from error
    return places, int(n_shards)


def _table(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of a table. RAISES (ValueError, IndexError): It is none."""
    if content[-len(MAGIC) :] != MAGIC:
        raise ValueError("its last bytes are wrong; was it cut short?")
    footer = content[-FOOTER:]
    _, place = _varint(footer, _varint(footer, 0)[1])
    room = len(content)
    for _, handle in _entries(_block(content, footer[place:])):
        block = _block(content, handle)
        room -= len(block)
        if room < 0:
            raise ValueError("its blocks overlap.")
        yield from _entries(block)


def _block(content: bytes, handle: bytes) -> bytes:
    offset, place = _varint(handle, 0)
    size, _ = _varint(handle, place)
    block = content[offset : offset + size]
    if len(block) != size or size < 4 or content[offset + size] != 0:
        raise ValueError("a block is cut short or compressed.")
    return block


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """A block's entries; a key leaves out what it shares with the one before."""
    (n_restarts,) = struct.unpack("<I", block[-4:])
    end, place, key = len(block) - 4 * (n_restarts + 1), 0, b""
    while place < end:
        shared, place = _varint(block, place)
        n_key, place = _varint(block, place)
        n_value, place = _varint(block, place)
        key = key[:shared] + block[place : place + n_key]
        place += n_key
        yield key, block[place : place + n_value]
        place += n_value


def _place(entry: bytes) -> Place:
    fields = _fields(entry)
    (shape,) = fields.get(2, [b""])
    sizes = [_fields(dim).get(1, [0])[0] for dim in _fields(shape).get(2, [])]
    numbers = (fields.get(number, [0])[0] for number in (1, 3, 4, 5))
    dtype, shard, offset, size = numbers
    return Place(dtype, tuple(sizes), shard, offset, size)


def _fields(message: bytes) -> dict[int, list]:
    """The fields of a protocol buffer by number: integers, or bytes unread."""
    fields: dict[int, list] = {}
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        number, kind = tag >> 3, tag & 7
        value: int | bytes
        if kind == 0:
            value, place = _varint(message, place)
        else:
            length, place = _varint(message, place) if kind == 2 else (4, place)
            if kind not in (2, 5):
                raise ValueError(f"a field of the unknown kind {kind}.")
            value, place = message[place : place + length], place + length
        fields.setdefault(number, []).append(value)
    return fields


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """RETURNS (Tuple[int, int]): A number of seven bits a byte, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
    raise ValueError("a number is too long.")
