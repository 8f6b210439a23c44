"""English words around an object that take it back. They refuse it, show it, or speak of another time or person."""

from __future__ import annotations

import re

from autocraft.json_fix.words import REACH, leading_text

_NO = (
    r"(?:not|never|cannot|can['’]?t|don['’]?t|won['’]?t|shouldn['’]?t|mustn['’]?t|wouldn['’]?t|couldn['’]?t|didn['’]?t)"
)
_SEND = (
    r"(?:send|run|use|do|execute|answer|say|dispatch|call|perform|issue|output|reply|respond|write|give|choose|pick|try|"
    r"type|sent|running|sending|executing|using|go\s+with)"
)
_OBJECT = r"(?:action|answer|command|json|object|plan|reply|response)"
_THIS = r"(?:that|this|it|the\s+above|anything\s+above)"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))  # of lower case: ignoring it costs twice the time


_REFUSES = _pattern(
    r"\b(?:i|we)(?:\s+(?:really|simply|just|must|will|am|are|have\s+to))?\s*(?:can(?:no|['’])t|can\s+not|won['’]t|"
    r"will\s+not|['’]m\s+(?:not\s+able|unable|not\s+going)|not\s+able|unable|refuse|decline|must\s+not|shouldn['’]t)"
    r"(?:\s+to)?\s+(?:help|assist|comply|fulfil|fulfill|obey|proceed|continue|provide|support|"
    r"(?:do|run|execute|perform|send|issue|dispatch|carry\s+out|follow|answer)\s+(?:that|this|such|it|these|those|your|what))\b",
)
_NEGATES = _pattern(
    rf"\b{_NO}\s+(?:\w+\s+){{0,3}}?{_SEND}\b[^.]{{0,60}}$",
    rf"\b(?:{_NO}|avoid|avoiding|instead\s+of|rather\s+than|refuse\s+to\s+\w+|decline\s+to\s+\w+|forbidden)[\s:\"'`]*$",
    r"\b(?:is|was|be|are)\s+(?:wrong|bad|a\s+mistake|dangerous|invalid|incorrect|unsafe|forbidden|harmful)[\s:]*$",
    r"\bto\s+avoid\s+(?:is|was|now|next)\b|\b(?:is|are)\s+off[\s:]*$",
    r"\b(?:wrong|bad|incorrect|invalid|forbidden)\s+(?:answer|command|reply|response|call|one)[\s:]*$",
)
_NARRATES = _pattern(
    r"^\s*(?:if|unless|suppose|imagine|hypothetical\w*)\b(?!.*\b(?:i|we)(?:['’]ll|\s+will|\s+must)\b)",
    r"(?:^|\n)\W*(?:user|human|system|tool|observation|history|example)\s*:[\s*]*$",
    r"\b(?:"  # asked at the start of a word only, which makes the search fast
    + "|".join(
        (
            r"(?:for\s+example|for\s+instance|e\.g|such\s+as|(?:an?|one|another)\s+example|example\s+of"
            r"|example(?:\s+\w+)?\s*:)",
            r"(?:thought|thinking)\s+(?:of|about)\b|consider(?:ed|ing)\b|(?:was|were)\s+(?:going|about)\s+to\b",
            r"(?:could|would|should|might)\s+have\b|(?:might|could)\s+(?:also\s+)?(?:be|run|send|use|say|do)\b",
            r"(?:i|we|you|it|he|she|they|user|bot|agent|model|assistant)\s+(?:(?:have|had|has|already|just|previously"
            r"|then|once|also)\s+){0,2}(?:ran|run|executed|tried|sent|issued|called|used|did|done)\b"
            r"(?<!\bi run)(?<!\bwe run)",
            r"(?:previous|last|earlier|old|first)\s+(?:command|answer|action|call|reply|attempt|response|message)\b",
            r"(?:earlier|previously|already|yesterday)\b",
            r"(?:said|wrote|typed|ran|sent|replied|answered|executed|issued|returned|received|saw|got|read|showed|logged"
            r"|printed|asked\s+for|asked)[\s:\"'`]*$",
            r"(?:instead|rather)\s+than\b|plan\s+[b-z]\b",
            r"(?:here\s+is|here['’]s|from|in|of)\s+(?:the|my|a)\s+(?:\w+\s+)?log\b",
            r"(?:wants|wanted|says|told|tells)\b|got\s+(?:this|it|back)\b|(?:soon|tonight|at\s+night)\b|done(?:\s+with\b|\W*$)",
            r"(?:bot|agent|enemy|mob|skeleton|spider|zombie)\s+(?:will|is\s+going\s+to)\s+(?:answer|go\s+with|run|send|use)\b",
            rf"(?:avoid|break|end|fight|found|fix|kill|place|reach\s+for|see|stop)\s+(?:the|this)\s+(?:following|{_OBJECT})\b",
            r"(?:his|her|their|your|whose|(?!let|here|it|that|what|there)[^\W_]+['’]s)\s+(?:\w+\s+)?"
            r"(?:command|answer|reply|response|request|message|action|call|json|object|example)\b",
            r"(?:command|answer|reply|response|request|message|action|call|json|object)\s+(?:from|by|of)\b",
        )
    )
    + ")",
)
_GOES_ON = _pattern(
    r"[\s`'\")\]]*(?:is|was|were|would|will|isn['’]t|wasn['’]t|won['’]t|wouldn['’]t|but|because|failed|fails|returned|"
    r"did|didn['’]t|does|doesn['’]t|has|had|should|must|cannot|can['’]t|could|might|may|are|aren['’]t|unless|only\s+if|"
    r"or|and\s+then|and\s+(?:\w+ed|got|saw|was|it|ran|lost|died))\b",
)
_TAKES_BACK = _pattern(
    r"\b(?:scratch\s+that|never\s*mind|on\s+second\s+thought|disregard|actually,?\s+no\b|no,?\s+wait|wait,?\s+no\b)",
    rf"\b(?:ignore|cancel|forget|undo|discard)\s+{_THIS}\b",
    rf"\b{_NO}\s+(?:\w+\s+)?{_SEND}\s+{_THIS}\b",
    r"\b(?:that|this|it)\s*(?:is|was|['’]s)\s+(?:wrong|a\s+mistake|not\s+(?:right|what|correct|a\s+real)|incorrect|"
    r"(?:just|only)\s+(?:an?\s+)?(?:example|idea|draft|test))\b",
    r"\b(?:just|only|merely)\s+an?\s+(?:example|illustration|sample|draft|test)\b|\bhypothetical|\bthe\s+above\s+(?:is|was)\b",
    r"\bend\s+of\b(?!\s+(?:my\s+|the\s+)?(?:answer|message|output|response|turn)\b)",
    r"\bnot\s+(?:executed|run|sent|to\s+be)\b|\bbefore\s+(?:i|we)\s+(?:run|send|do|execute)\b",
)
_DONE_WITH = _pattern(
    r"\b(?:i|we)(?:['’]ve|\s+have|\s+had)\s+(?:run|done|used|sent|tried)\s+(?:this|that|it)\b",
    r"\b(?:this|that|it|command|action|answer|object|json)\s+(?:has|have)\s+been\s+(?:run|done|used|sent)\b",
    rf"\bavoid(?:ing)?\s+(?:this|that|it)\b|\b(?:this|that|it|{_OBJECT})\s+is\s+(?:off|dead|at\s+an\s+end)\b",
    r"\b(?:break|cut|end|fix|kill)\s+(?:this|that|it)\b|^\W*(?:put\s+(?:(?:this|that|it)\s+)?)?off\b",
    r"\b(?:need|needs|given|with)\s+(?:an?|the|your)\s+(?:ok|okay|go|yes)\b|^\W*(?:soon|(?:at|in\s+the)\s+(?:night|next))\b",
    rf"\b{_SEND}\s+{_THIS}\s+(?:after|if|later|once|soon|tomorrow|tonight|unless|until|when)\b",
    r"\banother\s+(?:\w+\s+)?is\s+better\b|\b(?:chose|decided\s+on)\s+another\b",
    r"^\W*(?:to|for|cc)\s*:|\b(?:this|that|it)(?:\s+is|['’]s)\s+for\s+\w+\s+to\b",
)
"""Sentences on either side of an object by which it is done, given away or given up."""
_CLAUSE = _pattern(r"[.!?;,]\s", r"\n\s*\n", r"\b(?:so|but|therefore|thus|hence|then|now)\b")


