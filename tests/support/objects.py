"""Object servers on loopback: one for S3 (moto) and one for https. Both record the requests that
they receive.
"""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import trustme

POLL = 0.01  # seconds until a server notices that it is to stop (half a second by default)


@dataclass
class Asked:
    """A request: its method, its path, and the requested range of bytes, as the first byte and the
    byte after the last one.
    """

    method: str
    path: str
    span: tuple[int, int] | None = None

    @classmethod
    def of(cls, method: str, path: str, header: str | None) -> "Asked":
        """Return a request, given its ``Range`` header, or None if it has none."""
        first, _, last = (header or "").removeprefix("bytes=").partition("-")
        return cls(method, path, (int(first), int(last) + 1) if last else None)


@dataclass
class Server:
    """The requests that a server received, and an action before each answer."""

    address: str = ""
    asked: list[Asked] = field(default_factory=list)
    before: Callable[[Asked], None] = lambda _: None
    together: int = 0  # the greatest number of requests answered at the same time
    _now: int = 0
    _lock: Any = field(default_factory=threading.Lock)

    @contextmanager
    def answering(self, asked: Asked) -> Iterator[None]:
        """Record a request, and update the greatest number of requests that are answered at the
        same time.
        """
        with self._lock:
            self.asked.append(asked)
            self._now += 1
            self.together = max(self.together, self._now)
        try:
            self.before(asked)
            yield
        finally:
            with self._lock:
                self._now -= 1

    def spans(self, name: str) -> list[tuple[int, int]]:
        """Return the ranges of bytes of an object that were requested."""
        return [
            each.span
            for each in self.asked
            if each.method == "GET" and each.path.endswith(name) and each.span
        ]


class S3(Server):
    """An S3 server with the bucket ``people``."""

    def client(self) -> Any:
        """Return a boto3 client that can write to the bucket."""
        import boto3

        return boto3.client("s3", endpoint_url=self.address)

    def put(self, key: str, data: bytes) -> str:
        """Write an object to the bucket and return its address, ``s3://people/KEY``."""
        self.client().put_object(Bucket="people", Key=key, Body=data)
        return f"s3://people/{key}"


@contextmanager
def s3() -> Iterator[S3]:
    """Yield an S3 server. Environment variables point to this server instead of Amazon's."""
    from moto.core.base_backend import BackendDict
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        def log(self, *_: object) -> None:
            """Write no log of requests."""

    app = DomainDispatcherApplication(create_backend_app)
    server = S3()

    def noted(environ: Any, start: Any) -> Any:
        asked = Asked.of(environ["REQUEST_METHOD"], environ["PATH_INFO"], environ.get("HTTP_RANGE"))
        with server.answering(asked):
            return app(environ, start)

    running = make_server("127.0.0.1", 0, noted, threaded=True, request_handler=Quiet)
    server.address = f"http://127.0.0.1:{running.server_port}"
    thread = threading.Thread(target=running.serve_forever, args=(POLL,), daemon=True)
    thread.start()
    environment = {
        "AWS_ENDPOINT_URL": server.address,
        "AWS_ALLOW_HTTP": "true",  # deltalake needs it
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    try:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            BackendDict.reset()  # remove what other tests left
            server.client().create_bucket(Bucket="people")
            yield server
    finally:
        running.shutdown()
        thread.join()
        running.server_close()


class Web(Server):
    """An https server.

    Attributes:
        files: path -> content. Other paths are answered with status 404.
        answers: path -> the status and headers of its answer, instead of 200.
        sends_parts: if False, a requested range of bytes is ignored and the whole file is sent.
    """

    files: dict[str, bytes]
    answers: dict[str, tuple[int, dict[str, str]]]
    sends_parts = True


@contextmanager
def https(certificate: Any) -> Iterator[Web]:
    """Yield an https server on loopback. Its certificate authority is written to the file
    ``certificate``.
    """
    server = Web()
    server.files, server.answers = {}, {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = Asked.of("GET", self.path, self.headers["Range"])
            with server.answering(asked):
                status, headers = server.answers.get(self.path, (200, {}))
                data = server.files.get(self.path, b"")
                if self.path not in server.files and status == 200:
                    status, data = 404, b""
                elif asked.span and server.sends_parts and status == 200:
                    start, end = asked.span
                    headers = {
                        "Content-Range": f"bytes {start}-{min(end, len(data)) - 1}/{len(data)}"
                    }
                    status, headers["ETag"], data = 206, f'"{hash(data)}"', data[start:end]
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Write no log of requests."""

    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.socket = context.wrap_socket(running.socket, server_side=True)
    server.address = f"https://localhost:{running.server_port}"
    thread = threading.Thread(target=running.serve_forever, args=(POLL,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        running.shutdown()
        thread.join()
        running.server_close()
