"""What guards the site: policies, refusals, private servers."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from referee.store.store import Store
from tests.patience import PATIENCE
from tests.web import patient
from tests.web.serving import Served, referee, serve


def test_every_answer_has_the_policies(site: Served) -> None:
    """Pages, refusals and static files allow no script or frame from anywhere else, and no inline script."""
    for path in ("/", "/no-such-page", "/static/site.css", "/static/none", "/matches/x"):
        headers = patient.get(site.url + path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy, path
        assert "unsafe" not in policy, path
        assert headers["x-content-type-options"] == "nosniff", path


@pytest.mark.parametrize(
    "path", ["/static/../site.py", "/static/%2e%2e/site.py", "/static/..%2fsite.py", "/%2e%2e/etc/passwd"]
)
def test_no_path_leads_out_of_the_static_files(site: Served, path: str) -> None:
    """Names with dots lead nowhere."""
    with httpx.Client(timeout=PATIENCE) as client:
        request = client.build_request("GET", site.url)
        request.url = request.url.copy_with(raw_path=path.encode())
        answer = client.send(request)
    assert answer.status_code == 404


def test_a_wrong_method_is_refused(site: Served) -> None:
    """Nothing is changed by a request that a page does not take."""
    assert patient.post(site.url + "/").status_code == 405


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    """Returns a server that shows nothing to the public, and the token of a bot."""
    data: Path = tmp_path_factory.mktemp("private")
    with Store.under(data) as store:
        token = store.add_bot("mine")
    with serve(data, "--private") as served:
        yield served, token


def test_a_private_site_asks_for_a_token(private: tuple[Served, str]) -> None:
    """Without a good token there is nothing, static files included; with one there is everything."""
    served, token = private
    for path in ("/", "/static/site.css", "/no-such-page"):
        assert patient.get(served.url + path).status_code == 401
        assert patient.get(served.url + path, auth=("", "wrong")).status_code == 401
    assert patient.get(served.url, auth=("anybody", token)).status_code == 200
    assert patient.get(served.url, headers={"Authorization": f"Bearer {token}"}).status_code == 200


def test_only_static_files_are_kept(private: tuple[Served, str], site: Served) -> None:
    """No browser keeps a refusal of one: it would have it for a year."""
    for url in (f"{private[0].url}/static/site.css?x", f"{site.url}/static/none?x", f"{site.url}/?x"):
        assert patient.get(url).headers["cache-control"] == "no-cache", url
    found = patient.get(f"{site.url}/static/site.css?x")
    assert "immutable" in found.headers["cache-control"]
    assert patient.get(f"{site.url}/static/site.css").headers["cache-control"] == "no-cache"


def test_the_world_hears_no_plain_text_unless_asked(tmp_path: Path) -> None:
    """An address that is not loopback needs TLS or --insecure, and a port that is none is refused."""
    for where, word in (("0.0.0.0:0", "--insecure"), ("127.0.0.1:x", "HOST:PORT"), ("99999", "HOST:PORT")):
        with pytest.raises(AssertionError, match=word):
            referee("serve", "--data", str(tmp_path), "--http", where)
    for more, word in ((("--http", "0"), "give addresses or networks"), ((), "needs --http")):
        with pytest.raises(AssertionError, match=word):
            referee("serve", "--data", str(tmp_path), "--http-proxy", "proxy", *more)
