"""Writes a command as each model family writes a tool call. Used by `test_native.py`.

`READ` are the families whose calls are read. `REFUSED` are forms that the reader must recognise and refuse. Each
writer gets a list of commands and returns the answer.

Where the forms are from ("not opened" means that a form is known from other texts):

- OpenAI, Claude: their API references, not opened
- gpt-oss (harmony): OpenAI's harmony guide; SGLang `gpt_oss_detector`
- Hermes, Qwen2.5, Qwen3, Granite 4: vLLM `hermes_tool_parser`; Granite 4: not opened
- Qwen3-Coder, Nemotron 3, Seed-OSS: vLLM `qwen3coder_`, `seed_oss_tool_parser`; llama.cpp `chat-syntax` for Seed;
  Nemotron 3: not opened
- Llama 3.1, 3.3: Meta's llama-models `llama3_1/prompt_format`; vLLM `llama_tool_parser`
- Llama 3.2, 4; LFM2; OLMo 3; Gemma 3: Meta's llama-models `llama3_2/text_prompt_format`, `llama4/prompt_format`; vLLM
  `olmo3_tool_parser`; Liquid's and Google's guides
- Mistral: vLLM `mistral_tool_parser`; `[CALL_ID]` is a token of Mistral Small 3, its place: not opened
- DeepSeek V3, V3.1: vLLM `deepseekv3_`, `deepseekv31_tool_parser`
- DeepSeek V3.2, V4, V4.1: SGLang `deepseekv32_`, `deepseekv4_`, `deepseekv41_detector`
- Kimi K2, K3: vLLM `kimi_k2`, `kimi_k3`; mlx-lm `kimi_k2`; SGLang `kimik3_format`
- GLM-4.5 and later: llama.cpp `chat-syntax/glm-4-5`; SGLang `glm4_moe_`, `glm47_moe_detector`
- Gemma 4, FunctionGemma: SGLang `gemma4_detector`; vLLM `functiongemma_tool_parser`
- Granite 3, 20b; Phi-4-mini; Nemotron; MiniMax M1; InternLM: vLLM `granite_`, `granite_20b_fc_`, `phi4mini_`,
  `minimax_`, `internlm2_tool_parser`; Phi-4-mini's template for Foundry Local; Nemotron: not opened
- Claude, MiniMax M2, Muse: vLLM `minimax_m2`; SGLang `muse_glimmer_detector`; Claude's: not opened
- Cohere: llama.cpp `chat-syntax` for Command R7B; SGLang `cohere_command4_detector`
- Apertus: Swiss AI's format specification; SGLang `apertus2509_detector`
- Hunyuan: vLLM `hunyuan_a13b_tool_parser`
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Writer = Callable[[list[Json]], str]


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def each(form: Callable[[str, Json], str], before: str = "", between: str = "\n", after: str = "") -> Writer:
    """Return a writer of one call after the other."""
    return lambda commands: before + between.join(form(one["name"], one["args"]) for one in commands) + after


def pair(name_key: str = "name", args_key: str = "arguments") -> Callable[[str, Json], str]:
    return lambda name, args: dumps({name_key: name, args_key: args})


def tags(opener: str, parameter: str, value_end: str, end: str) -> Callable[[str, Json], str]:
    """Return a writer of a call with parameter tags. `@` stands for the name or key."""

    def write(name: str, args: Json) -> str:
        values = "".join(
            parameter.replace("@", key) + (item if isinstance(item, str) else dumps(item)) + value_end
            for key, item in args.items()
        )
        return opener.replace("@", name) + values + end

    return write


def typed(opener: str, parameter: str, value_end: str, end: str) -> Callable[[str, Json], str]:
    """Return a writer as `tags` does, but each parameter says (`%`) whether it is text."""

    def write(name: str, args: Json) -> str:
        parts = []
        for key, item in args.items():
            text = isinstance(item, str)
            kind = ("true" if text else "false") if "string=" in parameter else ("string" if text else "object")
            parts.append(parameter.replace("@", key).replace("%", kind) + (item if text else dumps(item)) + value_end)
        return opener.replace("@", name) + "".join(parts) + end

    return write


def python(name: str, args: Json) -> str:
    return f"{name}({', '.join(f'{key}={item!r}' for key, item in args.items())})"


def braced(opener: str, quote: str, closer: str) -> Callable[[str, Json], str]:
    """Return a writer of Gemma's form: keys without quotes, strings between tokens."""

    def value(item: Any) -> str:
        if isinstance(item, str):
            return quote + item + quote
        if isinstance(item, dict):
            return "{" + ",".join(f"{key}:{value(each)}" for key, each in item.items()) + "}"
        return dumps(item)

    return lambda name, args: f"{opener}call:{name}{value(args)}{closer}"


