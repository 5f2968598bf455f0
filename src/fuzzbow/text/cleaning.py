"""Removal of markup from texts before they are split into words. A new cleaner is registered here.

A cleaner keeps the length of a text, so that positions in what it returns are positions in the
original: removed characters become spaces, or `JOINER` inside a word. The encoder drops joiners
before a text is split, so that no tokenizer sees them.

Every pattern takes linear time on any text. A match never scans past a character that could start
another one, except inside quotation marks; an opening and a closing mark are paired by a stack.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from html.entities import html5

from fuzzbow.errors import check_choice
from fuzzbow.text.patterns import lazy_pattern

JOINER = "\u2060"  # WORD JOINER
CLEANING_RULES = 1  # to be raised with every change of a cleaner

# most texts have none of these, and are returned as they are
MARKUP = lazy_pattern(r"[<>&*_#`\[|~]|://|[wW]{3}\.|^[ \t]*[-+=]", re.MULTILINE)
JOINING = lazy_pattern(r"[\w'’&-]")  # characters of words that may continue after markup


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


ELEMENTS = _names(
    """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big
    blink blockquote body br button canvas caption center cite code col colgroup data datalist dd
    del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form
    frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins isindex
    kbd label legend li link main map mark marquee math menu meta meter nav nobr noframes noscript
    object ol optgroup option output p param path picture plaintext pre progress q rp rt ruby s
    samp script search section select slot small source span strike strong style sub summary sup
    svg table tbody td template textarea tfoot th thead time title tr track tt u ul use var video
    wbr xml
    """
)
INLINE = _names(
    """
    a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span
    strike strong sub sup tt u var
    """
)
BREAK_OPPORTUNITY = "wbr"  # inside a word, without a closing tag
BARE_ATTRIBUTES = _names(
    """
    allowfullscreen async autofocus autoplay checked compact controls default defer disabled
    download hidden inert ismap itemscope loop multiple muted nohref noresize noshade novalidate
    nowrap open playsinline readonly required reversed selected
    """
)


def _tag(opening: str, closing: str, values: str) -> str:
    """Make the pattern of a tag with the groups `name`, of its element, and `attributes`."""
    attribute = rf"[^\s\"'<>/=&]+(?:\s*=\s*(?:{values}))?"
    name = "(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9:-]*)"
    attributes = rf"(?P<attributes>(?:(?:\s+|(?<=[\"'])){attribute})*)"
    return rf"{opening}{name}{attributes}\s*(?:/\s*)?{closing}"


QUOTED = r"\"[^\"]*\"|'[^']*'"
TAG = lazy_pattern(_tag("<", ">", rf"{QUOTED}|[^\s\"'<>=`]+"))
# &lt;b&gt;, as feeds and tables of scraped pages have it
ESCAPED_TAG = lazy_pattern(
    _tag(
        "&(?:amp;)?lt;",
        "&(?:amp;)?gt;",
        rf"{QUOTED}|&quot;(?:[^&]|&(?!quot;))*&quot;|[^\s\"'<>=`&]+",
    )
)
ATTRIBUTE_VALUE = lazy_pattern(r"[^\s\"'=]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|&quot;.*?&quot;|[^\s\"']+)")
HIDDEN = lazy_pattern(r"<!--|<(?P<name>script|style)(?=[\s>/])[^<>]*>", re.IGNORECASE)
HIDDEN_ENDS = {
    "": lazy_pattern("-->"),
    "script": lazy_pattern(r"</script\s*>", re.IGNORECASE),
    "style": lazy_pattern(r"</style\s*>", re.IGNORECASE),
}
DECLARATION = lazy_pattern(r"<![A-Za-z][^<>]*>|<\?[A-Za-z][^<>]*>|<!\[CDATA\[|<!--|-->")

# a number, or a name; &amp;lt; was escaped twice
ENTITY = lazy_pattern(
    r"&(?:amp;)?(?:#(?:[0-9]{1,8}|[xX][0-9A-Fa-f]{1,8});|[A-Za-z][A-Za-z0-9]{1,31};"
    r"|(?:amp|lt|gt|quot|nbsp)(?![A-Za-z0-9=;]))"
)
ENTITIES = lazy_pattern(f"(?:{ENTITY.pattern})+")
NUMBER_LIMIT = 0x110000
# what browsers read in the numbers of control characters: those of Windows
WINDOWS = {
    number: bytes([number]).decode("cp1252", "replace")
    for number in range(0x80, 0xA0)
    if number not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}

URL = lazy_pattern(
    r"(?<![A-Za-z0-9_])(?:https?://|(?<![.@-])www\.(?=\w))"
    r"(?:[!#-%'-;=?-\[\]_a-z~\u00c0-\u1fff]|&(?!(?:nbsp|quot|lt|gt|#\w{1,8});))+",
    re.IGNORECASE,
)
AUTOLINK = lazy_pattern(r"<(?:https?://|www\.)[^\s<>]*>", re.IGNORECASE)
AFTER_URL = ".,;:!?'*_~"  # marks at its end that are not part of it
LINK = lazy_pattern(
    r"(?P<head>!?\[)(?P<text>[^\[\]]*)"
    r"\]\((?P<url>[^()\s]*(?:\([^()\s]*\)[^()\s]*)?)(?:[ \t]+(?:\"[^\"]*\"|'[^']*'))?[ \t]*\)"
)
IMAGE = lazy_pattern(LINK.pattern.replace("!?", "!", 1))
IN_URLS = lazy_pattern(r"[./:#]")

FENCE = lazy_pattern(r"^[ \t]*(?:```+|~~~+)[ \t]*[\w+#.-]*[ \t\r]*$", re.MULTILINE)
LINE_RULE = lazy_pattern(
    r"^[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}[ \t]*)\r?$", re.MULTILINE
)
QUOTE = lazy_pattern(r"^[ \t]*>(?:[ \t]*>)*(?=[ \t\r]|[^\W\d_]|$)", re.MULTILINE)
TASK = r"\[[ xX]\]"
BULLET = lazy_pattern(rf"^[ \t]*(?:[-*+](?:[ \t]+{TASK})?|{TASK})(?=[ \t])", re.MULTILINE)
HEADING = lazy_pattern(r"^[ \t]*#{1,6}(?=[ \t]).*$", re.MULTILINE)
HEADING_MARKS = lazy_pattern(r"^[ \t]*#+|(?<=[ \t])#+(?=[ \t\r]*$)")
TABLE_RULE = lazy_pattern(r"^[ \t:|-]*-[ \t:|-]*\r?$", re.MULTILINE)
TABLE_ROW = lazy_pattern(r"^[ \t]*\|.*\|[ \t\r]*$", re.MULTILINE)
PIPE = lazy_pattern(r"(?<=[ \t])\|(?=[ \t])|(?<=[ \t])\|(?=\r?$)|^\|(?=[ \t])", re.MULTILINE)

WORD_PART = lazy_pattern(r"(?<!\*)\*\*([^\W\d_]+)\*\*(?!\*)")  # im**port**ant
PARAGRAPH = r"\n[ \t\r]*(?=\n)"
TICKS = lazy_pattern(rf"`+|{PARAGRAPH}")
EMPHASIS = lazy_pattern(rf"\*+|_+|~~+|{PARAGRAPH}")


def clean_web(text: str) -> str:
    """Replace HTML, entities, Markdown and URLs by spaces, or by their text, in equal length.

    >>> clean_web("<p>A <b>cat</b> sleeps.</p>")
    '   A    cat     sleeps.    '
    >>> clean_web("**Bold** [link](https://example.com), x*y, a < b, snake_case").split()
    ['Bold', 'link', ',', 'x*y,', 'a', '<', 'b,', 'snake_case']
    """
    if MARKUP.search(text) is None:
        return text
    if "<" in text or "&" in text:
        text = _without_tags(text)
    text = _without_urls(text)
    text = _without_blocks(text)
    text = _without_spans(text)
    return ENTITIES.sub(_decode_run, text) if "&" in text else text


CLEANERS: dict[str, Callable[[str], str]] = {
    "web": clean_web,
}


def parse_clean(choice: str | None) -> Callable[[str], str] | None:
    """Return the cleaner of a name; None for None."""
    return None if choice is None else CLEANERS[check_choice(choice, CLEANERS, "clean")]


Edit = tuple[int, int, str]  # start, end, and the character that replaces each one between


def _apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Replace parts of a text that are in order and do not overlap."""
    parts, done = [], 0
    for start, end, filler in edits:
        parts += [text[done:start], filler * (end - start)]
        done = end
    return "".join([*parts, text[done:]]) if parts else text


