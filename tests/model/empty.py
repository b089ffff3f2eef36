"""A model that knows the words of another one and nothing else: one layer of zeros.

What a server keeps of prompts goes by their tokens alone, and such a model reads thousands of them a second. The format is
GGUF 3, as the documentation of ggml has it.
"""

import mmap
import struct

# Bytes of a value by its type; a text (8) and a list (9) say their length themselves.
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
TEXT, LIST, UINT32, FLOAT32 = 8, 9, 4, 0
# Where tensors begin.
ALIGNMENT = 32
WIDTH = 64
SMALLER = {
    "block_count": 1,
    "embedding_length": WIDTH,
    "feed_forward_length": WIDTH,
    "attention.head_count": 1,
    "attention.head_count_kv": 1,
}


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def read_text(data, at):
    (length,) = struct.unpack_from("<Q", data, at)
    return data[at + 8 : at + 8 + length].decode(errors="replace"), at + 8 + length


def skip(data, at, kind):
    """Where a value of this type ends."""
    if kind == TEXT:
        return at + 8 + struct.unpack_from("<Q", data, at)[0]
    if kind == LIST:
        of, count = struct.unpack_from("<IQ", data, at)
        at += 12
        if of in SIZES:
            return at + SIZES[of] * count
        for _ in range(count):
            at = skip(data, at, of)
        return at
    return at + SIZES[kind]


def values(data):
    """The values of a model as they stand there, those of its size made smaller; and how many words it knows."""
    (count,) = struct.unpack_from("<Q", data, 16)
    at, kept, words = 24, [], 0
    for _ in range(count):
        began = at
        key, at = read_text(data, at)
        (kind,) = struct.unpack_from("<I", data, at)
        value, at = at + 4, skip(data, at + 4, kind)
        smaller = SMALLER.get(key.partition(".")[2])
        if key == "tokenizer.ggml.tokens":
            words = struct.unpack_from("<Q", data, value + 4)[0]
        if smaller is None:
            kept.append(data[began:at])
        else:
            kept.append(text(key) + struct.pack("<II", UINT32, smaller))
    return kept, words


def tensors(words):
    square, vector = (WIDTH, WIDTH), (WIDTH,)
    shapes = {"token_embd.weight": (WIDTH, words), "output_norm.weight": vector}
    for part in ("attn_norm", "ffn_norm"):
        shapes[f"blk.0.{part}.weight"] = vector
    for part in ("attn_q", "attn_k", "attn_v"):
        shapes |= {f"blk.0.{part}.weight": square, f"blk.0.{part}.bias": vector}
    for part in ("attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        shapes[f"blk.0.{part}.weight"] = square
    return shapes


def empty(model, path):
    """Writes the empty model with the words of `model`."""
    with open(model, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        kept, words = values(data)
    shapes, offset, infos = tensors(words), 0, []
    for name, shape in shapes.items():
        infos.append(text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, FLOAT32, offset))
        size = 4 * WIDTH * (shape[1] if len(shape) > 1 else 1)
        offset += -(-size // ALIGNMENT) * ALIGNMENT
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(kept)) + b"".join(kept) + b"".join(infos)
    begin = -(-len(head) // ALIGNMENT) * ALIGNMENT
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(begin + offset)
