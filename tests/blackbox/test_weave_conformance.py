"""The cases of the Weave pipeline-controller's own tests, told over HTTPS, against docs/migrating-from-weave.md.

Every row of the page's table is played here, and what the server answers must be what the row promises.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any, Callable, Iterator

import pytest
from flags import flags
from fleet import helm_release, pull_request
from flux_events import encode, flux_event, signed_headers
from forge_impostor import ForgeImpostor
from instance import KEY, Instance
from pipelines import environment, pipeline, to_yaml
from process import wait_until
from signing import bound_approval, hashed, seconds_from_now
from sluice import ROOT
from tls_client import Answer

PAGE = ROOT / "docs" / "migrating-from-weave.md"
SIGNED = "promotion-credentials"
APPROVAL_KEY = "a key that only the approving program knows"


def app(**options: Any) -> dict[str, Any]:
    """Weave's fixture: the HelmRelease app of 2023 in default/app."""
    made = pipeline("app", environments=["dev", "prod", "edge"], target_namespace="app", **options)
    made["spec"]["appRef"] = {"apiVersion": "helm.toolkit.fluxcd.io/v2beta1", "kind": "HelmRelease", "name": "app"}
    return made


def weave_event(**fields: Any) -> bytes:
    given = {"name": "app", "namespace": "app", "api_version": "helm.toolkit.fluxcd.io/v2beta1"} | fields
    return encode(flux_event(**({"revision": "5.0.0"} | given)))


class Weave:
    """A server with the fixture, and one sentence for each thing the cases do."""

    def __init__(self, server: Instance):
        self.server = server

    def serve(self, manifest: dict[str, Any]) -> None:
        """Starts (again) with this manifest: what is on disk at the start is read at the start."""
        self.server.stop()
        self.server.write_pipeline(to_yaml(manifest), "app")
        self.server.start()

    def serve_refused(self, manifest: dict[str, Any]) -> None:
        """A running server finds this manifest, tells what is wrong with it, and does not take it."""
        self.server.stop()
        (self.server.pipelines / "app.yaml").unlink()
        self.server.start()
        self.server.write_pipeline(to_yaml(manifest), "app")
        wait_until(lambda: b"app.yaml" in self.server.admin("/readyz").body, "/readyz to name the manifest")

    def set(self, **settings: object) -> None:
        """From the next start on."""
        self.server.process.command.extend(flags(**settings))

    def post(self, body: bytes = b"", path: str = "/promotion/default/app/dev", signature: str | None = "") -> Answer:
        """Signed with the right key, unless a signature is given; None sends none."""
        headers = {} if signature is None else {"X-Signature": signature or hashed(KEY, body)}
        return self.server.ask("POST", path, body, headers)


CASES: dict[str, Callable[[Weave], Answer]] = {}


def case(name: str) -> Callable[[Callable[[Weave], Answer]], Callable[[Weave], Answer]]:
    def keep(play: Callable[[Weave], Answer]) -> Callable[[Weave], Answer]:
        CASES[name] = play
        return play

    return keep


