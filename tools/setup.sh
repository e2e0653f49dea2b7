#!/bin/sh
# Makes .venv hold exactly what uv.lock says, on a machine with nothing but Python. Called by make when the lock is newer.
set -eu
cd "$(dirname "$0")/.."

UV_VERSION=0.13.9

# uv takes the interpreter of .venv, never one that it fetches itself or that another environment brings.
export UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=.venv
unset VIRTUAL_ENV UV_PYTHON

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-} python3.11 python3.12 python3.13 python3 python; do
        if new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    return 1
}

make_environment() {
    python=$(find_python) || fail \
        'Conch needs Python 3.11 or newer, and none was found on the path.' \
        'Install it, or name it: make test PYTHON=/path/to/python3.11'
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        fail "$python has no venv module of its own. On Debian and Ubuntu: apt install python$version-venv"
    fi
    echo "Making .venv with $("$python" --version)" >&2
    "$python" -m venv --clear .venv
}

new_enough .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1 || make_environment

case "$(.venv/bin/uv --version 2>/dev/null || true)" in
    "uv $UV_VERSION"*) ;;
    *) .venv/bin/python -m pip install --quiet --disable-pip-version-check "uv==$UV_VERSION" ;;
esac

echo 'Installing what uv.lock says' >&2
.venv/bin/uv sync --locked --quiet
