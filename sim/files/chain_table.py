"""[chain.NAME] in a scene file: many like bodies, each on a joint to the one before."""

from __future__ import annotations

from typing import Any

from sim.files.document import Document
from sim.files.reader import Table, shown
from sim.scene import WORLD, SceneError

LONGEST_CHAIN = 1000


def expand_chains(document: Document, keys: tuple[str, ...]) -> None:
    """Bodies and joints NAME1, NAME2… in place of every chain; what the file says of single ones is laid over."""
    if "chain" not in document.data:
        return
    links = Document(document.file, {"body": {}, "joint": {}}, {})
    for name, table in Table(document.data, (), list(document.data)).named("chain", keys):
        _expand(name, table, document, links)
    rest = {key: value for key, value in document.data.items() if key != "chain"}
    links.lay_over(rest, {where: place for where, place in document.places.items() if where[0] != "chain"})
    document.data, document.places = links.data, links.places


def _expand(name: str, chain: Table, document: Document, links: Document) -> None:
    count = _count(chain)
    parent = chain.optional("parent", chain.text, WORLD)
    for kind in ("body", "joint"):
        templates = [(table, document.below(where)) for where, table in _templates(chain, kind)]
        for i in range(count):
            link = f"{name}{i + 1}"
            table, places = templates[i % len(templates)]
            data = dict(table)
            if kind == "joint":
                data |= {"parent": parent if i == 0 else f"{name}{i}", "child": link}
            if link in links.data[kind]:
                chain.fail(f'another chain has a link "{link}" already; expected another name')
            links.data[kind][link] = data
            links.places.update({(kind, link, *where): place for where, place in places.items()})
    links.places["joint", f"{name}1", "parent"] = document.place((*chain.where, "parent"))


def _count(chain: Table) -> int:
    count = chain.value("count", "how many links it has")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= LONGEST_CHAIN:
        chain.fail(f"count is {shown(count)}; expected a whole number from 1 to {LONGEST_CHAIN}", "count")
    return count


def _templates(chain: Table, kind: str) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Where they stand and what they say: one table, or a list of them that take turns."""
    value = chain.value(kind, f"the keys of a {kind}, or a list of such tables that take turns")
    where = (*chain.where, kind)
    found = (
        [((*where, str(i)), table) for i, table in enumerate(value)] if isinstance(value, list) else [(where, value)]
    )
    if not found or not all(isinstance(table, dict) for _, table in found):
        chain.fail(f"{kind} is {shown(value)}; expected a table, or a list of tables that take turns", kind)
    for place, table in found:
        for key in ("parent", "child"):
            if kind == "joint" and key in table:
                sentence = (
                    f'chain "{chain.where[1]}": {key} is given, but the chain itself connects its links; expected none'
                )
                raise SceneError(sentence, (*place, key))
    return found
