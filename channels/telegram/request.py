"""The road to Telegram: python-telegram-bot's `BaseRequest` on aiohttp.

Only bytes and addresses are known here. Three ways to fail are told apart, because they are mended differently: the
request did not go out (`NotSent`), no answer came back (`NoAnswer`), and Telegram said no (`Declined`).

The bot's key is part of every address. The SDK is never given it: it hands over bare paths such as `/sendmessage`, and
the address is made here at the last moment. What leaves this module, errors included, holds no key.
"""

import json
import urllib.request
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import quote

import aiohttp
import yarl
from telegram.error import TelegramError
from telegram.request import BaseRequest, RequestData

CONNECT_SECONDS = 10.0
READ_SECONDS = 20.0
"""From the last byte sent, or the last one received, to the next one."""
TRANSFER_SECONDS = 110.0
"""For a file, up or down, as a whole: 50 MB at 4 Mbit a second."""
KEPT_OPEN_SECONDS = 15.0
"""For an idle connection: well below the 75 s of Telegram's nginx, so that no call meets one that is being closed."""
CHUNK = 64 * 1024

_JSON = {"Content-Type": "application/json"}


class NotSent(TelegramError):
    """The request never went out as a whole, so it cannot have been taken."""


class NoAnswer(TelegramError):
    """The request went out; whether it was taken nobody said."""


class Declined(TelegramError):
    """Something answered, and it was no success. `answer` is its JSON, where it was JSON."""

    def __init__(self, status: int, answer: Mapping[str, Any] | None) -> None:
        super().__init__(f"status {status}")
        self.status = status
        self.answer = answer


class AiohttpRequest(BaseRequest):
    """Requests with one bot's key, over at most `connections` connections that are kept open between requests.

    aiohttp costs a third of the processor time of the SDK's own httpx class, and is the largest part of what a message
    costs. The proxy that the environment names is looked up once, when it opens, and not for every request.

    Raises:
        ValueError: when opening, for a proxy that is not an HTTP proxy.
    """

    def __init__(
        self,
        token: str,
        base_url: str,
        base_file_url: str,
        *,
        connections: int,
        connect_seconds: float = CONNECT_SECONDS,
        read_seconds: float = READ_SECONDS,
    ) -> None:
        self._secret = token.partition(":")[2] or token
        self._calls = base_url + token
        self._files = base_file_url + token
        self._connections = connections
        self._session: aiohttp.ClientSession | None = None
        self._proxy: yarl.URL | None = None
        self._addresses: dict[str, yarl.URL] = {}
        self._connect_seconds = connect_seconds
        self._read_seconds = read_seconds
        self._usual = self._timeout(read_seconds)
        self.date = ""
        """The `Date` of the last answer, as it came."""

    @property
    def read_timeout(self) -> float:
        """In seconds."""
        return self._read_seconds

    async def initialize(self) -> None:
        """Open the pool; nothing is connected yet."""
        if self._session is not None:
            return
        self._proxy = _proxy_for(yarl.URL(self._calls, encoded=True))
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._connections, keepalive_timeout=KEPT_OPEN_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": "Conch"},
            skip_auto_headers=("Accept", "Accept-Encoding"),
        )

    async def shutdown(self) -> None:
        """Close every connection. What is under way fails."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: object = BaseRequest.DEFAULT_NONE,
        write_timeout: object = BaseRequest.DEFAULT_NONE,
        connect_timeout: object = BaseRequest.DEFAULT_NONE,
        pool_timeout: object = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        """Make a request; called by the SDK with a path for `url`. Of the timeouts only `read_timeout` is ever given.

        Raises:
            NotSent, NoAnswer, Declined: see there.
        """
        session, tracker = self._open(), aiohttp.UploadTracker()
        body, headers, timeout = _encode(request_data), _JSON, self._usual
        if isinstance(body, aiohttp.FormData):
            headers, timeout = {}, self._timeout(self._read_seconds, TRANSFER_SECONDS)
        elif isinstance(read_timeout, int | float):
            timeout = self._timeout(read_timeout)
        try:
            async with session.request(
                method,
                self._address(url),
                data=body,
                headers=headers,
                proxy=self._proxy,
                timeout=timeout,
                allow_redirects=False,
                upload_tracker=tracker,
            ) as response:
                self.date = response.headers.get("Date", "")
                status, payload = response.status, await response.read()
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise self._failure(error, sent=_is_complete(tracker)) from self._without_key(error)
        if status >= 300:
            raise self._declined(status, payload)
        return status, payload

    async def stream(self, path: str) -> AsyncIterator[bytes]:
        """The bytes of a file; `path` is the one that Telegram gave, below the files' own address.

        Raises:
            NoAnswer, Declined: see there.
        """
        address = yarl.URL(f"{self._files}/{quote(path)}", encoded=True)
        timeout = self._timeout(self._read_seconds, TRANSFER_SECONDS)
        try:
            async with self._open().get(address, proxy=self._proxy, timeout=timeout, allow_redirects=False) as response:
                if response.status != 200:
                    raise self._declined(response.status, await response.content.read(CHUNK))
                async for chunk in response.content.iter_chunked(CHUNK):
                    yield chunk
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise self._failure(error, sent=True) from self._without_key(error)

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """The JSON of a successful answer; the SDK's own would log what it cannot read."""
        try:
            answer = json.loads(payload)
        except (ValueError, RecursionError) as error:
            raise NoAnswer("Telegram's answer could not be read.") from error
        if not isinstance(answer, dict) or "result" not in answer:
            raise NoAnswer("Telegram's answer holds no result.")
        return answer

    def _timeout(self, read_seconds: float, total: float | None = None) -> aiohttp.ClientTimeout:
        return aiohttp.ClientTimeout(total=total, connect=self._connect_seconds, sock_read=read_seconds)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            raise NotSent("There is no connection to Telegram.")
        return self._session

    def _address(self, path: str) -> yarl.URL:
        """Kept for every method, of which there are a dozen: to read an address takes longer than to write a body."""
        address = self._addresses.get(path)
        if address is None:
            address = self._addresses[path] = yarl.URL(self._calls + path, encoded=True)
        return address

    def _failure(self, error: Exception, *, sent: bool) -> TelegramError:
        if isinstance(error, TimeoutError):
            words = "Telegram gave no answer in time." if sent else "Telegram could not be reached in time."
        else:
            detail = type(error).__name__ if self._names_key(error) else str(error) or type(error).__name__
            words = f"The connection to Telegram broke: {detail}" if sent else f"Telegram cannot be reached: {detail}"
        return NoAnswer(words) if sent else NotSent(words)

    def _declined(self, status: int, payload: bytes) -> Declined:
        try:
            answer = json.loads(payload.replace(self._secret.encode(), b"<key>"))
        except (ValueError, RecursionError):
            answer = None
        return Declined(status, answer if isinstance(answer, dict) else None)

    def _names_key(self, error: BaseException) -> bool:
        return self._secret in f"{error} {error!r}"

    def _without_key(self, error: BaseException) -> BaseException | None:
        """The error as a cause that may be logged; None where it or one of its own causes shows the address."""
        link: BaseException | None = error
        while link is not None:
            if self._names_key(link):
                return None
            link = link.__cause__ or link.__context__
        return error


