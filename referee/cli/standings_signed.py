"""`referee standings sign` and `verify`: the standings of a tournament in a signed file."""

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.arguments import examples
from referee.cli.printing import tell
from referee.cli.roots import MaybeDataOption, StoreOption
from referee.cli.words import many
from referee.errors import RecordError, UsageError

SIGN_EXAMPLES = examples("referee standings sign cup --sign-key key.pem --data arena")
VERIFY_EXAMPLES = examples(
    "referee standings verify standings.json --key pub.pem",
    "referee standings verify arena/tournaments/cup/standings.json --key pub.pem --data arena",
)


def register(group: typer.Typer) -> None:
    """Adds `sign` and `verify` to the commands of `referee standings`."""
    group.command("sign", epilog=SIGN_EXAMPLES)(_sign)
    group.command("verify", epilog=VERIFY_EXAMPLES)(_verify)


def _sign(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A tournament, ladder or run.")],
    sign_key: Annotated[
        Path,
        typer.Option("--sign-key", metavar="FILE", help="Ed25519 private key, PEM.", show_default=False),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Where to write it. Default: standings.json in its folder."
        ),
    ] = None,
    data: MaybeDataOption = None,
    store: StoreOption = None,
) -> None:
    """Write the standings of a tournament, ladder or run as they are now, with a signature beside them."""
    from referee.cli.standings_command import load
    from referee.replay.signature import Signer
    from referee.store.signed import write
    from referee.store.store import Store

    root = data or Path()
    signer = Signer.load(sign_key)
    if not load(root, store, None, name):
        raise UsageError(f"{name} has no standings yet: no match of it has ended")
    with Store.under(root, store) as opened:
        path = write(opened, root, name, signer, out)
    tell(f"{path}: signed")


def _verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Standings that were signed.")],
    key: Annotated[
        Path,
        typer.Option(
            "--key",
            metavar="FILE",
            help="Ed25519 public key, PEM, of whoever has to have signed them.",
            show_default=False,
        ),
    ],
    data: MaybeDataOption = None,
) -> None:
    """Check who signed standings, and with --data that logs and decisions there come to the same tables.

    The logs are read whole and counted anew, whatever an index says; `referee replay verify` plays them
    again besides. The exit status is 0 if all is as it was signed.
    """
    from referee.replay.signature import Verifier
    from referee.store.signed import check, read, recount

    verifier = Verifier.load(key)
    signed = read(file)
    check(file, signed, verifier)
    if data is not None:
        problem = recount(signed, data)
        if problem:
            raise RecordError(f"{file}: {problem}")
    counted = "counted anew, the same tables" if data is not None else "not counted anew, which takes --data"
    tell(
        f"{file}: good: {signed.tournament}, {many(len(signed.logs), 'match', 'matches')}, signed,"
        f" {counted}; hash {signed.last_hash}"
    )
