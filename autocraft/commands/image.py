"""generate_image: a picture from OpenAI's images endpoint, written into the workspace under a new name.

The intent holds the name, and a copy of the picture is kept first, so that a resumed run can tell whether the picture
was saved. It cannot tell whether the picture was paid for, so it never asks for the picture again by itself.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from autocraft.commands.copies import UndoCopies
from autocraft.commands.run_protocols import HasPayer, Payer
from autocraft.commands.workspace import Workspace
from autocraft.errors import AutocraftError, CommandError
from autocraft.frozen import frozen
from autocraft.http_client import Refusal
from autocraft.protocols import Call, Json, Reach, Risk, Settled, command
from autocraft.settings.fields import setting
from autocraft.text.sanitize import clean_line

LONGEST_PROMPT = 32_000
_LONGEST_NAME = 40
_KINDS = ((b"\x89PNG\r\n\x1a\n", ".png"), (b"\xff\xd8\xff", ".jpg"), (b"RIFF", ".webp"))
_ENDINGS = tuple(ending for _, ending in _KINDS)
_MOST_NUMBERS = 10_000


@frozen
class ImageSettings:
    """The model and the size of pictures."""

    image_model: str = setting("gpt-image-2.5-flare", env="IMAGE_MODEL", doc="model that draws pictures")
    image_size: str = setting("1024x1024", env="IMAGE_SIZE", doc="width x height; if empty, the model decides")
    image_price: float | None = setting(
        None, env="IMAGE_PRICE", least=0, doc="US dollars that a picture costs", power=True
    )


class ImageCommands:
    """The command for pictures.

    `open_client` returns the official SDK's client, or raises BrainError if no key is set. `copies` stores a copy of a
    picture before an undo deletes it. Pictures of a `free` endpoint cost nothing unless a price is set. Raises
    UsageError for an impossible price.
    """

    family = "web"
    network = True

    def __init__(
        self,
        settings: ImageSettings,
        workspace: Workspace,
        copies: UndoCopies,
        open_client: Callable[[], Any],
        *,
        free: bool = False,
    ) -> None:
        self.settings = replace(settings, image_price=0.0) if free and settings.image_price is None else settings
        self.workspace = workspace
        self._copies = copies
        self._open_client = open_client
        self._evidence: dict[str, Json] = {}
        """Id of a call -> its evidence, with the names that its picture may have."""

    @command(help="Generate an image into a file of the workspace", risk=Risk.DESTROY, cancellable=True)
    async def generate_image(self, call: Call, prompt: str) -> str:
        run: HasPayer = call.run
        accounts = run.accounts(call.agent)
        names = self._evidence.get(call.id) or self.evidence(call)
        del self._evidence[call.id]
        with contextlib.ExitStack() as purchases:
            for account in accounts:
                purchases.enter_context(account.purchase(self.settings.image_price))
            data = await self._draw(prompt, accounts[0])
        ending = _ending(data)
        if not ending:
            raise CommandError(
                f"the endpoint sent {len(data):,} bytes that are not PNG, JPEG or WebP; nothing was saved"
            )
        stem = names["image"]
        if self._file(stem):
            stem = names["instead"]  # another process has used the name meanwhile
        path = self.workspace.resolve(stem + ending)
        with contextlib.suppress(CommandError):  # the picture was paid for, so it is saved without a copy too
            self._copies.keep(data)
        self.workspace.write(path, data)
        return _saved_text(self.workspace.name_of(path), len(data))

    def reach(self, call: Call) -> Reach:
        """Return the possible names of the picture. Raises CommandError for a refused prompt."""
        stem = self._free_stem(call.args["prompt"])
        return Reach(call.args, tuple(f"{stem}{ending}" for ending in _ENDINGS))

    def obeyed(self, call: Call) -> Json:
        return self.workspace.obeyed(self.reach(call).paths)

    def evidence(self, call: Call) -> Json:
        """Return a free name and a unique one, both without the ending. Raises CommandError for a bad prompt."""
        stem = self._free_stem(call.args["prompt"])
        self._evidence[call.id] = {"image": stem, "instead": f"{stem}-{secrets.token_hex(4)}"}
        return self._evidence[call.id]

    def settle(self, call: Call, evidence: Json) -> Settled:
        """Settle by the file: a picture is written completely or not at all."""
        file, data = self._own_file(evidence)
        if file:
            return Settled("done", _saved_text(self.workspace.name_of(file), len(data)))
        return Settled("unknown", "No picture was saved; it may have been paid for. Ask for it again if it is wanted.")

    def undo(self, evidence: Json) -> str:
        """Remove the picture and store an undo copy. Raises CommandError if that fails."""
        if not evidence.get("image"):
            raise CommandError("nothing was recorded of this picture, so it stays; delete it by hand")
        file, data = self._own_file(evidence)
        if file is None:
            return f"there is no picture {evidence['image']} from this command."
        copy = self._copies.keep(data)
        self.workspace.remove(file)
        return f"{self.workspace.name_of(file)} was removed; a copy is kept as {copy[:12]} in the undo folder."

    def preview(self, call: Call) -> str:
        model, price = self.settings.image_model, self.settings.image_price
        costs = "money" if price is None else f"${price:g}" if price else "nothing"
        stem = self._free_stem(call.args["prompt"])
        return f"sends the prompt to {model} and saves the picture as {stem}; it costs {costs}"

    def _free_stem(self, prompt: str) -> str:
        """Return a free name from the words of the prompt, without its ending. Raises CommandError."""
        if not prompt.strip() or len(prompt) > LONGEST_PROMPT:
            most = f"{LONGEST_PROMPT:,} letters"
            raise CommandError(f"say what the picture shows in the argument prompt, in at most {most}")
        words = re.sub(r"[^a-z0-9]+", "-", prompt.lower())[:_LONGEST_NAME].strip("-") or "image"
        for number in range(1, _MOST_NUMBERS):
            stem = f"{words}-{number}"
            if not self._file(stem):
                return stem
        raise CommandError("there are too many pictures of this name; delete some, or say it in other words")

    def _own_file(self, evidence: Json) -> tuple[Path | None, bytes]:
        """Return the picture that a call saved, and its bytes. Return (None, b"") if there is none from this call."""
        for file in (self._file(evidence.get("instead", "")), self._file(evidence.get("image", ""))):
            data = self.workspace.read(file) if file else None
            if data is not None and self._copies.has(data):
                return file, data
        return None, b""

    def _file(self, stem: str) -> Path | None:
        """Return the file with this name and any of the endings. Return None if it does not exist."""
        if not stem:
            return None
        paths = (self.workspace.resolve(stem + ending) for ending in _ENDINGS)
        return next((path for path in paths if self.workspace.stat(path)), None)

    async def _draw(self, prompt: str, account: Payer) -> bytes:
        """Return the bytes of a picture, and charge the account. Raises CommandError."""
        parameters: Json = {"model": self.settings.image_model, "prompt": prompt, "n": 1}
        if self.settings.image_size:
            parameters["size"] = self.settings.image_size
        if "gpt-image" not in self.settings.image_model:  # these models always send bytes, and refuse the parameter
            parameters["response_format"] = "b64_json"
        try:
            async with self._open_client() as client:
                raw = await client.images.with_raw_response.generate(**parameters)
                account.record_purchase(self.settings.image_price)
                body = json.loads(raw.http_response.text)
            return base64.b64decode(body["data"][0]["b64_json"], validate=True)
        except AutocraftError as error:
            raise CommandError(f"generate_image needs an endpoint that draws, such as OpenAI's ({error})") from None
        except (KeyError, IndexError, TypeError, ValueError, RecursionError):
            why = "the endpoint sent no picture; does it have an images endpoint? Check IMAGE_MODEL"
            raise CommandError(why) from None
        except Exception as error:  # noqa: BLE001 - the SDK also raises what its network raises
            raise CommandError(f"generate_image: {_fault_text(error, self.settings.image_model)}") from None


def _ending(data: bytes) -> str:
    """Return the ending by the first bytes; empty for other data."""
    if data.startswith(b"RIFF") and data[8:12] != b"WEBP":
        return ""
    return next((ending for start, ending in _KINDS if data.startswith(start)), "")


def _saved_text(name: str, size: int) -> str:
    return f"Saved to disk: {name} ({size:,} bytes)."


def _fault_text(error: Exception, model: str) -> str:
    """Return a fault of the SDK as one line, with the endpoint's own message in brackets."""
    import openai

    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else body
    own = f" ({clean_line(' '.join(message[:4000].split()))[:200]})" if isinstance(message, str) and message else ""
    match error:
        case Refusal():
            return f"the endpoint {error}"
        case openai.AuthenticationError():
            return "the endpoint refuses the key; check OPENAI_API_KEY"
        case openai.RateLimitError():
            return f"the rate or the quota of the key is used up{own}; wait, or add credit"
        case openai.NotFoundError():
            return f"the endpoint does not know {model!r}, or draws no pictures{own}; check IMAGE_MODEL"
        case openai.APIStatusError():
            return f"the endpoint refuses with status {error.status_code}{own}; reword the prompt"
        case openai.APITimeoutError():
            return "the endpoint took too long; try again, or set a longer OPENAI_TIMEOUT"
        case openai.APIConnectionError():
            return "the endpoint cannot be reached; check the network and OPENAI_BASE_URL"
    return f"the endpoint sent something unreadable ({type(error).__name__}); check OPENAI_BASE_URL"
