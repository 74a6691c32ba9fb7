"""What a bot can check by itself: the deals were fixed before play, and the options are those asked for."""

import asyncio
import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import games
from referee.games.info import Option, OptionValue
from referee.match import events as ev
from referee.replay.reader import read
from referee.server.host import MatchRequest
from tests.server.client import finish, ready, records, room, run, running_log

# The words of replays/README.md, written down once more: nothing here comes from the product.


def joined(*parts: bytes) -> bytes:
    """Returns parts with their lengths before them."""
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def words(seed: bytes) -> Iterator[int]:
    """Yields the numbers of 32 bits that follow from a seed."""
    block = 0
    while True:
        digest = hashlib.sha256(seed + block.to_bytes(8, "big")).digest()
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
        block += 1


def below(source: Iterator[int], limit: int) -> int:
    """Returns a number below a limit, each as likely as any other."""
    return next(word % limit for word in source if word < 2**32 - 2**32 % limit)


def dealt(secret: bytes, group: str, deal: int, contributions: list[bytes]) -> list[int]:
    """Returns the order of the 28 tiles of a deal."""
    message = joined(b"referee deal v1", group.encode(), str(deal).encode(), *contributions)
    source = words(hmac.new(secret, message, hashlib.sha256).digest())
    order = list(range(28))
    for last in range(27, 0, -1):
        other = below(source, last + 1)
        order[last], order[other] = order[other], order[last]
    return order


@pytest.mark.parametrize("entropy", [(b"", b"\x00\xff" * 32, b"", b"mine"), (b"a", b"b", b"c", b"d")])
def test_deals_follow_from_the_committed_secret_and_the_entropy_of_the_seats(
    tmp_path: Path, entropy: tuple[bytes, ...]
) -> None:
    """What `MatchStarted` commits to and `MatchEnded` reveals gives the hands, with what the seats sent."""

    async def play() -> None:
        async with room(tmp_path) as hall:
            clients = await hall.bots(auto=False)
            playing = hall.play(seed=None, options={"target": 30})
            started = [await client.expect("match_started") for client in clients]
            for client, own, sent in zip(clients, started, entropy, strict=True):
                await client.send(ready(own, sent))
            await hall.first_turn(clients)
            outcome = await finish(playing, *clients)
            assert outcome.replay
            header = read(outcome.replay).setup

            for seat, (client, own) in enumerate(zip(clients, started, strict=True)):
                ended = await client.expect("match_ended")
                reveal = ended.reveal
                group = own.deal_group_id.encode()
                committed = joined(b"referee commitment v1", group, reveal.secret)
                assert own.provable
                assert (
                    own.commitment == hashlib.sha256(committed).digest() == bytes.fromhex(header.commitment)
                )
                assert reveal.deal_group_id == own.deal_group_id == header.deal_group
                assert tuple(reveal.contributions) == entropy
                order = dealt(reveal.secret, own.deal_group_id, 1, list(reveal.contributions))
                first = client.all("turn")[0].observation.block_dominoes
                assert first.public.deal == 1
                assert set(first.private.hand_tiles) == tiles(order[7 * seat : 7 * seat + 7])
            secret = clients[0].all("match_ended")[0].reveal.secret
            assert {
                record.seat: bytes.fromhex(record.entropy) for record in records(outcome, ev.Ready)
            } == dict(enumerate(entropy))
            (end,) = records(outcome, ev.End)
            assert (bytes.fromhex(end.secret), tuple(map(bytes.fromhex, end.contributions))) == (
                secret,
                entropy,
            )
            deals = records(outcome, ev.Deal)
            assert deals
            for deal in deals:
                assert list(deal.order) == dealt(secret, header.deal_group, deal.deal, list(entropy))

    run(play())


def tiles(pieces: list[int]) -> set[int]:
    """Returns the numbers of tiles on the wire, lying either way."""
    double_six = [(low, high) for low in range(7) for high in range(low, 7)]
    found = {double_six[piece] for piece in pieces}
    return {16 * low + high for low, high in found}


def unusual(option: Option) -> OptionValue:
    """Returns a value that is not the default."""
    if option.choices:
        return next(choice for choice in reversed(option.choices) if choice != option.default)
    return option.low + 6 if option.default != option.low + 6 else option.low + 7


@pytest.mark.parametrize("game", games.names())
def test_r7_options_asked_for_are_told_and_logged(tmp_path: Path, game: str) -> None:
    """Every option at a value that is not its default: the same in `MatchStarted` and in the header."""
    info = games.find(game).info
    asked = {option.name: unusual(option) for option in info.options}
    assert all(asked[option.name] != option.default for option in info.options)

    async def play() -> None:
        async with room(tmp_path) as hall:
            names = "abcdefgh"[: info.min_seats]
            clients = [await hall.bot(name, auto=False, games=[game]) for name in names]
            request = MatchRequest(game=game, options=asked, bots=tuple(names))
            playing = asyncio.ensure_future(hall.arena.play(request))
            told = [await client.expect("match_started") for client in clients]
            header = read(running_log(tmp_path)).setup
            playing.cancel()
            for client in clients:
                await client.expect("match_ended")

            assert header.options == asked
            assert [type(header.options[name]) for name in asked] == [type(asked[name]) for name in asked]
            for one in told:
                assert one.game == game
                assert {option.option: option.value for option in one.options} == {
                    name: str(value) for name, value in asked.items()
                }

    run(play())
