"""The API's description as a page: plain HTML that loads nothing, from here or elsewhere."""

import re
from html import escape
from typing import Any, Final

import msgspec

from referee.http.problems import KINDS

Json = dict[str, Any]

# The page holds no script; were something ever smuggled into it, no browser would run it.
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.875em; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid; border-radius: 0.25rem; }
summary { cursor: pointer; padding: 0.25rem 0; }
summary b { display: inline-block; min-width: 3.5rem; text-transform: uppercase; }
details > div { margin: 0 0 1rem 1rem; scroll-margin-top: 3rem; }
table { border-collapse: collapse; }
td, th { text-align: left; vertical-align: top; padding: 0.125rem 1rem 0.125rem 0; }
"""


def page(document: Json) -> str:
    """The page that shows an OpenAPI document of ours."""
    info = document["info"]
    tags = document["tags"]
    parts = [
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        f"<p>{_prose(info['description'])}</p>",
        '<p>For programs: <a href="/schema/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>',
        *(_section(document, tag) for tag in tags),
        "<h2>Problems</h2>",
        _problems(),
        "<h2>Shapes</h2>",
        *(_schema(name, schema) for name, schema in document["components"]["schemas"].items()),
    ]
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _prose(text: str) -> str:
    """Text in which what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _section(document: Json, tag: Json) -> str:
    operations = [
        _operation(method, path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if tag["name"] in operation["tags"]
    ]
    heading = f"<h2>{escape(tag['name'].title())}</h2><p>{_prose(tag['description'])}</p>"
    return heading + "".join(operations)


def _operation(method: str, path: str, operation: Json) -> str:
    takes = _bodies(operation.get("requestBody", {}).get("content", {}))
    return (
        f'<details id="{escape(operation["operationId"])}"><summary><b>{method}</b> '
        f"<code>{escape(path)}</code> {_prose(operation['summary'])}</summary><div>"
        f"<p>{_prose(operation['description'])}</p><p>{_token(operation)}</p>"
        f"{_parameters(operation.get('parameters', []))}"
        f"{f'<p>Takes {takes}</p>' if takes else ''}"
        f"{_answers(operation['responses'])}</div></details>"
    )


def _token(operation: Json) -> str:
    security = operation.get("security")
    if security is None:
        return "Needs no token."
    return "A token, unless the match is public." if {} in security else "Needs a token."


def _parameters(parameters: list[Json]) -> str:
    rows = [
        f"<tr><td><code>{escape(found['name'])}</code></td><td>{escape(found['in'])}</td>"
        f"<td>{_prose(found['description'])}</td></tr>"
        for found in parameters
    ]
    return f"<table>{''.join(rows)}</table>" if rows else ""


def _answers(responses: Json) -> str:
    rows = [
        f"<tr><td>{escape(status)}</td><td>{_answer(response)}</td></tr>"
        for status, response in sorted(responses.items())
    ]
    return f"<p>Answers</p><table>{''.join(rows)}</table>"


def _answer(response: Json) -> str:
    if "$ref" in response:
        return _link("Problem")
    return _bodies(response.get("content", {})) or _prose(response["description"])


def _bodies(content: Json) -> str:
    shapes = {_name(body["schema"]): None for body in content.values()}
    kinds = ", ".join(f"<code>{escape(kind)}</code>" for kind in content)
    links = ", ".join(_link(shape) for shape in shapes if shape)
    return f"{links} {kinds}".strip()


def _name(schema: Json) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _link(name: str) -> str:
    return f'<a href="#shape-{escape(name)}">{escape(name)}</a>'


def _problems() -> str:
    rows = [
        f"<tr><td>{kind.status}</td><td><code>{escape(kind.type)}</code></td>"
        f"<td>{_prose(kind.about)}</td></tr>"
        for kind in KINDS.values()
    ]
    return f"<table>{''.join(rows)}</table>"


def _schema(name: str, schema: Json) -> str:
    text = msgspec.json.format(msgspec.json.encode(schema)).decode()
    about = _prose(str(schema.get("description", "")).partition("\n")[0])
    return (  # the anchor is within: a link to it opens what is folded up
        f"<details><summary><code>{escape(name)}</code> {about}</summary>"
        f'<div id="shape-{escape(name)}"><pre>{escape(text)}</pre></div></details>'
    )