def _spaces(found: re.Match[str] | str) -> str:
    """Return spaces for a match; its line feeds, which end lines of Markdown, are kept."""
    part = found if isinstance(found, str) else found[0]
    return "\n".join(" " * len(line) for line in part.split("\n"))


def _without_tags(text: str) -> str:
    """Remove comments, scripts, styles, declarations and tags."""
    if "<" in text:
        text = DECLARATION.sub(_spaces, _without_hidden(text)).replace("]]>", "   ")
        text = AUTOLINK.sub(_spaces, text)
        text = _apply_edits(text, _tag_edits(text, TAG))
    return _apply_edits(text, _tag_edits(text, ESCAPED_TAG)) if "lt;" in text else text


def _without_hidden(text: str) -> str:
    """Remove comments, and the elements script and style with their content."""
    parts: list[str] = []
    done = 0
    unclosed: set[str] = set()  # kinds of which no end follows
    for found in HIDDEN.finditer(text):
        kind = (found["name"] or "").lower()
        if found.start() < done or kind in unclosed:
            continue
        end = HIDDEN_ENDS[kind].search(text, found.end())
        if end is None:
            unclosed.add(kind)
            continue
        parts += [text[done : found.start()], _spaces(text[found.start() : end.end()])]
        done = end.end()
    return "".join([*parts, text[done:]])