_JSON = pair()
READ: dict[str, Writer] = {
    "openai": lambda commands: dumps(
        {
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": c["name"], "arguments": dumps(c["args"])}}
                for c in commands
            ]
        }
    ),
    "hermes": each(lambda name, args: f"<tool_call>\n{_JSON(name, args)}\n</tool_call>"),
    "qwen3": each(
        lambda name, args: f"<tool_call>\n{_JSON(name, args)}\n</tool_call>", "<think>\nI dig.\n</think>\n\n"
    ),
    "qwen3 coder": each(
        tags("<tool_call>\n<function=@>\n", "<parameter=@>\n", "\n</parameter>\n", "</function>\n</tool_call>")
    ),
    "seed": each(
        tags("<function=@>", "<parameter=@>", "</parameter>", "</function>"),
        "<seed:think>hm</seed:think><seed:tool_call>\n",
        after="\n</seed:tool_call>",
    ),
    "llama json": each(pair(args_key="parameters")),
    "llama python tag": each(pair(args_key="parameters"), "<|python_tag|>", between="; ", after="<|eom_id|>"),
    "llama function": each(lambda name, args: f"<function={name}>{dumps(args)}</function>"),
    "llama pythonic": each(python, "[", between=", ", after="]"),
    "llama 4": each(python, "<|python_start|>[", between=", ", after="]<|python_end|>"),
    "mistral": each(_JSON, "[TOOL_CALLS] [", between=", ", after="]"),
    "mistral args": each(lambda name, args: f"[TOOL_CALLS]{name}[ARGS]{dumps(args)}", between=""),
    "mistral call id": each(lambda name, args: f"[TOOL_CALLS]{name}[CALL_ID]a1B2c3D4e[ARGS]{dumps(args)}", between=""),
    "deepseek v3": each(
        lambda name, args: (
            f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{dumps(args)}\n```<｜tool▁call▁end｜>"
        ),
        "<｜tool▁calls▁begin｜>",
        after="<｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
    ),
    "deepseek v3.1": each(
        lambda name, args: f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{dumps(args)}<｜tool▁call▁end｜>",
        "<｜tool▁calls▁begin｜>",
        between="",
        after="<｜tool▁calls▁end｜>",
    ),
    **{
        f"dsml{name}": each(
            typed(
                f'<｜DSML｜{space}invoke name="@">\n',
                f'<｜DSML｜{space}parameter name="@" string="%">',
                f"</｜DSML｜{space}parameter>\n",
                f"</｜DSML｜{space}invoke>",
            ),
            f"<｜DSML｜{block}>\n",
            after=f"\n</｜DSML｜{block}>",
        )
        for name, space, block in (
            (" v3.2", "", "function_calls"),
            (" v4", "", "tool_calls"),
            (" v4.1", " ", " calls"),
        )
    },
    "kimi k2": each(
        lambda name, args: (
            f"<|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>{dumps(args)}<|tool_call_end|>"
        ),
        "<|tool_calls_section_begin|>",
        between="",
        after="<|tool_calls_section_end|>",
    ),
    "kimi k3": each(
        typed(
            '<|open|>call tool="@" index="1"<|sep|>',
            '<|open|>argument key="@" type="%"<|sep|>',
            "<|close|>argument<|sep|>",
            "<|close|>call<|sep|>",
        ),
        "<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>tools<|sep|>",
        between="",
        after="<|close|>tools<|sep|><|close|>message<|sep|>",
    ),
    "glm 4.5": each(
        tags("<tool_call>@\n", "<arg_key>@</arg_key>\n<arg_value>", "</arg_value>\n", "</tool_call>"),
        "<think></think>\n",
    ),
    "glm 4.7": each(
        tags("<tool_call>@", "<arg_key>@</arg_key><arg_value>", "</arg_value>", "</tool_call>"), between=""
    ),
    "gemma 3 json": each(pair(args_key="parameters"), "```json\n", after="\n```"),
    "gemma 3 tool code": each(python, "```tool_code\n", after="\n```"),
    "gemma 4": each(
        braced("<|tool_call>", '<|"|>', "<tool_call|>"),
        "<|channel>thought\nhm\n<channel|>",
        between="",
        after="<turn|>",
    ),
    "functiongemma": each(braced("<start_function_call>", "<escape>", "<end_function_call>"), between=""),
    "granite 3": each(_JSON, "<|tool_call|>[", between=", ", after="]"),
    "granite 20b": each(lambda name, args: f"<function_call> {_JSON(name, args)}", between=" "),
    "phi 4 mini": each(_JSON, "<|tool_call|>[", between=", ", after="]<|/tool_call|>"),
    "phi 4 functools": each(_JSON, "functools[", between=", ", after="]"),
    "claude": each(
        tags('<invoke name="@">\n', '<parameter name="@">', "</parameter>\n", "</invoke>"),
        "<function_calls>\n",
        after="\n</function_calls>",
    ),
    "claude tool use": each(lambda name, args: dumps({"type": "tool_use", "id": "t1", "name": name, "input": args})),
    "minimax m1": each(_JSON, "<tool_calls>\n", after="\n</tool_calls>"),
    "minimax m2": each(
        tags('<invoke name="@">\n', '<parameter name="@">', "</parameter>\n", "</invoke>"),
        "<minimax:tool_call>\n",
        after="\n</minimax:tool_call>",
    ),
    "cohere": each(
        lambda name, args: dumps({"tool_call_id": "0", "tool_name": name, "parameters": args}),
        "<|START_THINKING|>hm<|END_THINKING|><|START_ACTION|>[",
        between=",",
        after="]<|END_ACTION|>",
    ),
    "olmo 3": each(python, "<function_calls>\n", after="\n</function_calls>"),
    "lfm2": each(python, "<|tool_call_start|>[", between=", ", after="]<|tool_call_end|>"),
    "apertus": each(
        lambda name, args: dumps({name: args}), "<|tools_prefix|>[", between=", ", after="]<|tools_suffix|>"
    ),
    "nemotron": each(_JSON, "<TOOLCALL>[", between=", ", after="]</TOOLCALL>"),
    "hunyuan": each(
        lambda name, args: f"<tool_call>{name}\n```json\n{dumps(args)}\n```</tool_call>",
        "<tool_calls>\n",
        after="\n</tool_calls>",
    ),
    "internlm": each(pair(args_key="parameters"), "<|action_start|><|plugin|>", after="<|action_end|>"),
    "muse": each(
        tags('<atem:invoke name="@">\n', '<atem:parameter name="@">', "</atem:parameter>\n", "</atem:invoke>"),
        "<atem:function_calls>\n",
        after="\n</atem:function_calls>",
    ),
    "harmony": each(
        lambda name, args: (
            f"<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"
            f"{dumps(args)}<|call|>"
        ),
        "<|channel|>analysis<|message|>hm<|end|>",
        between="",
    ),
    "harmony to before": each(
        lambda name, args: (
            f"<|start|>assistant to=functions.{name}<|channel|>commentary json<|message|>{dumps(args)}<|call|>"
        ),
        between="",
    ),
    "harmony final": each(
        lambda name, args: (
            "<|start|>assistant<|channel|>final<|message|>"
            + dumps({"thoughts": {"text": "t"}, "command": {"name": name, "args": args}})
            + "<|return|>"
        ),
        '<|channel|>analysis<|message|>maybe {"command": {"name": "wait", "args": {}}}<|end|>',
        between="",
    ),
    "react": each(lambda name, args: f"Thought: I dig.\nAction: {name}\nAction Input: {dumps(args)}\n"),
}

REFUSED: dict[str, Writer] = {
    "glm 4": each(lambda name, args: f"{name}\n{dumps(args)}"),
    "gemma 3 print": each(lambda name, args: f"```tool_code\nprint({python(name, args)})\n```"),
    "llama call": each(lambda name, args: "<|python_tag|>" + python(f"{name}.call", args)),
    "functionary": each(lambda name, args: f">>>{name}\n{dumps(args)}"),
    "functionary v2": each(lambda name, args: f"<|from|>assistant\n<|recipient|>{name}\n<|content|>{dumps(args)}"),
    "cline": each(tags("<@>\n", "<@>", "</x>\n", "</y>")),
    "step 3": each(
        lambda name, args: (
            '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="'
            + name
            + '">'
            + "".join(f'<steptml:parameter name="{k}">{v}</steptml:parameter>' for k, v in args.items())
            + "</steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>"
        )
    ),
    "minimax m3": each(
        lambda name, args: (
            f']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="{name}">'
            + "".join(f"]<]minimax[>[<{k}>{v}]<]minimax[>[</{k}>" for k, v in args.items())
            + "]<]minimax[>[</invoke>]<]minimax[>[</tool_call>"
        )
    ),
    "tool result": lambda commands: f"<tool_response>\n{dumps({'command': commands[0]})}\n</tool_response>",
    "observation": lambda commands: f"<|observation|>\n{dumps({'command': commands[0]})}",
    "tool role": lambda commands: f"<|im_start|>tool\n{dumps({'command': commands[0]})}<|im_end|>",
    "ipython role": lambda commands: (
        f"<|start_header_id|>ipython<|end_header_id|>\n\n{dumps({'command': commands[0]})}<|eot_id|>"
    ),
    "harmony tool": lambda commands: (
        f"<|start|>functions.dig to=assistant<|channel|>commentary<|message|>{dumps({'command': commands[0]})}<|end|>"
    ),
    "deepseek output": lambda commands: (
        f"<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>{dumps({'command': commands[0]})}"
        "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>"
    ),
    "unclosed analysis": lambda commands: f"<|channel|>analysis<|message|>{dumps({'command': commands[0]})}",
    **{
        f"unclosed {opener}": (lambda commands, opener=opener: f"{opener}{dumps({'command': commands[0]})}")  # type: ignore[misc]
        for opener in (
            "<think>", "<seed:think>", "[THINK]", "◁think▷", "<|START_THINKING|>", "<|channel>thought\n",
            "<|open|>think<|sep|>", "<|inner_prefix|>", "<|begin_of_thought|>", "<mm:think>", "<thought>",
        )
    },
}  # fmt: skip
