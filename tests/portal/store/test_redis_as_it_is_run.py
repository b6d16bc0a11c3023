"""Redis by TLS, with users, by a socket file and with Sentinels: each the real thing, by the projects' own settings."""

import contextlib
import re
import socket
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest

from portal.errors import StoreUnavailableError
from portal.store import MISSING, check_refresh_store, query_store, refresh_store
from tests.support.authority import Authority
from tests.support.given_store import stores_on
from tests.support.harness import ROOT
from tests.support.ports import free_port
from tests.support.processes import until
from tests.support.redis_sentinel import watched_redis
from tests.support.redis_server import running_redis, suspended

pytestmark = pytest.mark.redis

#: What an address can't hold as it is.
PASSWORD = "p,w;1@/#:%&é"
USER = ("--user", "default", "off", "--user", "portal", "on", f">{PASSWORD}", "~*", "&*", "+@all")
LOGIN = f"portal:{quote(PASSWORD, safe='')}@"


def all_words_of(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(error)


def use_both() -> None:
    for store in (query_store(), refresh_store()):
        assert store.add("lock", 1, lifetime_s=60)
        assert not store.add("lock", 1, lifetime_s=60)
        store.set_many({"a": 1, "b": [2]}, lifetime_s=60)
        assert store.get_many(["a", "b", "c"]) == {"a": 1, "b": [2]}
        assert store.incr("a") == 2
        assert store.touch("a", lifetime_s=60)
        assert store.delete("a")
        assert store.get("a") is MISSING


class TestTlsAndUsers:
    @pytest.fixture
    def server(self, tmp_path: Path):
        certificate, key = certificate_of(tmp_path)
        self.tls_port = free_port()
        tls = ("--tls-port", str(self.tls_port), "--tls-cert-file", str(certificate), "--tls-key-file", str(key))
        self.certificate = certificate
        with running_redis(tmp_path, *tls, "--tls-auth-clients", "no", *USER) as server:
            yield server

    def test_a_user_and_a_certificate_authority_of_ones_own(self, server):
        with stores_on(f"rediss://{LOGIN}localhost:{self.tls_port}/0?ssl_ca_certs={self.certificate}"):
            use_both()
            assert check_refresh_store() == []

    def test_a_certificate_of_an_unknown_authority_is_not_accepted(self, server, caplog):
        with stores_on(f"rediss://{LOGIN}localhost:{self.tls_port}/0"):
            with pytest.raises(StoreUnavailableError) as caught:
                refresh_store().get("a")
            (warning,) = check_refresh_store()
        assert warning.id == "portal.store.E008"
        assert warning.msg.startswith("CACHE_URL can't work: its certificate is not trusted: ")
        for text in (all_words_of(caught.value), str(warning), caplog.text):
            assert PASSWORD not in text
            assert quote(PASSWORD, safe="") not in text

    def test_plain_words_to_a_port_for_tls_are_said(self, server):
        with stores_on(f"redis://{LOGIN}localhost:{self.tls_port}/0"):
            (message,) = check_refresh_store()
        assert message.msg.startswith("CACHE_URL can't be reached: it closes each connection, as a port for TLS does")

    def test_nor_one_for_another_host(self, server):
        url = f"rediss://{LOGIN}127.0.0.1:{self.tls_port}/0?ssl_ca_certs={self.certificate}"
        with stores_on(url), pytest.raises(StoreUnavailableError):
            refresh_store().get("a")


def test_the_user_of_the_documentation_may_do_what_is_needed(tmp_path):
    text = (ROOT / "docs" / "how-to" / "deploy.md").read_text()
    (words,) = re.findall(r"^user (portal on >.+)$", text, re.MULTILINE)
    password = words.split()[2].removeprefix(">")
    with (
        running_redis(tmp_path, "--user", "default", "off", "--user", *words.split()) as server,
        stores_on(f"redis://portal:{password}@127.0.0.1:{server.port}/0"),
    ):
        use_both()
        assert check_refresh_store() == []


def test_a_socket_file(tmp_path):
    file = tmp_path / "redis.sock"
    with running_redis(tmp_path, "--unixsocket", str(file), *USER), stores_on(f"unix://{LOGIN}{file}?db=1"):
        use_both()
        assert check_refresh_store() == []


class TestSentinels:
    def test_the_primary_is_found_and_after_its_death_the_next_one(self, tmp_path):
        with watched_redis(tmp_path) as watched, stores_on(watched.url(database=2)):
            assert check_refresh_store() == []
            with stores_on(f"redis://127.0.0.1:{watched.ports[0]}/0"):
                (message,) = check_refresh_store()
                assert message.msg == "CACHE_URL can't work: it is a Sentinel: its form is redis+sentinel://…/service."
            use_both()
            # One Sentinel that answers is enough.
            with socket.create_server(("127.0.0.1", 0)) as hanging:
                hosts = [hanging.getsockname()[1], free_port(), watched.ports[0]]
                urls = ",".join(f"127.0.0.1:{port}" for port in hosts)
                with stores_on(f"redis+sentinel://{urls}/portal"):
                    refresh_store().set("one", 1, lifetime_s=600)
            refresh_store().set("kept", "before", lifetime_s=600)
            gone = watched.kill_primary()
            with pytest.raises(StoreUnavailableError):
                refresh_store().get("kept")
            watched.wait_for_another_primary(than=gone)
            eventually(lambda: refresh_store().get("kept") == "before")
            eventually(lambda: refresh_store().set("after", 1, lifetime_s=60) is None)
            assert refresh_store().get("after") == 1
            # It comes back as a replica: nothing is read from it, nor written to it.
            gone.start()
            refresh_store().set("after", 2, lifetime_s=60)
            assert refresh_store().get("after") == 2

    def test_users_of_the_servers_and_of_the_sentinels_by_tls(self, tmp_path):
        password = "a,secret@word"
        login = ("--user", "default", "off", "--user", "portal", "on", f">{password}", "~*", "&*", "+@all")
        replication = ("--masteruser", "portal", "--masterauth", password)
        monitor = ("auth-user portal portal", f"auth-pass portal {password}")
        certificate, key = certificate_of(tmp_path)
        with watched_redis(tmp_path, *login, *replication, monitor=monitor, tls=(certificate, key)) as watched:
            # The Sentinels name servers by their address, which is not in this certificate.
            trust = f"?ssl_ca_certs={certificate}&ssl_check_hostname=false"
            url = watched.url(user=f"portal:{quote(password, safe='')}@")
            with stores_on(url + trust):
                use_both()
            for wrong in (watched.url(user="portal:wrong-secret@") + trust, url):
                with stores_on(wrong), pytest.raises(StoreUnavailableError) as caught:
                    refresh_store().get("a")
                assert "wrong-secret" not in all_words_of(caught.value)

    def test_what_no_replica_has_taken_is_not_said_to_be_kept(self, tmp_path):
        with watched_redis(tmp_path) as watched, stores_on(watched.url()):
            writes = (
                lambda: refresh_store().add("a", 1, lifetime_s=600),
                lambda: refresh_store().set("b", 1, lifetime_s=600),
                lambda: refresh_store().set_many({"c": 1, "d": 2}, lifetime_s=600),
                lambda: refresh_store().update("e", lambda _: 1, lifetime_s=600, since=0),
                lambda: refresh_store().update("f", lambda f: f if f is MISSING else 2, lifetime_s=600, since=0),
            )
            refresh_store().set("f", 1, lifetime_s=600)
            for write in writes:
                with suspended(*watched.replicas()):
                    with pytest.raises(StoreUnavailableError):
                        write()
                    # Cached data may be lost at any time, so these writes do not wait for a replica.
                    query_store().set("cached", 1, lifetime_s=600)
                eventually(lambda: refresh_store().set("sure", 1, lifetime_s=600) is None)
            assert refresh_store().get_many("abcdef") == {"a": 1, "b": 1, "c": 1, "d": 2, "e": 1, "f": 2}
            # A primary that is alone is used as it is.
            for replica in watched.replicas():
                replica.stop()
            eventually(lambda: refresh_store().set("g", 1, lifetime_s=60) is None)
            assert refresh_store().get("g") == 1

    def test_a_write_that_dies_with_its_primary_was_never_confirmed_with_a_replica(self, tmp_path):
        with watched_redis(tmp_path) as watched, stores_on(watched.url()):
            with suspended(*watched.replicas()):
                # More than the kernel takes for a process that does not read: what follows stays in the primary.
                query_store().set("large", "x" * 30_000_000, lifetime_s=600)
                query_store().set("cached", 1, lifetime_s=600)
                with pytest.raises(StoreUnavailableError):
                    refresh_store().set("shared", 1, lifetime_s=600)
                gone = watched.kill_primary()
            watched.wait_for_another_primary(than=gone)
            eventually(lambda: query_store().get("cached") is MISSING)
            assert refresh_store().get("shared") is MISSING

    def test_sentinels_that_hang_are_an_error_and_not_a_wait_without_end(self):
        with contextlib.ExitStack() as stack:
            hanging = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
            hosts = ",".join(f"127.0.0.1:{one.getsockname()[1]}" for one in hanging)
            with stores_on(f"redis+sentinel://user:a-secret@{hosts}/portal?sentinel_password=a-secret"):
                with pytest.raises(StoreUnavailableError) as caught:
                    refresh_store().get("a")
                (warning,) = check_refresh_store()
        assert "a-secret" not in all_words_of(caught.value) + str(warning)


def certificate_of(folder: Path) -> tuple[Path, Path]:
    """The files of a certificate for this machine, with its authority's, and of its key."""
    authority = Authority(folder / "authority")
    certificate, key = authority.sign("localhost")
    whole = folder / "certificate.pem"
    whole.write_bytes(certificate.read_bytes() + authority.file.read_bytes())
    return whole, key


def eventually(done) -> None:
    """For as long as a failover takes: connections break, and the new primary's replica has to catch up."""

    def succeeds() -> bool:
        with contextlib.suppress(StoreUnavailableError):
            return done()
        return False

    until(succeeds, what="the store comes back")