def _tag_edits(text: str, pattern: re.Pattern[str]) -> Iterator[Edit]:
    """Yield spaces for tags, or joiners for tags of inline elements inside a word."""
    tags = [found for found in pattern.finditer(text) if _is_tag(found)]
    inline = _inline_tags(tags)
    run: list[int] = []  # tags without anything between them
    for number, tag in enumerate(tags):
        run.append(number)
        if number + 1 < len(tags) and tags[number + 1].start() == tag.end():
            continue
        start, end = tags[run[0]].start(), tag.end()
        around = (text[max(start - 1, 0) : start], text[end : end + 1])
        within = inline.issuperset(run) and all(map(JOINING.match, around))  # characters of words
        yield start, end, JOINER if within else " "
        run = []


def _is_tag(found: re.Match[str]) -> bool:
    """Return whether a match is a tag of HTML, unlike `<String>` or `<a and b>`."""
    name = found["name"].lower()
    if name not in ELEMENTS and not ("-" in name or ":" in name):
        return False
    bare = ATTRIBUTE_VALUE.sub(" ", found["attributes"]).split()
    return all("-" in item or item.lower() in BARE_ATTRIBUTES for item in bare)


def _inline_tags(tags: list[re.Match[str]]) -> set[int]:
    """Find the tags of inline elements that are both opened and closed."""
    inline: set[int] = set()
    opened: dict[str, list[int]] = defaultdict(list)
    for number, tag in enumerate(tags):
        name = tag["name"].lower()
        if name == BREAK_OPPORTUNITY:
            inline.add(number)
        elif name in INLINE and not tag["end"]:
            opened[name].append(number)
        elif name in INLINE and opened[name]:
            inline |= {opened[name].pop(), number}
    return inline


def _without_urls(text: str) -> str:
    """Remove URLs, and keep the texts of links and images."""
    if "](" in text:
        text = LINK.sub(_link_text, IMAGE.sub(_link_text, text))
    if "://" in text or "www." in text.lower():
        text = URL.sub(_after_url, text)
    return text


def _link_text(found: re.Match[str]) -> str:
    """Return the text of a link between spaces; `f[i](x)` is no link."""
    is_behind_word = found.start() > 0 and found.string[found.start() - 1].isalnum()
    if is_behind_word and IN_URLS.search(found["url"]) is None:
        return found[0]
    before, after = len(found["head"]), found.end() - found.end("text")
    return " " * before + found["text"] + " " * after


def _after_url(found: re.Match[str]) -> str:
    """Return spaces for a URL, and the punctuation after it."""
    url = found[0]
    end = len(url)
    unopened = {close: url.count(close) - url.count(open_) for open_, close in ("()", "[]")}
    while end:
        last = url[end - 1]
        if unopened.get(last, 0) > 0:
            unopened[last] -= 1
        elif last not in AFTER_URL:
            break
        end -= 1
    return " " * end + url[end:]


def _without_blocks(text: str) -> str:
    """Remove the marks of Markdown that stand at the beginning of lines, or fill them."""
    text = LINE_RULE.sub(_spaces, FENCE.sub(_spaces, text))
    if "|" in text:
        text = TABLE_RULE.sub(_spaces, text)
        text = TABLE_ROW.sub(lambda row: row[0].replace("|", " "), text)
        text = PIPE.sub(" ", text)
    if ">" in text:
        text = QUOTE.sub(_spaces, text)
    text = BULLET.sub(_spaces, text)
    if "#" in text:
        text = HEADING.sub(lambda line: HEADING_MARKS.sub(_spaces, line[0]), text)
    return text