CASES |= {
    "1a": lambda weave: weave.server.ask("GET", "/promotion/default/app/dev"),
    "1b": lambda weave: weave.server.ask("GET", "/"),
    "2": lambda weave: weave.post(path="/"),
    "3a": lambda weave: weave.post(b""),
    "3b": lambda weave: weave.post(b"", signature=None),
    "4": lambda weave: weave.post(b"incompatible"),
    "5": lambda weave: weave.post(weave_event(), path="/promotion/ns/app/env"),
    "6a": lambda weave: weave.post(weave_event()),
    "6b": lambda weave: weave.post(weave_event(), signature="sha256=invalid"),
    "6c": lambda weave: weave.post(weave_event(), signature=None),
    "6d": lambda weave: weave.post(body := weave_event(), signature=hashed(KEY, body, "sha224")),
    "6e": lambda weave: weave.post(body := weave_event(), signature=hashed(KEY, body, "sha384")),
    "6f": lambda weave: weave.post(body := weave_event(), signature=hashed(KEY, body, "sha512")),
    "6g": lambda weave: weave.post(body := weave_event(), signature=hashed(KEY, body, "sha1")),
    "6h": lambda weave: weave.post(body := weave_event(), signature=hashed(KEY, body) + "="),
    "6l": lambda weave: weave.post(body := weave_event(), signature="sha256=" + hashed(KEY, body)[7:].upper()),
    "7a": lambda weave: weave.post(weave_event(name="another")),
    "7b": lambda weave: weave.post(weave_event(namespace="another")),
    "7c": lambda weave: weave.post(weave_event(kind="Kustomization")),
    "7d": lambda weave: weave.post(weave_event(api_version="helm.toolkit.fluxcd.io/v2")),
    "7e": lambda weave: weave.post(weave_event(api_version="another.group/v2beta1")),
    "8": lambda weave: weave.post(weave_event(), path="/promotion/default/app/edge"),
    "10": lambda weave: weave.post(weave_event(), path="/promotion/default/app/foo"),
    "11": lambda weave: weave.post(weave_event(revision=None)),
    "14": lambda weave: weave.post(weave_event()),
    "severity": lambda weave: weave.post(weave_event(reason="UpgradeFailed")),
    "freshness": lambda weave: weave.post(weave_event(timestamp=seconds_from_now(-660))),
    "cluster": lambda weave: weave.post(weave_event(cluster="mars")),
    "segments": lambda weave: weave.post(weave_event(), path="/promotion/default/app/dev/more"),
    "short form": lambda weave: weave.post(weave_event(), path="/default/app/dev"),
    "empty object": lambda weave: weave.post(b"{}"),
    "null": lambda weave: weave.post(b"null"),
    "body limit": lambda weave: weave.post(b" " * (3 * 1024 * 1024 + 1)),
}


@case("6i")
def _secret_missing(weave: Weave) -> Answer:
    weave.serve(app(secret="not-there"))
    return weave.post(weave_event())


@case("6j")
def _key_missing(weave: Weave) -> Answer:
    weave.server.write_secret("keyless", {"token": KEY})
    weave.serve(app(secret="keyless"))
    return weave.post(weave_event())


@case("6k")
def _unsigned_pipeline(weave: Weave) -> Answer:
    weave.serve(app(secret=None))
    return weave.post(weave_event(), signature=None)


@case("9")
def _next_environment_without_targets(weave: Weave) -> Answer:
    manifest = app()
    manifest["spec"]["environments"][1]["targets"] = []
    weave.serve_refused(manifest)
    return weave.post(weave_event())


PULL_REQUEST = {
    "pull-request": {
        "type": "github",
        "url": "https://github.invalid/my-org/my-app-repo",
        "baseBranch": "main",
        "secretRef": {"name": SIGNED},
    }
}


@case("12")
def _pull_request(weave: Weave) -> Answer:
    weave.serve(app(strategy=PULL_REQUEST))
    answer = weave.post(weave_event())
    assert answer.header("Location") is None
    assert answer.json()["promotion"] == "default/app/prod@5.0.0"
    return answer


@case("13")
def _strategy_that_cannot_work(weave: Weave) -> Answer:
    strategy = {"pull-request": PULL_REQUEST["pull-request"] | {"url": "https://nobody.invalid/nothing"}}
    weave.serve(app(strategy=strategy))
    return weave.post(weave_event())


@case("15")
def _no_promotion(weave: Weave) -> Answer:
    manifest = app()
    del manifest["spec"]["promotion"]
    manifest["spec"]["environments"][0]["secretRef"] = {"name": SIGNED}
    weave.serve(manifest)
    answer = weave.post(weave_event())
    assert weave.server.promotions() == []
    return answer


@case("16")
def _unknown_strategy(weave: Weave) -> Answer:
    weave.serve_refused(app(strategy={"carrier-pigeon": {}}))
    return weave.post(weave_event())


@case("17")
def _manual(weave: Weave) -> Answer:
    weave.serve(app(manual=True))
    answer = weave.post(weave_event())
    (waiting,) = weave.server.promotions()
    assert (waiting["environment"], waiting["revision"], waiting["state"]) == ("prod", "5.0.0", "AwaitingApproval")
    return answer


