"""Whether the Conch in this container can do its work: ends with 0 while `/healthz` says 200.

`http.client`, because it asks this machine whatever proxy the environment names.
"""

import http.client
import os
import sys

SECONDS = 5


def main() -> int:
    """The exit code."""
    connection = http.client.HTTPConnection("127.0.0.1", int(os.environ.get("CONCH_PORT", "7654")), timeout=SECONDS)
    try:
        connection.request("GET", "/healthz")
        return 0 if connection.getresponse().status == http.client.OK else 1
    except (OSError, http.client.HTTPException) as fault:
        sys.stderr.write(f"{fault}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
