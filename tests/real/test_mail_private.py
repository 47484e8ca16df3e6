"""The mail tool in private: TLS and a password, against real servers that want them."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import attrs
import pytest
import trio
import trustme
from mail import MailConfig, mail
from mailing import CALL
from post_office import PostOffice, post_office

from trio_tools import ToolResult, open_registry


@attrs.frozen
class Certificates:
    """`authority`, whom the tool trusts, and `server`, which it has signed."""

    authority: Path
    server: Path


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder, authority = tmp_path_factory.mktemp("certificates"), trustme.CA()
    made = Certificates(folder / "authority.pem", folder / "server.pem")
    authority.cert_pem.write_to_path(made.authority)
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(made.server)
    return made


@pytest.fixture
def trusted(certificates: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the tool trusts is what the system does, and this is how it is told of more."""
    monkeypatch.setenv(ssl.get_default_verify_paths().openssl_cafile_env, str(certificates.authority))


@pytest.fixture(scope="module", params=["starttls", "implicit"])
def private(request: pytest.FixtureRequest, certificates: Certificates) -> Iterator[tuple[PostOffice, MailConfig]]:
    """A server that takes mails in private only, and a config for it but for who logs in."""
    with post_office(certificates.server, implicit=request.param == "implicit") as post:
        yield post, MailConfig(host="127.0.0.1", port=post.port, sender="bot@example.com", tls=request.param)


async def sent(config: MailConfig) -> ToolResult:
    async with open_registry(plugins=[mail(config)]) as registry:
        return await registry.execute(CALL, scope=trio.CancelScope())


@pytest.mark.usefixtures("trusted")
async def test_a_mail_goes_out_in_private_once_the_server_knows_who_sends_it(
    private: tuple[PostOffice, MailConfig],
) -> None:
    post, config = private
    result = await sent(attrs.evolve(config, user="ada", password="analytical"))
    (taken,) = post.taken()
    assert (result.code, taken.private, taken.hello) == (None, True, "[127.0.0.1]")


@pytest.mark.usefixtures("trusted")
async def test_a_wrong_password_is_a_plain_failure_and_not_said_again(private: tuple[PostOffice, MailConfig]) -> None:
    post, config = private
    result = await sent(attrs.evolve(config, user="ada", password="difference"))
    assert result.text.startswith("Error: nothing was sent: to AUTH the server said 535 ")
    assert "difference" not in repr((result, config))
    assert (result.code, result.effects, post.taken()) == ("MAIL_REFUSED", (), [])


async def test_a_server_that_nobody_vouches_for_hears_neither_password_nor_mail(
    private: tuple[PostOffice, MailConfig],
) -> None:
    post, config = private
    result = await sent(attrs.evolve(config, user="ada", password="analytical"))
    assert result.code == "MAIL_NO_SERVER"
    assert "certificate verify failed" in result.text
    assert (result.effects, post.taken()) == ((), [])


@pytest.mark.usefixtures("trusted")
async def test_a_server_without_starttls_hears_no_mail(post: PostOffice) -> None:
    """Whoever stands in between may have taken the offer away."""
    result = await sent(MailConfig(host="127.0.0.1", port=post.port, sender="bot@example.com"))
    assert result.text == "Error: nothing was sent: to STARTTLS the server said 454 TLS not available"
    assert (result.code, result.effects, post.taken()) == ("MAIL_REFUSED", (), [])


def test_a_password_without_tls_is_refused_by_the_config() -> None:
    with pytest.raises(ValueError, match="user must be empty without tls"):
        partial(MailConfig, host="127.0.0.1", sender="bot@example.com", tls="none")(user="ada")


@pytest.mark.parametrize("sender", ["bot", "bot@example.com, eve@example.com", "<bot@example.com>", "a@b\r\nX: y"])
def test_a_sender_that_is_no_address_is_refused_by_the_config(sender: str) -> None:
    with pytest.raises(ValueError, match="sender"):
        MailConfig(host="127.0.0.1", sender=sender)