def approve(weave: Weave, revision: str = "5.0.0", *, bound: bool = True, key: str = APPROVAL_KEY) -> Answer:
    path = f"/approval/default/app/prod/{revision}"
    if not bound:  # Weave's: the signature of nothing, the same for every approval
        return weave.server.ask("POST", path, b"", {"X-Signature": hashed(key, b"")})
    return weave.server.ask("POST", path, b"", bound_approval(key, path))


@contextlib.contextmanager
def waiting(weave: Weave) -> Iterator[ForgeImpostor]:
    """5.0.0 waits for its approval into prod, whose pull requests go to a forge that is there."""
    folder = weave.server.state.parent / "forge"
    files = {"prod/app.yaml": helm_release("4.9.0", "default:app:prod")}
    weave.server.write_secret(SIGNED, {"approval-key": APPROVAL_KEY, "token": "t", "username": "bot", "password": "t"})
    with ForgeImpostor(folder, files, token="t") as forge:
        strategy = pull_request(forge.repository_url, "gitea")
        weave.serve(app(manual=True, strategy=strategy))
        assert weave.post(weave_event()).json()["decision"] == "await_approval"
        yield forge


@case("18")
def _approval_by_get(weave: Weave) -> Answer:
    return weave.server.ask("GET", "/approval/default/app/prod/5.0.0")


@case("19")
def _approval_without_a_revision(weave: Weave) -> Answer:
    path = "/approval/default/app/prod"
    return weave.server.ask("POST", path, b"", bound_approval(KEY, path))


@case("20a")
def _approval_the_weave_way(weave: Weave) -> Answer:
    weave.server.process.command.append("--allow-weave-approvals=default/app")
    with waiting(weave):
        return approve(weave, bound=False, key=KEY)


@case("20b")
def _approval_with_the_wrong_key(weave: Weave) -> Answer:
    with waiting(weave):
        return approve(weave, key="another")


@case("20c")
def _approval_the_weave_way_where_it_is_not_allowed(weave: Weave) -> Answer:
    with waiting(weave) as forge:
        answer = approve(weave, bound=False, key=KEY)
        assert forge.pulls == []
        return answer


@case("21")
def _approval_of_another_revision(weave: Weave) -> Answer:
    with waiting(weave):
        return approve(weave, "4.9.9")


@case("22")
def _approval(weave: Weave) -> Answer:
    with waiting(weave) as forge:
        answer = approve(weave)
        assert answer.body == b"" and answer.header("Location") == forge.pulls[0]["html_url"]
        return answer


@case("23")
def _approval_once_more(weave: Weave) -> Answer:
    with waiting(weave):
        assert approve(weave).status == 201
        (approved,) = weave.server.promotions()
        assert approved["state"] == "PullRequestOpen"
        return approve(weave)


@case("24")
def _approval_without_promotion(weave: Weave) -> Answer:
    manifest = app()
    del manifest["spec"]["promotion"]
    manifest["spec"]["environments"][1]["secretRef"] = {"name": "approvals"}
    weave.server.write_secret("approvals", {"approval-key": APPROVAL_KEY})
    weave.serve(manifest)
    return approve(weave)


@case("25")
def _approval_of_what_cannot_work(weave: Weave) -> Answer:
    weave.server.write_secret(SIGNED, {"approval-key": APPROVAL_KEY, "token": "t", "username": "bot", "password": "t"})
    weave.serve(app(manual=True, strategy=PULL_REQUEST))
    assert weave.post(weave_event()).json()["decision"] == "await_approval"
    answer = approve(weave)
    (approved,) = weave.server.promotions()
    assert approved["state"] == "Running" and approved["retryAt"], "the approval is lost"
    return answer


@case("targets")
def _one_of_two_targets(weave: Weave) -> Answer:
    manifest = app()
    manifest["spec"]["environments"][0]["targets"].append({"namespace": "app-2"})
    weave.serve(manifest)
    return weave.post(weave_event())


