"""What can be changed in a source, one thing at a time: each a mutant."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

Node = ast.expr | ast.stmt


class Mutant(Struct, frozen=True, order=True):
    """A change in a file: the bytes from `start` to `end` become `new`.

    `line` is the text of the first line changed, stripped, by which it is known whatever stands
    before it; `number` that line's, `within` the name of the function that it is in, if any.
    """

    file: str
    number: int
    start: int
    end: int
    old: str
    new: str
    line: str
    within: str

    def __str__(self) -> str:
        return f"{self.file}:{self.number}: {self.old!r} -> {self.new!r} in: {self.line}"

    def applied(self, source: bytes) -> bytes:
        """The source with the change in it."""
        return source[: self.start] + self.new.encode() + source[self.end :]


COMPARISONS: Final = {
    ast.Lt: ("<", ("<=", ">")), ast.LtE: ("<=", ("<", ">=")), ast.Gt: (">", (">=", "<")),
    ast.GtE: (">=", (">", "<=")), ast.Eq: ("==", ("!=",)), ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)), ast.IsNot: ("is not", ("is",)), ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}  # fmt: skip
ARITHMETIC: Final = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"), ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"), ast.Mod: ("%", "+"), ast.BitOr: ("|", "&"), ast.BitAnd: ("&", "|"),
}  # fmt: skip
NAMES: Final = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}


def mutants(file: str, source: bytes) -> list[Mutant]:
    """All that can be changed in a file, in the order of its text."""
    return sorted(set(_Source(file, source).mutants()))


class _Source:
    def __init__(self, file: str, source: bytes) -> None:
        self._file, self._source = file, source
        self._lines = source.splitlines(keepends=True)
        self._begins = [0]
        for line in self._lines:
            self._begins.append(self._begins[-1] + len(line))

    def mutants(self) -> Iterator[Mutant]:
        for node, within in _changeable(ast.parse(self._source), ""):
            for start, end, new in self._changes(node):
                yield self._mutant(start, end, new, within)

    def _mutant(self, start: int, end: int, new: str, within: str) -> Mutant:
        number = self._source.count(b"\n", 0, start) + 1
        old, line = self._source[start:end].decode(), self._lines[number - 1].decode().strip()
        return Mutant(self._file, number, start, end, old, new, line, within)

    def _span(self, node: Node) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._begins[node.lineno - 1] + node.col_offset,
            self._begins[node.end_lineno - 1] + node.end_col_offset,
        )

    def _text(self, node: Node) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def _changes(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        changes = getattr(self, f"_{type(node).__name__.lower()}", None)
        if changes is not None:
            yield from changes(node)

    def _between(
        self, left: Node, right: Node, old: str, new: str
    ) -> Iterator[tuple[int, int, str]]:
        """Where `old` stands between two parts of an expression, as words or as a sign."""
        start, end = self._span(left)[1], self._span(right)[0]
        pattern = r"\s+".join(map(re.escape, old.split()))
        found = re.search(pattern.encode(), self._source[start:end])
        if found is not None:
            yield start + found.start(), start + found.end(), new

    # ── By the kind of a node ─────────────────────────────────────────────────────────────────────

    def _compare(self, node: ast.Compare) -> Iterator[tuple[int, int, str]]:
        parts = [node.left, *node.comparators]
        for index, operator in enumerate(node.ops):
            old, others = COMPARISONS[type(operator)]
            for new in others:
                yield from self._between(parts[index], parts[index + 1], old, new)

    def _binop(self, node: ast.BinOp) -> Iterator[tuple[int, int, str]]:
        if type(node.op) in ARITHMETIC:
            yield from self._between(node.left, node.right, *ARITHMETIC[type(node.op)])

    def _boolop(self, node: ast.BoolOp) -> Iterator[tuple[int, int, str]]:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            yield from self._between(left, right, old, new)

    def _unaryop(self, node: ast.UnaryOp) -> Iterator[tuple[int, int, str]]:
        if isinstance(node.op, ast.Not | ast.USub):
            yield *self._span(node), f"({self._text(node.operand)})"

    def _constant(self, node: ast.Constant) -> Iterator[tuple[int, int, str]]:
        if isinstance(node.value, bool):
            yield *self._span(node), str(not node.value)
        elif isinstance(node.value, int):
            yield *self._span(node), str(node.value + 1)
        elif isinstance(node.value, str) and self._text(node)[0] in "'\"":
            yield *self._span(node), repr(node.value + "~")

    def _joinedstr(self, node: ast.JoinedStr) -> Iterator[tuple[int, int, str]]:
        start, end = self._span(node)
        for found in re.finditer(rb"(?<!\{)\{([^{}]+)\}(?!\})", self._source[start:end]):
            yield start + found.start(1), start + found.end(1), "None"

    def _if(self, node: ast.If | ast.IfExp | ast.While) -> Iterator[tuple[int, int, str]]:
        yield *self._span(node.test), f"(not ({self._text(node.test)}))"

    _ifexp = _while = _if

    def _comprehension(self, node: ast.comprehension) -> Iterator[tuple[int, int, str]]:
        for condition in node.ifs:
            yield *self._span(condition), "True"

    def _return(self, node: ast.Return) -> Iterator[tuple[int, int, str]]:
        if node.value is not None and self._text(node.value) != "None":
            yield *self._span(node.value), "None"

    def _expr(self, node: ast.Expr) -> Iterator[tuple[int, int, str]]:
        if not isinstance(node.value, ast.Constant):
            yield *self._span(node), "pass"

    def _raise(self, node: ast.Raise) -> Iterator[tuple[int, int, str]]:
        yield *self._span(node), "pass"

    def _continue(self, node: ast.Continue) -> Iterator[tuple[int, int, str]]:
        yield *self._span(node), "break"

    def _break(self, node: ast.Break) -> Iterator[tuple[int, int, str]]:
        yield *self._span(node), "continue"

    def _call(self, node: ast.Call) -> Iterator[tuple[int, int, str]]:
        if isinstance(node.func, ast.Name) and node.func.id in NAMES:
            yield *self._span(node.func), NAMES[node.func.id]


def _changeable(node: ast.AST, within: str) -> Iterator[tuple[ast.AST, str]]:
    """What runs and says something, and the function that it is in.

    No types, no documentation; text only inside of functions.

    Of what stands in braces in a text Python 3.11 does not know the place.
    """
    yield node, within
    within = node.name if isinstance(node, ast.FunctionDef) else within
    for name, below in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_params"} or isinstance(node, ast.JoinedStr):
            continue
        if isinstance(node, ast.ClassDef) and name == "keywords":
            continue  # how a struct is made
        for one in below if isinstance(below, list) else [below]:
            if isinstance(one, ast.AST) and not _is_said_only(node, one, inside=bool(within)):
                yield from _changeable(one, within)


def _is_said_only(parent: ast.AST, node: ast.AST, *, inside: bool) -> bool:
    """Documentation, a type, or text of a table."""
    if isinstance(node, ast.Subscript) and isinstance(parent, ast.Assign | ast.Call):
        return False
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    return isinstance(parent, ast.Expr) or not inside