def _without_spans(text: str) -> str:
    """Remove the marks of Markdown around code and emphasis."""
    if "`" in text:
        text = _apply_edits(text, sorted(_tick_edits(text)))
    if "**" in text:
        text = WORD_PART.sub(_word_part, text)
    if "*" in text or "_" in text or "~~" in text:
        text = _apply_edits(text, sorted(_emphasis_edits(text)))
    return text


def _tick_edits(text: str) -> Iterator[Edit]:
    """Yield spaces for pairs of equally many backticks in a paragraph, and for three or more."""
    opened: dict[int, re.Match[str]] = {}  # by length
    for found in TICKS.finditer(text):
        if found[0][0] == "\n":
            opened.clear()
            continue
        size = len(found[0])
        pair = opened.get(size)
        if pair is not None or size >= 3:
            yield found.start(), found.end(), " "
        if pair is None:
            opened[size] = found
            continue
        if size < 3:
            yield pair.start(), pair.end(), " "
        opened.clear()


def _word_part(found: re.Match[str]) -> str:
    """Return joiners for asterisks around a part of a word; keep `x**y**z` and whole words."""
    text, (start, end) = found.string, found.span()
    behind = start > 0 and text[start - 1].isalpha()
    ahead = text[end : end + 1].isalpha()
    if not (behind or ahead) or len(found[1]) == 1 == behind:
        return found[0]
    return (JOINER if behind else " ") * 2 + found[1] + (JOINER if ahead else " ") * 2


def _emphasis_edits(text: str) -> Iterator[Edit]:
    """Yield spaces for opening and closing asterisks, underscores and tildes, paired by a stack.

    An opening mark follows no letter or digit and no space follows it; a closing one is the
    reverse. `x*y`, `2 * 3` and `snake_case` have neither.
    """
    opened: dict[str, list[tuple[int, int]]] = defaultdict(list)  # start and end of what is left
    for found in EMPHASIS.finditer(text):
        mark = found[0][0]
        if mark == "\n":
            opened.clear()
            continue
        start, end = found.span()
        before, after = text[start - 1] if start else " ", text[end : end + 1] or " "
        if not (before.isspace() or _is_word(after)):
            while start < end and opened[mark]:
                first, last = opened[mark][-1]
                if end - start < last - first != 3:  # `**a *b*` closes one
                    break
                opened[mark].pop()
                size = min(last - first, end - start)
                yield last - size, last, " "
                yield start, start + size, " "
                start += size
                if last - size > first:
                    opened[mark].append((first, last - size))
        if start < end and not (after.isspace() or _is_word(before)):
            opened[mark].append((start, end))


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_@"


def _decode_run(found: re.Match[str]) -> str:
    """Decode consecutive entities, each at the position where it begins."""
    text, (start, end) = found.string, found.span()
    parts = ENTITY.findall(found[0])
    characters = [_decode(part) for part in parts]
    around = [text[max(start - 1, 0) : start], *characters, text[end : end + 1]]
    filled = []
    for part, before, character, after in zip(parts, around, characters, around[2:], strict=False):
        # a joiner if a word continues, as in `caf&eacute;s`
        within = character.isalnum() or (JOINING.match(character) and JOINING.match(before))
        filler = JOINER if within and JOINING.match(after) else " "
        filled.append(character + filler * (len(part) - len(character)))
    return "".join(filled)


def _decode(entity: str) -> str:
    """Decode an entity; one that does not exist is kept.

    >>> [_decode(entity) for entity in ("&eacute;", "&#233;", "&#xE9;", "&amp;eacute;", "&T;")]
    ['é', 'é', 'é', 'é', '&T;']
    """
    code = entity.removeprefix("&").removeprefix("amp;") or "amp;"
    if not code.startswith("#"):
        return html5.get(code, entity) or html5.get(code + ";", entity)
    number = int(code[2:-1], 16) if code[1] in "xX" else int(code[1:-1])
    if number in WINDOWS:
        return WINDOWS[number]
    if number == 0 or 0xD800 <= number < 0xE000 or number >= NUMBER_LIMIT:
        return "\ufffd"
    return chr(number)