def objection(before: str, after: str) -> str | None:
    """Return ``refusal`` or ``narration`` if the words around an object say that it must not run. Otherwise return
    None.
    """
    before, after = before[-REACH:].strip(" \t").lower(), after[:REACH].rstrip().lower()
    if _REFUSES.search(before) or _REFUSES.search(after):
        return "refusal"
    clause = _last_clause(before)
    if _NEGATES.search(clause):
        return "refusal"
    if _NARRATES.search(clause):
        return "narration"
    last = re.split(r"[.!?]\s|\n", leading_text(before))[-1]
    if _DONE_WITH.search(last) or any(map(_DONE_WITH.search, after.splitlines())):
        return "narration"
    if _GOES_ON.match(after.split("\n", 1)[0]) or _TAKES_BACK.search(after):
        return "narration"
    return None


def _last_clause(before: str) -> str:
    """Return the words that lead to the object: on its line, after the last full stop, comma or "so"."""
    text = leading_text(before)
    label = text.endswith((":", "->", "=>", "→", ",")) or text.rsplit("\n", 1)[-1].startswith(("#", "//"))
    if not label and "\n" in before[len(text) :]:
        return ""  # a finished line above, then the object on its own
    start = 0
    for match in _CLAUSE.finditer(text):
        start = match.end()
    return text[start:].rsplit("\n", 1)[-1]
