"""The words that may stand around a command. Values only: whatever is on no list is unknown.

`ANNOUNCING` and `FILLING` together can only announce, however they are put together. `ENGLISH` are common words by
which a sentence is known to be English, the one language in which the reader can judge what is said about a command;
words that are as common in another language are not among them.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split("|"))


ANNOUNCING = _words("""
    act action all alright answer answer's certainly command command's course decision final following follows go going
    great here here's hi i i'll i'm json let let's me mine my next now object off ok okay perform please proceed
    proceeding ready reply response run running send sending so step sure then understood use using well yes
    antwort ответ befehl comando commande respuesta réponse
""")
"""Words that lead to an object."""

FILLING = _words("""
    a am an and below do for got is it it's of requested required that that's the this to valid we will with
    aquí está hier ist ma mein meine mi voici 一 下 以 令 命 回 好 我 是 案 步 的 答 请
""")
"""Words that may stand among them."""

AFTERWARDS = _words("all answer command done end is mine my ok okay thank thanks that's the this you")
"""Words that may follow an object without thoughts."""

PHRASES = _phrases("""
    here you go | in json format | as requested | as planned | let me know if you need anything else | hope this
    helps | hope that helps | i'll continue after that
""")
"""Whole phrases of the same kind."""

HARMLESS = PHRASES + _phrases("""
    after careful thought | after thinking it over | as the user asked | based on the previous results | confirm
    that it worked | did not use any tool | good luck | got it | here goes | here is what i will do | here is what
    i'll do | here's what i will do | here's what i'd do | here's what i'll do | i have never done this before |
    i'll report back | i'm not sure this is right | if all goes well | if this fails i'll try something else | in
    the requested format | let me know if you need further assistance | let's see what happens | no problem | not a
    problem | now that i have | of course | once more | sounds good | sure thing | this should work | this will not
    take long | time to | to fix my mistake | wait for the result | waiting for the result | when ready | without
    further ado | you're right
""")
"""Phrases around an object with thoughts that hold a word of RISKY or CONDITIONS and yet take nothing back."""

LABELS = _words("""
    ai also assistant bot finally hence model note output solution therefore thus corrected fixed json
    ahora jetzt kommando maintenant nun resposta risposta команда решение
    コマンド 下一步 命令 回复 回答 指令 答え 答案 输出 답변 명령 응답
""")
"""Further words that may stand alone before an object with thoughts. Any other names a person, a file or a text."""

LEADING = ANNOUNCING | _words("""
    again ado attempt careful continuing corrected executing first
    given hence i'd if i've mistake moving once our plan put ready see set
    problem therefore think thinking thought thus try updated we we'll when
""")
"""Words of which one stands in an English clause that leads to the model's own object."""

ENGLISH = (
    ANNOUNCING - _words("all hi me object run so antwort befehl comando commande respuesta réponse ответ")
) | _words("""
    about above action after again ahead although always and another any anything are around as ask asked
    attempt back based be because been before being below best better between both but can can't cannot careful
    check continue could course did didn't different does doesn't doing don't done down each else end enough
    every everything few find fine first fix follow format found from further get getting give given gives going
    good got has haven't having he helps here him his hope how however i'd i've if instead into
    isn't it it's its just keep know later least leave left like little look looks made make makes making many
    may maybe might more most move much must my myself near need needed needs never new next not nothing now
    often once one only other our out own part plan planned plans previous put quite rather
    reach read really rest right safe same say see seems set she should show since some something soon start started
    state stay stays step steps such take task tell than thank thanks that that's the their them then there there's
    therefore these they thing things think thinking this those thought through thus time too took tool tools true try
    trying turn two until up updated us used user very version wait way we'll we're well went were
    what what's when where which while who why will with without won't work worked works would wouldn't write wrong yet
    you you're your problem oops blah chat bring break mined crafted careful confirm fail fails failed
    continuing explanation executing jump moving sleep swim climb stand walk
    attack bag block blocks bread bridge build building cave chest chop clay coal cobblestone craft crafting dig
    digging enemy explore fight fighting food forest furnace gather gathering gold health hungry hunger inventory
    iron item items lava log logs mine mining mob mountain night ore path pickaxe plank planks position river sand
    sapling sapling sheep shelter skeleton sky slot smelt spider stick sticks stone sword torch torches
    tree trees village wood wooden zombie
""")

RISKY = _words("""
    above attempt back before below blah both but can't cannot chat check confirm could couldn't course did didn't
    different does doesn't don't each else executed executing fail failed fails few follow format gave getting got
    had hasn't haven't he helps her him his how however if instead isn't keep last later least leave less look looks
    made maybe might mistake must never no not nothing old once only other out previous quite rather read really
    request said same say seems she should show since start state still such take tell than their them there's they
    thing things thought thoughts time took tried try trying turn until user version wait was way went were what
    what's where which while who why without won't would wouldn't wrong you you're your
""")
"""Words with which a sentence can take an object back, give it to somebody else or another time, or only show it."""

CANCELLING = _words("""
    avoid bad cancel canceled cancelled declined discard discarded draft dry example executed ignore ignored invalid
    refuse refused reject rejected revoked sample skip skipped undo void wrong
""")
"""Words that no name beside an object may hold, since it takes the object back."""

NUMBERS = _words("one two three four five six seven eight nine ten twelve half dozen")

REFERENCES = _words("it such that them these this those")
"""Words that may stand for the object."""

REPORTS = _words("""
    approval asked chat decline forbid forbids format manual message permission person quote quoted refuse said says
    sent she he they tell told typed wiki wrote you your
""")
"""Words that tell of what others say, or of a refusal."""

CONDITIONS = _words("""
    after as assuming before had if imagine in just like on once provided should suppose unless until were when
    whenever with
    without
""")
"""Words with which a clause begins that makes a condition of what follows it."""

SAFE = (
    ANNOUNCING
    | FILLING
    | LABELS
    | LEADING
    | ENGLISH
    | NUMBERS
    | _words("""
    across afterwards am apples approach assistance at avoid beef birch break chickens chose climb close closest
    coal collect cook cow crafting cut dark dead decided diamond diamonds drink eat empty equip far farm feed find
    fish fix fly fuel full gives glass goal grass harvest has have high hunt hut in inside jump kill ladder
    light loot low me meat nearby need now oak on one open outside over pick pig place plant rest restore results
    run sapling search seeds shear shelter smelt some spruce stairs supplies surface table target throw tool town
    trade under upwards used wall water wheat wool work
""")
) - RISKY
"""The only words of the clause next to an object with thoughts, but for names: they lead to it or speak of the game."""
