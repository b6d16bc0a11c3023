"""Each number of an overview is that of the list to which it leads, also far from UTC."""

import csv
import io
import re
from urllib.parse import urljoin

import pytest

from portal.config.cookies import VAR_TIME_ZONE
from tests.support.harness import RunningStack
from tests.support.http_browser import HttpBrowser

FIGURE = re.compile(r'<a class="figure" href="([^"]+)".*?figure-name">([^<]+)<.*?figure-value">([^<]+)<', re.DOTALL)
NEED = re.compile(r'<a class="need [^"]*" href="([^"]+)">.*?<strong>([\d,]+)</strong>', re.DOTALL)
#: The parts of a need that are lists of their own, such as invoices by how long they are overdue.
PART = re.compile(r'<a href="([^"]+\?[^"]+)">[^<]*</a>\s*<span class="amount">([\d,]+)')
#: Figures that are a sum of a column of the list as a file.
COLUMNS = {"Energy": "Energy, kWh", "Revenue": "Cost"} | dict.fromkeys(
    ("Outstanding", "Overdue", "Invoiced", "Paid"), "Amount"
)
#: The rows of the first chart as a table: where a bar leads, and its number.
BAR = re.compile(r'<th scope="row">\s*<a href="([^"]+)">[^<]+</a>[^<]*</th>\s*<td>([^<]+)</td>')
APPS = ("energy", "operations", "finance")


def number_in(text: str) -> int:
    return int("".join(re.findall(r"\d", text)))


def test_each_figure_and_need_leads_to_a_list_of_as_much(stack: RunningStack) -> None:
    with HttpBrowser() as browser:
        browser.take(stack.tokens("all@example.com"))
        browser.http.cookies.set(VAR_TIME_ZONE, "America/Los_Angeles", domain="localhost.local")
        for app in APPS:
            for period in ("30d", "12m"):
                page = browser.get(stack.url(app, f"/en/{app}?period={period}"))
                figures = [
                    (urljoin(page.url, href.replace("&amp;", "&")), *rest) for href, *rest in FIGURE.findall(page.text)
                ]
                assert figures
                for url, name, value in figures:
                    path, _, query = url.partition("?")
                    # The file of a year's charging sessions is a matter of its own.
                    if name not in COLUMNS:
                        assert f"{number_in(value):,} entr" in browser.get(url).text, (app, period, name)
                    elif (app, period) != ("energy", "12m"):
                        file = browser.get(f"{path}/export?{query}").content.decode("utf-8-sig")
                        total = sum(float(row[COLUMNS[name]] or 0) for row in csv.DictReader(io.StringIO(file)))
                        assert 0 < number_in(value) == pytest.approx(total, abs=1), (app, period, name)
            bars = BAR.findall(page.text)[-3:] if app == "operations" else []
            needs = NEED.findall(page.text)
            assert needs, app
            assert app != "finance" or PART.search(page.text)
            for href, count in (*needs, *PART.findall(page.text), *bars):
                shown = browser.get(urljoin(page.url, href.replace("&amp;", "&"))).text
                assert re.search(rf"\b{count} entr", shown), (app, href)
