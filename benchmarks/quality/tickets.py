"""A made-up file of support tickets with known copies, from a seed.

Tickets are written from templates, as people and forms write them: most tickets resemble many
others that are about another thing. A share of the rows are copies of an earlier one, with up to
three typos: two letters swapped, one left out, doubled, or replaced by another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COPIES, TYPOS = 0.12, 3
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def phrases(text: str) -> list[str]:
    """Split a text at semicolons."""
    return [" ".join(part.split()) for part in text.split(";")]


GREETINGS = [
    "Hello,",
    "Hi team,",
    "Good morning,",
    "Dear support,",
    "Hi,",
    "To whom it may concern,",
]
CLOSINGS = [
    "Please help.", "Please call me back.", "Thanks in advance.", "Can somebody look into this?",
    "This is urgent for us.", "Let me know what you need from me.", "Kind regards.",
    "I need an answer before the weekend.", "Please escalate this.", "Any idea what is going on?",
]  # fmt: skip
DEVICES = phrases("""
laptop; printer; scanner; projector; keyboard; headset; phone; tablet; router; docking station;
monitor; webcam; badge reader; coffee machine; server; camera
""")
PLACES = phrases("""
the Berlin office; the London office; the warehouse; the second floor; the lobby; the meeting
room; the factory; the Madrid branch; my home office; the training centre; the reception; the
laboratory; the canteen; the Toronto branch; the archive
""")
SYSTEMS = phrases("""
the payroll system; the customer portal; the mail client; the calendar; the web shop; the booking
tool; the time sheet; the data warehouse; the chat; the document store; the expense tool; the VPN;
the wiki; the staging server; the inventory database
""")
FAULTS = phrases("""
does not start any more; shows a blue screen after a few minutes; makes a loud noise; loses the
connection every hour; is extremely slow; keeps asking for a password; prints only blank pages;
overheats and switches itself off; flickers all the time; was dropped and the glass is broken;
cannot find the network; rejects my account; freezes when I open a large file; does not react to
the power button
""")
TRIED = phrases("""
I have restarted it twice; I have changed the cable; I have installed all updates; my colleague
checked the settings; we replaced the battery; I cleared the cache; nobody has touched it since
Friday; we followed the manual step by step; I logged out and in again; we asked the vendor; I
tried another browser
""")
EFFECTS = phrases("""
so we cannot ship orders; so invoices are delayed; and customers are waiting; so I am unable to
work; and the whole team is blocked; so the presentation is at risk; and we had to use paper; so
reports are missing; and the audit starts next week; so salaries may be late; and visitors cannot
enter; so the class was cancelled
""")
ITEMS = phrases("""
a blue jacket; two pairs of shoes; a garden table; an espresso machine; a desk lamp; a mountain
bike; a set of knives; a winter coat; a wireless speaker; a board game; a leather bag; a baby
stroller; a rain barrel; an electric drill; a tea kettle
""")
WRONGS = phrases("""
arrived damaged; never arrived; was delivered to my neighbour; has the wrong colour; is missing a
part; is too small; was charged twice; smells of smoke; came without a bill; stopped working after
a day; looks used; was sent to my old address
""")
WISHES = phrases("""
I would like a refund; please send a replacement; I want to exchange it for a larger one; please
cancel the order; I would accept a voucher; please arrange a pickup; I expect a discount; please
correct the invoice; tell me where I can return it
""")
NAMES = [
    "Anna", "Bruno", "Carla", "David", "Elena", "Frank", "Greta", "Hassan", "Irene", "Jonas",
    "Karim", "Laura", "Marco", "Nadia", "Oscar", "Paula", "Rafael", "Sofia", "Tomas", "Vera",
]  # fmt: skip
TEMPLATES = [
    "{greeting} the {device} in {place} {fault}. {tried}, but it still {fault2}, "
    "{effect}. {closing}",
    "{greeting} since the last update {system} {fault}. {tried} and {tried2}, {effect}. {closing}",
    "{greeting} I ordered {item} and it {wrong}. {tried3}. {wish}, otherwise {wish2}. {closing}",
    "{greeting} my order {number} with {item} {wrong}. {wish}. The receipt is from "
    "{date}. {closing}",
    "{greeting} {name} needs access to {system} from {date} on and to {system2} as "
    "well, {effect}. {closing}",
    "{greeting} please give {name} the rights that {name2} has in {system}, because "
    "{name2} is leaving {place}, {effect}. {closing}",
    "{greeting} asset {code} in {place}, a {device}, {fault}. {tried}, {effect}. {closing}",
    "{greeting} {system} shows error {number} when {name} opens it in {place}. "
    "{tried} and {tried2}. {closing}",
]  # fmt: skip


@dataclass(frozen=True)
class Tickets:
    """Texts in the order of the file, and for each the row it was copied from, or -1."""

    texts: list[str]
    copy_of: list[int]
    typos: list[int]  # that were made in each


def make_tickets(rows: int = 50_000, seed: int = 0) -> Tickets:
    """A file of tickets: all originals differ, and copies stand behind what they copy."""
    random = np.random.default_rng(seed)
    texts: list[str] = []
    copy_of: list[int] = []
    typos: list[int] = []
    originals: list[int] = []
    seen: set[str] = set()
    while len(texts) < rows:
        if originals and random.random() < COPIES:
            source = originals[int(random.integers(len(originals)))]
            typos.append(int(random.integers(TYPOS + 1)))
            texts.append(with_typos(texts[source], typos[-1], random))
            copy_of.append(source)
            continue
        text = _ticket(random)
        if text in seen:
            continue
        seen.add(text)
        originals.append(len(texts))
        texts.append(text)
        copy_of.append(-1)
        typos.append(0)
    return Tickets(texts, copy_of, typos)


def one_of(choices: list[str], random: np.random.Generator) -> str:
    """One of them by chance."""
    return choices[int(random.integers(len(choices)))]


def _ticket(random: np.random.Generator) -> str:
    def one(choices: list[str]) -> str:
        return one_of(choices, random)

    template = one(TEMPLATES)
    code = f"{one(list(LETTERS)).upper()}{one(list(LETTERS)).upper()}-{random.integers(1000, 9999)}"
    return template.format(
        greeting=one(GREETINGS), closing=one(CLOSINGS), device=one(DEVICES), place=one(PLACES),
        fault=one(FAULTS), fault2=one(FAULTS), tried=one(TRIED), tried2=one(TRIED),
        tried3=one(TRIED), effect=one(EFFECTS), system=one(SYSTEMS), system2=one(SYSTEMS),
        item=one(ITEMS), wrong=one(WRONGS), wish=one(WISHES), wish2=one(WISHES), name=one(NAMES),
        name2=one(NAMES), number=random.integers(10_000, 99_999), code=code,
        date=f"{random.integers(1, 29)} {one(['March', 'April', 'May', 'June', 'July'])}",
    )  # fmt: skip


def with_typos(text: str, typos: int, random: np.random.Generator) -> str:
    """The text with so many typos, anywhere in it, in digits too."""
    for _ in range(typos):
        places = [place for place in range(len(text) - 1) if text[place].isalnum()]
        place = places[int(random.integers(len(places)))]
        letter = LETTERS[int(random.integers(26))]
        before, here, after = text[:place], text[place], text[place + 1 :]
        made = [
            before + after[:1] + here + after[1:],
            before + after,
            before + here + here + after,
            before + letter + after,
        ]
        text = made[int(random.integers(len(made)))]
    return text
