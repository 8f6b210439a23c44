"""A child that writes rows to standard error in pieces of any size, with steps and bars between them, as npm does."""

from __future__ import annotations

import os
import random
import sys
import time

WORDS = ("fetch", "löse", "木の板", "added 12 packages", "%" * 20)
BETWEEN = (b"", b"", b"  12 % of it\r", b" one step\n")
"""What may stand before a row: nothing, a bar that the row writes over, or a step for the status line."""
ROWS = 40


def rows(number: int) -> list[str]:
    """Return the rows that the child of this number writes."""
    chance = random.Random(number)
    words = (" ".join(chance.choices(WORDS, k=chance.randint(1, 3))) for _ in range(ROWS))
    return [f"<{number}.{at} {each}>" for at, each in enumerate(words)]


def main(number: int) -> None:
    chance = random.Random(-number)
    data = b"".join(chance.choice(BETWEEN) + f"{row}\n".encode() for row in rows(number))
    while data:
        size = chance.randint(1, 60)  # it may end in the middle of a letter
        os.write(2, data[:size])
        data = data[size:]
        time.sleep(chance.random() / 200)


if __name__ == "__main__":
    main(int(sys.argv[1]))
