"""A brain behind any OpenAI-compatible endpoint, through the official SDK, with streaming, retries and plain errors.

One `think` is one answer, whatever calls it takes: a refused parameter is left out (`abilities.py`), a passing fault is
waited for (`retry.py`), and any other fault is one line (`faults.py`). The SDK is imported in a thread,
for the first answer.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from autocraft.brains.abilities import Abilities, AbilityStore, response_format
from autocraft.brains.call import Caller, DeltaRelay, OnDelta, list_models
from autocraft.brains.endpoint import DEFAULTS, OpenAISettings
from autocraft.brains.faults import Fault, ModelFailed, name_models
from autocraft.brains.normal import in_turn
from autocraft.brains.priced import sent_tokens, usage_of
from autocraft.brains.retry import Retries, countdown
from autocraft.brains.wires import CALL_A_TOOL, tools_of
from autocraft.errors import BrainError
from autocraft.protocols import Answer, Json, Message
from autocraft.settings.fields import ROLES
from autocraft.settings.roles import RoleSettings
from autocraft.text.characters import well_formed
from autocraft.text.prompts import Data
from autocraft.usage import BYTES_PER_TOKEN, Usage, window_of

if TYPE_CHECKING:
    from autocraft.brains.choose import BrainChoice, BrainOptions

_IGNORED = {"form": "the form that an answer must have", "tools": "that an answer must be a call of a tool"}
"""What an endpoint accepts, and does not keep to -> what it is called."""
_LEAST_WINDOW = 1_024
"""The tokens of the smallest window. A server that counts fewer only counts badly."""
_LESS = 2 / 3
"""A server that drops a part counts less than this of the tokens that are estimated here."""
_LONGER, _MUCH_LONGER = 1.05, 1.5
"""How much longer a prompt must be than one that had exactly as many tokens, and than one that had more."""
__all__ = ["OpenAIBrain", "OpenAISettings", "list_models"]


class OpenAIBrain:
    """Answers by chat completions.

    `roles` are those of `OpenAISettings.roles`; the default is that no role has a table. `abilities_file` stores what
    the endpoint refuses. `on_exchange` gets every call as ``{"request", "answer" or "error", "seconds"}``, without
    keys.
    """

    reads_prompt = True
    asks_model = True
    metered = True

    def __init__(
        self,
        settings: OpenAISettings,
        *,
        roles: Mapping[str, RoleSettings] | None = None,
        abilities_file: Path | None = None,
        on_exchange: Callable[[Json], None] | None = None,
    ) -> None:
        profile = settings.profile
        if not settings.usable:
            raise BrainError("no model to ask: set OPENAI_API_KEY, or OPENAI_BASE_URL for a local server")
        self.name = f"{profile.name if profile else 'openai'} ({settings.smart or 'first model offered'})"
        self._settings = settings
        self.native = settings.tools == "native"
        """Whether commands are sent as tools, unless the endpoint refuses them."""
        self._roles = settings.roles() if roles is None else roles
        self._official = profile is not None and profile.official
        self._caching = profile.caching if profile else ""
        if settings.wire == "responses" and self._caching == "marks":  # it has no place for them
            self._caching = ""
        self._cache_key = uuid4().hex
        self._key_header = profile.key_header if profile and settings.wire != "responses" else ""
        self._abilities = AbilityStore(abilities_file)
        self._caller = Caller(settings, on_exchange)
        self._first_model = ""
        self._reached = False
        self._windows: dict[str, int] = {}
        self._counted: dict[str, tuple[int, int]] = {}
        """Model -> the prompt of which the server counted most tokens: how many, and how many are estimated here."""
        self.notices: list[str] = []
        """Lines for the person, which whoever asks takes out and shows."""
        self.widen = profile.widen if profile else ""
        """What gives the model a larger window. Empty if autocraft does not know it."""

    @classmethod
    def for_run(cls, options: BrainOptions) -> OpenAIBrain:
        """Return the brain of a run. Raises UsageError if there is no endpoint to ask."""
        return cls.for_choice(options.choice)

    @classmethod
    def for_choice(cls, choice: BrainChoice) -> OpenAIBrain:
        """Return a brain that asks the chosen endpoint. Raises UsageError if there is none."""
        choice.endpoint.check()
        return cls(choice.endpoint, roles=choice.roles, abilities_file=choice.abilities, on_exchange=choice.on_exchange)

    async def think(
        self,
        messages: Sequence[Message],
        *,
        role: str = "smart",
        schema: Json | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        on_delta: OnDelta | None = None,
    ) -> Answer:
        """Return one answer. Raises ContextOverflow if the prompt is too long, otherwise BrainError, in one line."""
        report = on_delta or (lambda _: None)
        tries = Retries(self._settings)
        own = self._own(role) if temperature is None else replace(self._own(role), temperature=temperature)
        try:
            model = own.model or await self.find_model(role, tries, report)
            key = self._settings.abilities_key
            before = trial = self._abilities.get(key, model, official=self._official)
            while True:
                request = self._request(trial, replace(own, model=model), messages, schema, max_tokens)
                sent = sent_tokens(messages, schema if "tools" in request else None)
                relay = DeltaRelay(report)
                try:
                    answer = await self._caller.exchange(request, relay)
                except (ModelFailed, asyncio.CancelledError) as failure:
                    if relay.bytes or not isinstance(failure, ModelFailed):
                        made = int(relay.bytes / BYTES_PER_TOKEN)
                        tries.lost += Usage(sent, made, estimated=True)
                    if not isinstance(failure, ModelFailed):
                        raise
                    tries.begun |= relay.bytes > 0
                    relay.take_back()
                    lesser = self._lesser(trial, failure.fault, request, tries)
                    if lesser is None:
                        await self._wait_or_raise(failure.fault, model, role, tries, report)
                    trial = lesser or trial
                    continue
                self._reached = True
                self._abilities.learn(key, model, trial, request, changed=trial != before)
                self._compare(model, trial, request, answer)
                self._weigh(model, sent_tokens(messages), answer)  # a template may leave tools out
                return answer._replace(usage=tries.lost + usage_of(answer, sent)) if tries.lost.total else answer
        except (BrainError, asyncio.CancelledError) as error:
            error.usage = tries.lost  # type: ignore[union-attr]
            raise

    async def window(self, role: str) -> int:
        """Return the context window in tokens of a role's model. Return 0 if neither table nor endpoint gives it.

        The table is of services: a local server gives a model the window that it was started with.
        """
        model = self._own(role).model or self._first_model
        if model and model not in self._windows:
            listed = 0 if self._settings.free else window_of(model)
            self._windows[model] = listed or (await self._caller.find_window(model))[0]
        return self._windows.get(model, 0)

    def _compare(self, model: str, able: Abilities, request: Json, answer: Answer) -> None:
        """Notice what an endpoint accepts and does not keep to. An answer that was read in part shows nothing."""
        if self._settings.stop_early:
            return
        if ignored := self._abilities.notice(self._settings.abilities_key, model, able, request, answer):
            how = "; it may keep to it without --wire responses" if self._settings.wire == "responses" else ""
            self.notices.append(
                f"{self._settings.where} ignores {_IGNORED[ignored]}, so the next answers are asked for without{how}"
            )

    def _weigh(self, model: str, sent: int, answer: Answer) -> None:
        """Notice a local server that drops a part of its prompts. The most tokens that it counted are its window.

        The server must count a third less than is estimated here. This alone is no evidence, since tokenizers and texts
        differ. So the prompt is compared with the one of which the server counted most tokens. If it counts fewer, the
        prompt must be longer by a half; if it counts as many, by a twentieth. While prompts do not grow, nothing is
        noticed.
        """
        usage = answer.usage
        if usage is None or usage.estimated or not self._settings.local:
            return
        counted, known = usage.prompt_tokens, self._windows.get(model, 0)
        most, of = self._counted.get(model, (0, 0))
        self._counted[model] = max((most, of), (counted, sent), key=lambda pair: (pair[0], -pair[1]))
        if not _LEAST_WINDOW <= most < sent or (known and most >= known):
            return
        longer = _LONGER if counted == most else _MUCH_LONGER
        if counted <= most and sent > of * longer and counted < sent * _LESS:
            self._windows[model] = most
            how = f": start it with a larger one ({self.widen})" if self.widen else ""
            self.notices.append(
                f"{self._settings.where} took in only {counted:,} tokens of a prompt of about {sent:,}, so its window "
                f"is smaller than it seemed, and the prompts are kept within it{how}"
            )

    async def close(self) -> None:
        await self._caller.close()

    # ------------------------------------------------------------ the request

    def _request(
        self, able: Abilities, own: RoleSettings, messages: Sequence[Message], schema: Json | None, room: int | None
    ) -> Json:
        """Return the parameters of the call, without those that the endpoint refuses or that are not set."""
        parameters: Json = {"stream": True, "temperature": own.temperature}
        if self._settings.wire != "responses":  # that interface has neither
            with_usage = {"include_usage": True} if able.takes("stream") else None
            parameters |= {"stream_options": with_usage, "stop": list(self._settings.stop) or None}
        parameters |= {"reasoning_effort": own.effort or None, "verbosity": own.verbosity or None}
        if self._caching == "key":
            in_header = {"extra_headers": {self._key_header: self._cache_key}}
            parameters |= in_header if self._key_header else {"prompt_cache_key": self._cache_key}
        native = schema is not None and self.native and able.takes("tools")
        if schema is not None and native:
            parameters |= {"tools": tools_of(schema), "tool_choice": "required", "parallel_tool_calls": False}
        elif schema is not None:
            parameters["response_format"] = response_format(able.form, schema)
        if room is not None:
            limits = [name for name in ("max_tokens", "max_completion_tokens") if able.takes(name)]
            parameters |= {limits[0]: room} if limits else {}
        extras = {name: value for name, value in parameters.items() if value is not None and able.takes(name)}
        sees_images = able.takes("images")
        rows = [_as_row(message, sees_images) for message in messages]
        if native:
            rows.insert(0, {"role": "system", "content": CALL_A_TOOL})
            rows.sort(key=lambda row: row["role"] != "system")
        rows = in_turn(rows, able.system)
        if self._caching == "marks":
            _mark(rows)
        return well_formed({"model": own.model, "messages": rows} | extras)

    async def find_model(self, role: str, tries: Retries, tell: OnDelta) -> str:
        """Return the first model on offer that is not for embeddings. Raises BrainError.

        At an unknown address that lists none it is OpenAI's, since some servers take any name.
        """
        profile = self._settings.profile
        while not self._first_model:
            try:
                ids = [id for id, _ in await self._caller.list_models()]
            except ModelFailed as failure:
                if profile is None and failure.fault.kind in ("garbage", "address", "model"):
                    ids = []
                else:
                    await self._wait_or_raise(failure.fault, "", role, tries, tell)
                    continue
            if ids and profile is not None and not profile.local:
                shown = ", ".join(ids[:6])
                raise BrainError(f"{profile.title} needs the name of a model, such as {shown}: set SMART_LLM_MODEL")
            chats = [id for id in ids if "embed" not in id.lower()] or ([] if profile else [DEFAULTS["smart"]])
            if not chats:
                hint = f", for example with: {profile.get.format(model='qwen3:4b')}" if profile and profile.get else ""
                raise BrainError(f"{self._settings.where} offers no model: get one{hint}, or set SMART_LLM_MODEL")
            self._first_model = chats[0]
            self.name = self.name.replace("first model offered", chats[0])
        return self._first_model

    # ------------------------------------------------------------ when it fails

    def _lesser(self, trial: Abilities, fault: Fault, request: Json, tries: Retries) -> Abilities | None:
        """Return abilities with which the call may succeed. Return None if no parameter is to blame."""
        if fault.kind not in ("request", "server", "address"):
            return None
        proven = self._abilities.proven(self._settings.abilities_key, request["model"])
        lesser = trial.after(fault.report, request, proven)
        last_try = lesser is None and fault.kind == "server" and tries.next_wait(fault, look=True) is None
        if last_try and "response_format" in request and "form" not in proven:
            return trial.lower_form()  # some servers fail with status 500 on a schema that they do not know
        return lesser

    async def _wait_or_raise(self, fault: Fault, model: str, role: str, tries: Retries, tell: OnDelta) -> None:
        """Wait if another try may help, otherwise raise the fault as an error for the person."""
        if fault.kind == "refused" and self._reached:  # it answered before, so it may come back
            fault = replace(fault, kind="lost")
        wait = tries.next_wait(fault)
        if wait is not None:
            await countdown(wait, fault.again, tell)
            return
        if fault.kind == "model":
            try:
                ids = [id for id, _ in await self._caller.list_models()]
            except ModelFailed:
                ids = []
            base = ROLES.get(role, "smart")
            common = model == self._own(base).model
            where = f"{base.upper()}_LLM_MODEL" if common else f"models.{role}.model in autocraft.toml"
            fault = name_models(fault, self._settings, model, where, ids)
        error = fault.error(tries.note(fault))
        error.args = (self._caller.clean(str(error)),)
        raise error

    def _own(self, role: str) -> RoleSettings:
        return self._roles.get(role) or self._roles["smart"]


def _mark(rows: Sequence[Json]) -> None:
    """Mark what the next prompts begin with too: the system prompt, and the history up to the last answer."""
    for message in {id(each): each for each in (rows[0], *rows[-2:-1])}.values():
        if isinstance(message["content"], str):
            mark = {"cache_control": {"type": "ephemeral"}}
            message["content"] = [{"type": "text", "text": message["content"], **mark}]


def _as_row(message: Message, sees_images: bool) -> Json:
    """Return a message as it is sent. A model that cannot see gets the descriptions of the pictures instead."""
    text = str(message.content)  # plain: a prompt is a text of its own kind
    if not message.images:
        return {"role": message.role, "content": text}
    if not sees_images:
        descriptions = [Data("picture", image.alt) for image in message.images if image.alt]
        return {"role": message.role, "content": "\n".join([text, *descriptions])}
    urls = [f"data:{image.kind};base64,{b64encode(image.data).decode()}" for image in message.images]
    pictures = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return {"role": message.role, "content": [{"type": "text", "text": text}, *pictures]}