def _is_complete(tracker: aiohttp.UploadTracker) -> bool:
    """Whether the whole request was handed to the network; where that is in doubt, it was."""
    settled = tracker.upload_complete
    return settled.done() and not settled.cancelled() and settled.exception() is None


def _encode(request: RequestData | None) -> bytes | aiohttp.FormData | None:
    """Parameters as one JSON object, or as a form where there are files."""
    if request is None:
        return None
    if not request.contains_files:
        return json.dumps(request.parameters).encode()
    # Names of files as they are, in UTF-8: Telegram would show percent signs.
    form = aiohttp.FormData(quote_fields=False)
    for name, value in request.json_parameters.items():
        form.add_field(name, value)
    for name, (file_name, content, mime) in request.multipart_data.items():
        form.add_field(name, content, filename=_harmless(file_name), content_type=mime)
    return form


def _harmless(file_name: str) -> str:
    """A file name that cannot end the header in which it stands."""
    shown = "".join(letter if letter.isprintable() else "_" for letter in file_name)
    return shown.replace('"', "'").replace("\\", "_")


def _proxy_for(address: yarl.URL) -> yarl.URL | None:
    """The proxy that the environment names for an address (HTTPS_PROXY, ALL_PROXY, NO_PROXY); none to this machine."""
    host = address.host or ""
    if host in ("127.0.0.1", "::1", "localhost") or urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    named = proxies.get(address.scheme) or proxies.get("all")
    if named is None:
        return None
    proxy = yarl.URL(named)
    if proxy.scheme not in ("http", "https"):
        raise ValueError(f"The proxy for Telegram is of the kind {proxy.scheme!r}; only HTTP proxies can be used.")
    return proxy
