"""How long 4,000 characters of Markdown take to each app's parts, split included, and to a live preview.

The goal is 5 ms for any dialect. Times are of the CPU, so that another program beside it does not count; the parser's
own share is a line of its own. Run by hand:

    .venv/bin/python benchmarks/formatting.py
"""

import time
from collections.abc import Callable
from functools import partial
from statistics import median, quantiles

from channels.formatting.clean import clean
from channels.formatting.markdown import parse
from channels.formatting.parts import Dialect, format_message, preview

RUNS = 200
LENGTH = 4000
GOAL_MS = 5.0

ANSWER = """\
## How to move the shop to the new server

The move takes **about two hours**. Nothing is lost if the steps are followed in order; the old server goes on running
until the last one. Read the [checklist](https://example.com/ops/checklist?version=3) before, and keep
`deploy.log` open in a second window.

1. **Freeze the catalogue.** Set `CATALOGUE_READ_ONLY=1` and wait until the queue is empty.
2. Copy the data:
   - the database with `pg_dump --format=custom shop`
   - the pictures with `rsync -a --delete /srv/pictures/ new:/srv/pictures/`
3. Point *one* test customer at the new address and place an order.

```python
async def empty(queue: Queue) -> bool:
    \"\"\"Whether nothing waits; asked twice, as one may come in between.\"\"\"
    return not await queue.size() and not await queue.size()
```

| Step | Minutes | Can be undone |
|------|--------:|:-------------:|
| Freeze | 5 | yes |
| Copy | 60–90 | yes |
| Switch | 10 | for a day |

> Somebody has to be on call for the first night. In the last move the certificate ran out at 3 a.m.,
> and nobody noticed before the morning.

What I am *not* sure about: whether the invoices (about 12,000 a month, ~~PDF~~ now XML) are read from the old path.
If they are, the fix is one line in `settings.toml`. Ask me to look and I will.

"""


def milliseconds(work: Callable[[], object]) -> tuple[float, float]:
    """Median and 95th percentile of CPU time."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        times.append((time.process_time() - start) * 1000)
    return median(times), quantiles(times, n=20)[-1]


def main() -> None:
    text = (ANSWER * (LENGTH // len(ANSWER) + 1))[:LENGTH]
    written = ANSWER * 20
    print(f"{len(text)} characters of Markdown, {RUNS} runs, ms of CPU (median, p95); goal {GOAL_MS} for each dialect")
    middle, high = milliseconds(partial(parse, clean(text)))
    print(f"{'parsed only':12} {middle:6.2f} {high:6.2f}")
    for dialect in Dialect:
        parts = len(format_message(text, dialect))
        middle, high = milliseconds(partial(format_message, text, dialect))
        live, _ = milliseconds(partial(preview, written, dialect))
        verdict = "" if middle <= GOAL_MS else "  over the goal"
        print(f"{dialect:12} {middle:6.2f} {high:6.2f}   {parts} parts; preview of {len(written)} {live:6.2f}{verdict}")


if __name__ == "__main__":
    main()