@case("repeat")
def _the_same_version_once_more(weave: Weave) -> Answer:
    assert weave.post(weave_event(timestamp=seconds_from_now(-60))).json()["decision"] == "promote"
    return weave.post(weave_event())


@case("older")
def _an_older_version(weave: Weave) -> Answer:
    weave.serve(app(manual=True))
    assert weave.post(weave_event(timestamp=seconds_from_now(-60))).json()["decision"] == "await_approval"
    return weave.post(weave_event(revision="4.9.0"))


@case("other environment")
def _the_same_bytes_elsewhere(weave: Weave) -> Answer:
    body = weave_event()
    assert weave.post(body).json()["decision"] == "promote"
    return weave.post(body, path="/promotion/default/app/prod")


@case("rate limit")
def _too_many_events(weave: Weave) -> Answer:
    weave.set(auth_sender_rate=1, auth_sender_burst=2)
    weave.serve(app())
    told = [weave.post(weave_event(revision=f"5.0.{number}")) for number in range(4)]
    assert told[0].status == 202 and told[-1].retry_after() <= 2
    return told[-1]


@case("failures")
def _too_many_wrong_signatures(weave: Weave) -> Answer:
    weave.set(auth_failures_per_minute=2)
    weave.serve(app())
    told = [weave.post(weave_event(), signature="sha256=00") for _ in range(3)]
    assert [answer.status for answer in told[:2]] == [401, 401] and told[2].retry_after() >= 1
    assert weave.post(weave_event()).status == 202, "a valid signature is blocked"
    return told[2]


@case("override")
def _environment_overrides(weave: Weave) -> Answer:
    manifest = app()
    manual = {"manual": True, "strategy": {"notification": {}}}
    manifest["spec"]["environments"][1] = environment("prod", "app", promotion=manual)
    weave.serve(manifest)
    return weave.post(weave_event())


@case("environment key")
def _environment_key(weave: Weave) -> Answer:
    manifest = app()
    manifest["spec"]["environments"][0]["secretRef"] = {"name": "dev-events"}
    weave.server.write_secret("dev-events", {"hmac-key": "a key for dev alone"})
    weave.serve(manifest)
    assert weave.post(weave_event()).status == 401, "the pipeline's key speaks for an environment with its own"
    body = weave_event()
    return weave.post(body, signature=hashed("a key for dev alone", body))


def promised() -> dict[str, str]:
    """The page's table: the case's number and what the column "Sluice" says, such as `202 promote`."""
    rows = re.findall(r"^\| ([^|]+?) \| [^|]+ \| [^|]+ \| `([^`]+)`[^|]* \| [^|]+ \|$", PAGE.read_text(), re.MULTILINE)
    return dict(rows)


def answered(answer: Answer) -> str:
    if answer.status == 202:
        return f"202 {answer.json()['decision']}"
    assert answer.status == 201 or answer.problem()["detail"], "an error that does not say what to do"
    return str(answer.status)


def test_the_page_lists_every_case_that_is_played_and_no_other() -> None:
    assert set(promised()) == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_the_server_answers_what_the_migration_page_promises(name: str, make: Callable[..., Instance]) -> None:
    weave = Weave(make())
    weave.serve(app())
    assert answered(CASES[name](weave)) == promised()[name]
    assert weave.server.stop() == 0


def test_a_promotion_is_never_answered_with_what_flux_reads_as_a_failure(server: Instance) -> None:
    for number, path in enumerate(["/default/podinfo/dev", "/promotion/default/podinfo/prod", "/default/podinfo/dev"]):
        answer = server.event(f"1.{number}.0", path=path)
        assert answer.status == 202 and set(answer.json()) == {"decision", "reason", "promotion"}


def test_the_headers_of_a_generic_hmac_provider_are_all_it_takes(server: Instance) -> None:
    body = encode(flux_event("7.0.0"))
    answer = server.ask("POST", "/default/podinfo/dev", body, signed_headers(KEY, body) | {"Accept-Encoding": "gzip"})
    assert answer.status == 202 and answer.header("Content-Encoding") is None
