"""Traces of real servers, as a collector gets them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.functional.otlp_receiver import ReceivedSpan, Receiver, otlp_receiver
from tests.support.harness import RunningStack, running_stack
from tests.support.http_browser import HttpBrowser

EMAIL, PASSWORD = "energy@example.com", "demo"
SEARCHED = "quizzical-search"


@dataclass
class World:
    stack: RunningStack
    receiver: Receiver


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with (
        otlp_receiver() as receiver,
        running_stack(
            tmp_path_factory.mktemp("traced"),
            without=("operations", "finance"),
            through_proxy=True,
            OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url,
            OTEL_BSP_SCHEDULE_DELAY="200",
            APP_LOG_FORMAT="json",
        ) as stack,
    ):
        yield World(stack, receiver)


@pytest.fixture(scope="module")
def browser(world: World) -> Iterator[HttpBrowser]:
    with HttpBrowser() as made:
        made.sign_in(world.stack.url("auth_app"), email=EMAIL, password=PASSWORD)
        yield made


def page(world: World, browser: HttpBrowser, path: str, **headers: str) -> list[ReceivedSpan]:
    answer = browser.get(world.stack.url("energy", path), follow=False, **headers)
    return world.receiver.trace_of(answer.headers["X-Request-Id"])


def named(spans: list[ReceivedSpan], name: str) -> ReceivedSpan:
    (found,) = [span for span in spans if span.name == name]
    return found


def test_a_page_is_one_tree_of_its_queries_and_their_calls(world: World, browser: HttpBrowser) -> None:
    spans = page(world, browser, f"/en/energy/clients?menu=city&q={SEARCHED}")
    by_id = {span.span_id: span for span in spans}
    (root,) = [span for span in spans if span.parent_id not in by_id]
    assert root.name == "GET /<locale>/energy/clients"
    assert root.service == "energy"
    assert root.attributes["http.route"] == "/<locale>/energy/clients"
    assert root.attributes["http.response.status_code"] == 200
    assert root.attributes["portal.edge.rule"]
    query = named(spans, "query energy.get_clients")
    assert query.attributes == {"portal.endpoint": "energy.get_clients", "portal.outcome": "miss"}
    assert any(span.name == "jinja2.render" for span in spans)
    calls = {str(span.attributes["url.path"]): span for span in spans if span.name == "GET backend"}
    assert "/energy/clients" in calls
    # The sign-in has asked for it.
    assert named(spans, "query user.get_me").attributes["portal.outcome"] == "hit"
    # The list, and the choices of its open menu, side by side.
    assert by_id[query.parent_id].name == "queries 2"
    assert calls["/energy/clients"].parent_id == query.parent_id
    assert calls["/energy/clients"].attributes == {
        "http.request.method": "GET",
        "peer.service": "backend",
        "url.path": "/energy/clients",
        "http.response.status_code": 200,
    }
    assert all(root.start_ns <= span.start_ns <= span.end_ns for span in spans)
    again = page(world, browser, f"/en/energy/clients?menu=city&q={SEARCHED}")
    assert named(again, "query energy.get_clients").attributes["portal.outcome"] == "hit"
    assert [span for span in again if span.name == "GET backend"] == []


def test_a_redirect_of_the_edge_names_its_rule_and_no_browser_chooses_the_trace(world: World) -> None:
    chosen = "0af7651916cd43dd8448eb211c80319c"
    with HttpBrowser() as stranger:
        (span,) = page(world, stranger, "/en/energy/clients", traceparent=f"00-{chosen}-b7ad6b7169203331-01")
    assert span.trace_id != chosen
    assert (span.name, span.attributes["http.response.status_code"]) == ("GET", 302)
    assert span.attributes["portal.edge.rule"]


def test_a_refresh_is_a_part_of_the_page_that_needed_it(world: World, browser: HttpBrowser) -> None:
    browser.http.cookies.set(VAR_ACCESS_TOKEN, None, domain="localhost.local", path="/")
    spans = page(world, browser, "/en/energy/clients?q=refreshed")
    refresh = named(spans, "refresh attempt")
    assert refresh.attributes["portal.outcome"] == "refreshed"
    assert named(spans, "POST backend").parent_id == refresh.span_id


def test_the_backend_gets_the_trace_and_so_do_log_lines(world: World, browser: HttpBrowser) -> None:
    world.stack.proxy.calls.clear()
    spans = page(world, browser, "/en/energy/clients?q=handed-on")
    trace_id = spans[0].trace_id
    calls = {span.span_id for span in spans if span.name == "GET backend"}
    assert calls
    seen = {call.headers["traceparent"].rpartition("-")[0] for call in world.stack.proxy.calls}
    assert seen == {f"00-{trace_id}-{call}" for call in calls}
    lines = [line for line in world.stack.log.read_text().splitlines() if f'"trace_id": "{trace_id}"' in line]
    assert any("/energy/clients" in line for line in lines)


def test_nothing_of_a_person_of_a_row_or_of_a_probe_is_in_any_span(world: World, browser: HttpBrowser) -> None:
    probes = [
        browser.get(world.stack.url("energy", path)).headers["X-Request-Id"]
        for path in ("/healthz", "/readyz", "/metrics", "/static/nothing.css")
    ]
    answer = browser.get(world.stack.url("energy", f"/en/energy/clients?q={SEARCHED}&sort=name"))
    rows = browser.get(world.stack.url("energy", "/en/energy/clients"))
    values = set(re.findall(r"[\w.+-]+@[\w.-]+", rows.text))
    assert len(values) > 5
    world.receiver.trace_of(answer.headers["X-Request-Id"])
    secrets = {str(browser.cookie(name)) for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)}
    secrets |= {token.rpartition(".")[2] for token in secrets}
    secrets |= {*probes, EMAIL, SEARCHED, "sort=name", "127.0.0.1", "python-requests"} | values
    raw = world.receiver.raw
    assert b"energy.get_clients" in raw
    assert [secret for secret in secrets if secret.encode() in raw] == []
