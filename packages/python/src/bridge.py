"""Runs the Python functions of cards for Troupe. Needs Python 3.10 and only the standard library.

Reads one JSON message per line from standard input and writes one per line to standard output. The user's own
output goes to standard error. The process ends as soon as its input does, with everything it started.
"""

import json
import os
import sys


class Channel:
    """The pipe to Troupe. Only the main thread writes to it."""

    def __init__(self):
        self.reader = os.fdopen(os.dup(0), "rb")
        self.out = os.dup(1)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        self.is_open = True

    def hello(self):
        hello = {"type": "hello", "protocol": PROTOCOL, "python": list(sys.version_info[:3])}
        hello.update(executable=sys.executable, pid=os.getpid())
        os.write(self.out, json.dumps(hello).encode("ascii") + b"\n")

    def close_in_child(self):
        """Keeps a forked child from answering in place of this process."""
        self.is_open = False
        os.close(self.reader.fileno())
        os.close(self.out)

    def send(self, message):
        data = encode(message)
        if not self.is_open:
            os._exit(0)
        try:
            while data:
                data = data[os.write(self.out, data):]
        except OSError:
            end_process()


PROTOCOL = 1
CHANNEL = None
if __name__ == "__main__":
    # before anything else can read or write the pipes, and before anything that an older Python lacks
    CHANNEL = Channel()
    CHANNEL.hello()
    sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]

import asyncio  # noqa: E402
import base64  # noqa: E402
import collections  # noqa: E402
import collections.abc  # noqa: E402
import concurrent.futures  # noqa: E402
import contextvars  # noqa: E402
import ctypes  # noqa: E402
import dataclasses  # noqa: E402
import datetime  # noqa: E402
import decimal  # noqa: E402
import enum  # noqa: E402
import importlib.util  # noqa: E402
import inspect  # noqa: E402
import io  # noqa: E402
import pathlib  # noqa: E402
import re  # noqa: E402
import signal  # noqa: E402
import threading  # noqa: E402
import traceback  # noqa: E402
import types  # noqa: E402
import typing  # noqa: E402
import uuid  # noqa: E402

MAX_MESSAGE_BYTES = 32 * 1024 * 1024
MAX_LOG_CHARACTERS = 65536

LOOP = None
CALL = contextvars.ContextVar("call", default=None)
FUNCTIONS = {}
MODULES = {}
RUNNING = {}
STATES = {}


def end_process():
    """Ends this process and its process group at once."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(0)


# ---- values ----


class AttrDict(dict):
    """A dictionary whose items are also attributes."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None


class Message(AttrDict):
    """A message of a conversation, with the methods of fast-agent's messages."""

    def __init__(self, *args, **values):
        super().__init__(*args, **values)
        for name in ("tool_calls", "tool_results", "channels", "stop_reason"):
            self.setdefault(name, None)

    def add_text(self, text):
        part = AttrDict(type="text", text=text)
        self.content = [*(self.get("content") or []), part]
        return part

    def all_text(self):
        return "\n".join(part.text for part in self.get("content") or [] if part.get("type") == "text")

    def first_text(self):
        return next((part.text for part in self.get("content") or [] if part.get("type") == "text"), "")

    def last_text(self):
        return next((part.text for part in reversed(self.get("content") or []) if part.get("type") == "text"), "")


def encode(message):
    """Returns a message as one line. Raises ValueError or TypeError if it has no JSON form or is too large."""
    text = json.dumps(message, default=to_json, allow_nan=False)
    if len(text) > MAX_MESSAGE_BYTES:
        raise ValueError(f"the result has {len(text)} bytes, more than the limit of {MAX_MESSAGE_BYTES}")
    return text.encode("ascii") + b"\n"


def to_json(value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": base64.b64encode(bytes(value)).decode("ascii")}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset, collections.deque, collections.abc.KeysView, collections.abc.ValuesView)):
        return list(value)
    if isinstance(value, collections.abc.Mapping):
        return dict(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (uuid.UUID, pathlib.PurePath, decimal.Decimal)):
        return str(value)
    if isinstance(value, types.SimpleNamespace):
        return vars(value)
    raise TypeError(f"a value of type {type(value).__name__} has no JSON form")


# ---- schemas ----

SIMPLE = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    bytes: {"type": "string", "format": "binary"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
    uuid.UUID: {"type": "string", "format": "uuid"},
    pathlib.Path: {"type": "string", "format": "path"},
    pathlib.PurePath: {"type": "string", "format": "path"},
    decimal.Decimal: {"anyOf": [{"type": "number"}, {"type": "string"}]},
    list: {"type": "array"},
    tuple: {"type": "array"},
    set: {"type": "array", "uniqueItems": True},
    frozenset: {"type": "array", "uniqueItems": True},
    dict: {"type": "object"},
}
LISTS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection, collections.deque)
SETS = (set, frozenset, collections.abc.Set)
MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping, collections.OrderedDict)
REQUIRED = tuple(getattr(typing, name) for name in ("Required", "NotRequired", "ReadOnly") if hasattr(typing, name))
UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))
BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf", "pattern": "pattern"}


def schema_of(kind, defs):
    """Returns the JSON Schema of a type. Unknown types accept anything."""
    if isinstance(kind, typing.NewType):
        return schema_of(kind.__supertype__, defs)
    try:
        if kind in SIMPLE:
            return dict(SIMPLE[kind])
    except TypeError:
        return {}
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        return annotated_schema(schema_of(args[0], defs), args[1:])
    if origin in REQUIRED:
        return schema_of(args[0], defs)
    if origin in UNIONS:
        return {"anyOf": [schema_of(each, defs) for each in args]}
    if origin is typing.Literal:
        return {"enum": [each.value if isinstance(each, enum.Enum) else each for each in args]}
    if origin in LISTS:
        return {"type": "array", "items": schema_of(args[0], defs)}
    if origin in SETS:
        return {"type": "array", "items": schema_of(args[0], defs), "uniqueItems": True}
    if origin is tuple:
        return tuple_schema(args, defs)
    if origin in MAPPINGS:
        return {"type": "object", "additionalProperties": schema_of(args[1], defs)}
    if isinstance(kind, type):
        return class_schema(kind, defs)
    return {}


def tuple_schema(args, defs):
    if len(args) == 2 and args[1] is Ellipsis:
        return {"type": "array", "items": schema_of(args[0], defs)}
    items = [schema_of(each, defs) for each in args if each != ()]
    return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}


def annotated_schema(schema, notes):
    for note in notes:
        if isinstance(note, str):
            schema["description"] = note
            continue
        text = getattr(note, "description", None) or getattr(note, "documentation", None)
        if isinstance(text, str):
            schema["description"] = text
        for each in [note, *(getattr(note, "metadata", None) or [])]:
            add_bounds(schema, each)
    return schema


def add_bounds(schema, note):
    for name, keyword in BOUNDS.items():
        value = getattr(note, name, None)
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            schema[keyword] = value
    suffix = "Items" if schema.get("type") == "array" else "Properties" if schema.get("type") == "object" else "Length"
    for name, prefix in (("min_length", "min"), ("max_length", "max")):
        value = getattr(note, name, None)
        if isinstance(value, int):
            schema[prefix + suffix] = value


def class_schema(kind, defs):
    if issubclass(kind, enum.Enum):
        return {"enum": [member.value for member in kind]}
    if hasattr(kind, "model_json_schema"):
        return model_schema(kind, defs)
    fields = fields_of(kind)
    if fields is None:
        return {}
    name = kind.__name__
    if name not in defs:
        defs[name] = {}
        properties = {each: field_schema(hint, default, defs) for each, (hint, default) in fields.items()}
        required = [each for each, (_, default) in fields.items() if default is inspect.Parameter.empty]
        defs[name] = {"type": "object", "properties": properties, **({"required": required} if required else {})}
    return {"$ref": f"#/$defs/{name}"}


def model_schema(kind, defs):
    schema = kind.model_json_schema()
    for name, each in schema.pop("$defs", {}).items():
        defs.setdefault(name, each)
    defs[kind.__name__] = schema
    return {"$ref": f"#/$defs/{kind.__name__}"}


def fields_of(kind):
    """Returns type and default of each field of a dataclass, TypedDict or NamedTuple; None for other classes."""
    empty = inspect.Parameter.empty
    if dataclasses.is_dataclass(kind):
        hints = hints_of(kind)
        return {each.name: (hints.get(each.name, typing.Any), default_of(each)) for each in dataclasses.fields(kind) if each.init}
    if typing.is_typeddict(kind):
        required = kind.__required_keys__
        return {name: (hint, empty if name in required else None) for name, hint in hints_of(kind).items()}
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        hints, defaults = hints_of(kind), kind._field_defaults
        return {name: (hints.get(name, typing.Any), defaults.get(name, empty)) for name in kind._fields}
    return None


def default_of(field):
    if field.default is not dataclasses.MISSING:
        return field.default
    return inspect.Parameter.empty if field.default_factory is dataclasses.MISSING else None


def field_schema(hint, default, defs):
    schema = schema_of(hint, defs)
    if default is inspect.Parameter.empty or default is None and "null" not in str(schema):
        return schema
    try:
        schema["default"] = json.loads(encode(default))
    except (TypeError, ValueError, RecursionError):
        pass  # the function fills in a default that has no JSON form
    return schema


def hints_of(thing):
    try:
        return typing.get_type_hints(thing, include_extras=True)
    except Exception:
        # names that exist only for type checkers
        return {name: hint for name, hint in getattr(thing, "__annotations__", {}).items() if not isinstance(hint, str)}


HEADING = re.compile(r"^(Args|Arguments|Parameters|Params)\s*:?\s*$")
RULE = re.compile(r"^-{3,}\s*$")
NUMPY_ENTRY = re.compile(r"^\*{0,2}(\w+)\s*(?::.*)?$")
GOOGLE_ENTRY = re.compile(r"^\s*\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:\s*(.*)$")
SPHINX_ENTRY = re.compile(r"^:(param|type)\s+(?:[^:]*\s)?(\w+):\s*(.*)$")


def read_docstring(fn):
    """Returns the description of a function, and those of its parameters (Google, NumPy or Sphinx style)."""
    lines = (inspect.getdoc(fn) or "").splitlines()
    kept, texts, at = [], {}, 0
    while at < len(lines):
        field = SPHINX_ENTRY.match(lines[at])
        if HEADING.match(lines[at]):
            at = read_section(lines, at + 1, texts)
        elif field:
            parts = [field.group(3)]
            at += 1
            while at < len(lines) and lines[at].startswith((" ", "\t")):
                parts.append(lines[at].strip())
                at += 1
            if field.group(1) == "param":
                texts[field.group(2)] = " ".join(parts).strip()
        else:
            kept.append(lines[at])
            at += 1
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip(), texts


def read_section(lines, at, texts):
    """Reads the entries of a parameter section and returns the index of the line after it."""
    is_numpy = at < len(lines) and bool(RULE.match(lines[at]))
    at, name, indent = at + is_numpy, None, 0 if is_numpy else None
    while at < len(lines):
        line = lines[at]
        depth = len(line) - len(line.lstrip())
        if line.strip():
            if depth == 0 and (not is_numpy or at + 1 < len(lines) and RULE.match(lines[at + 1])):
                break
            indent = depth if indent is None else indent
            entry = (NUMPY_ENTRY if is_numpy else GOOGLE_ENTRY).match(line) if depth <= indent else None
            if entry:
                name = entry.group(1)
                texts[name] = "" if is_numpy else entry.group(2)
            elif depth == 0 or name is None:
                break
            else:
                texts[name] = f"{texts[name]} {line.strip()}".strip()
        at += 1
    return at


class Refused(Exception):
    """A function that cannot be offered; the message says why."""


def describe_tool(fn):
    """Returns the description and the input schema of a function."""
    hints, defs = hints_of(fn), {}
    description, texts = read_docstring(fn)
    properties, required = {}, []
    for name, parameter in inspect.signature(fn).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise Refused(f"it takes {parameter}; name each parameter")
        hint = hints.get(name, typing.Any)
        if getattr(hint, "__name__", "") == "Context":
            raise Refused(f"its parameter {name} is a Context of FastMCP, which does not exist here")
        schema = field_schema(hint, parameter.default, defs)
        if "description" not in schema and texts.get(name):
            schema = {**schema, "description": texts[name]}
        properties[name] = schema
        if parameter.default is parameter.empty:
            required.append(name)
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    if defs:
        schema["$defs"] = defs
    described = {"inputSchema": schema, "description": description or f"The function {fn.__name__}."}
    for name in ("effect", "capabilities"):
        if hasattr(fn, name):
            described[name] = getattr(fn, name)
    return described


# ---- arguments ----


def coerce(value, kind):
    """Converts a JSON value to the annotated type, where that differs. Other values stay as they are."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, typing.NewType):
        return coerce(value, kind.__supertype__)
    if origin is typing.Annotated:
        return coerce(value, args[0])
    if origin in UNIONS:
        return coerce_union(value, args)
    if isinstance(value, list):
        if origin in SETS or kind in SETS:
            made = [coerce(each, args[0]) if args else each for each in value]
            return frozenset(made) if (origin or kind) is frozenset else set(made)
        if origin is tuple:
            kinds = [args[0]] * len(value) if len(args) == 2 and args[1] is Ellipsis else args
            return tuple(coerce(each, to) for each, to in zip(value, kinds))
        if kind is tuple:
            return tuple(value)
        if origin in LISTS and args:
            return [coerce(each, args[0]) for each in value]
    if isinstance(value, dict) and origin in MAPPINGS and len(args) == 2:
        return {coerce(key, args[0]): coerce(each, args[1]) for key, each in value.items()}
    return coerce_class(value, kind) if isinstance(kind, type) and origin is None else value


def coerce_union(value, kinds):
    if type(value) in kinds:
        return value
    for kind in kinds:
        try:
            made = coerce(value, kind)
        except Exception:
            continue
        if made is not value or isinstance(kind, type) and isinstance(value, kind):
            return made
    return value


PARSERS = {datetime.datetime: "fromisoformat", datetime.date: "fromisoformat", datetime.time: "fromisoformat"}


def coerce_class(value, kind):
    if hasattr(kind, "model_validate"):
        return kind.model_validate(value)
    if issubclass(kind, enum.Enum):
        return kind(value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if kind is decimal.Decimal and isinstance(value, (int, float)):
        return decimal.Decimal(str(value))
    if isinstance(value, str):
        if kind in PARSERS:
            return getattr(kind, PARSERS[kind])(value[:-1] + "+00:00" if value.endswith("Z") else value)
        if kind in (uuid.UUID, decimal.Decimal) or issubclass(kind, pathlib.PurePath):
            return kind(value)
        return value.encode() if kind is bytes else value
    fields = fields_of(kind) if isinstance(value, dict) else None
    if fields is None:
        return value
    made = {name: coerce(each, fields[name][0]) if name in fields else each for name, each in value.items()}
    return made if typing.is_typeddict(kind) else kind(**made)


def bind(fn, args):
    """Returns positional and keyword arguments for a call with a JSON object."""
    hints, positional, named = hints_of(fn), [], {}
    for name, parameter in inspect.signature(fn).parameters.items():
        if name not in args:
            continue
        value = coerce(args[name], hints.get(name, typing.Any))
        if parameter.kind is parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[name] = value
    return positional, named


# ---- errors and output ----


def error_of(thrown):
    """Describes an exception with the last frame of its traceback outside this file."""
    described = {"type": type(thrown).__name__, "message": str(thrown)[:4000]}
    if isinstance(thrown, SyntaxError) and thrown.filename:
        return {**described, "message": thrown.msg, "file": thrown.filename, "line": thrown.lineno or 0, "function": "<module>"}
    hidden = (__file__, "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")
    frames = [frame for frame in traceback.extract_tb(thrown.__traceback__) if frame.filename not in hidden]
    if not frames:
        return described
    return {**described, "file": frames[-1].filename, "line": frames[-1].lineno or 0, "function": frames[-1].name}


class Output(io.TextIOBase):
    """Standard output and error: text of a call becomes its log, other text goes to the pipe of the process."""

    def writable(self):
        return True

    @property
    def encoding(self):
        return "utf-8"

    def fileno(self):
        return 2

    def write(self, text):
        call = CALL.get()
        if call is None or not CHANNEL.is_open:
            data = text.encode("utf-8", "replace")
            while data:
                data = data[os.write(2, data):]
        else:
            call.print(text)
        return len(text)


class Call:
    """A call that runs in this process."""

    def __init__(self, id):
        self.id = id
        self.thread = None
        self.task = None
        self.printed = 0
        self.line = ""
        self.backs = {}
        self.is_cancelled = False

    def print(self, text):
        rest = MAX_LOG_CHARACTERS - self.printed
        self.printed += len(text)
        if rest <= 0:
            return
        self.line += text[:rest] if rest >= len(text) else text[:rest] + "…\n"
        whole, newline, self.line = self.line.rpartition("\n")
        if newline and whole.strip():
            self.log(whole)

    def log(self, text):
        post(CHANNEL.send, {"type": "log", "id": self.id, "text": str(text)[:MAX_LOG_CHARACTERS]})

    def back(self, method, args):
        """Calls a method of Troupe and returns a concurrent future with its result."""
        future = concurrent.futures.Future()
        post(self.send_back, method, args, future)
        return future

    def send_back(self, method, args, future):
        number = len(self.backs) + 1
        self.backs[number] = future
        try:
            CHANNEL.send({"type": "back", "id": self.id, "back": number, "method": method, "args": args})
        except (TypeError, ValueError, RecursionError) as thrown:
            future.set_exception(thrown)

    def cancel(self):
        self.is_cancelled = True
        for future in self.backs.values():
            if not future.done():
                future.set_exception(KeyboardInterrupt())
        if self.task is not None:
            self.task.cancel()
        elif self.thread is not None and self.thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self.thread.ident), ctypes.py_object(KeyboardInterrupt)
            )


def post(fn, *args):
    """Runs a function in the main thread."""
    if not CHANNEL.is_open:
        os._exit(0)
    LOOP.call_soon_threadsafe(fn, *args)


# ---- functions ----


def load(message):
    functions = []
    for wanted in message["functions"]:
        try:
            functions.append({"fn": wanted["fn"], **load_function(wanted)})
        except Refused as refused:
            functions.append({"fn": wanted["fn"], "error": {"type": "Refused", "message": str(refused), "code": "refused"}})
        except BaseException as thrown:
            functions.append({"fn": wanted["fn"], "error": {**error_of(thrown), "code": "load"}})
    CHANNEL.send({"type": "loaded", "id": message["id"], "functions": functions, "files": imported_files()})


class LlmStopReason(str, enum.Enum):
    END_TURN = "endTurn"
    STOP_SEQUENCE = "stopSequence"
    MAX_TOKENS = "maxTokens"
    TOOL_USE = "toolUse"
    PAUSE = "pause"
    ERROR = "error"
    CANCELLED = "cancelled"


def add_stubs():
    """Provides the names of fast-agent and MCP that hooks import, where these are not installed."""
    import logging

    def text_content(text):
        return AttrDict(type="text", text=text)

    def get_text(content):
        return content.get("text")

    def made(kind):
        return lambda *args, **values: kind(*args, **values)

    fast_agent = {
        "core.logging.logger": {"get_logger": logging.getLogger},
        "hooks": {"HookContext": PhaseContext, "AgentLifecycleContext": AttrDict},
        "hooks.hook_context": {"HookContext": PhaseContext},
        "types": {"PromptMessageExtended": Message, "RequestParams": AttrDict, "LlmStopReason": LlmStopReason},
        "types.llm_stop_reason": {"LlmStopReason": LlmStopReason},
        "mcp.prompt_message_extended": {"PromptMessageExtended": Message},
        "mcp.helpers.content_helpers": {"text_content": text_content, "get_text": get_text},
    }
    mcp_types = {
        "TextContent": made(AttrDict),
        "CallToolResult": made(AttrDict),
        "CallToolRequest": made(AttrDict),
        "CallToolRequestParams": made(AttrDict),
    }
    for root, modules in (("fast_agent", fast_agent), ("mcp", {"types": mcp_types})):
        if root not in sys.modules and importlib.util.find_spec(root) is None:
            for name, values in modules.items():
                add_stub(f"{root}.{name}", values)


def add_stub(path, values):
    parent = None
    for at in range(1, path.count(".") + 2):
        name = ".".join(path.split(".")[:at])
        module = sys.modules.get(name)
        if module is None:
            module = types.ModuleType(name)
            module.__path__ = []
            sys.modules[name] = module
        if parent is not None:
            setattr(parent, name.rpartition(".")[2], module)
        parent = module
    vars(parent).update(values)


def load_function(wanted):
    if wanted["kind"] == "phase":
        add_stubs()
    module = load_module(wanted["file"])
    fn = getattr(module, wanted["name"], None)
    if fn is None:
        names = sorted(name for name, each in vars(module).items() if inspect.isfunction(each) and name[0] != "_")
        return {"error": {"type": "AttributeError", "message": "", "code": "missing", "names": names}}
    if not callable(fn):
        return {"error": {"type": type(fn).__name__, "message": "", "code": "not_callable"}}
    FUNCTIONS[wanted["fn"]] = fn
    is_async = inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(getattr(fn, "__call__", None))
    described = {"name": wanted["name"], "async": is_async, "params": len(inspect.signature(fn).parameters)}
    return {**described, **describe_tool(fn)} if wanted["kind"] == "tool" else described


def load_module(path):
    if path in MODULES:
        return MODULES[path]
    folder = os.path.dirname(path)
    if folder not in sys.path:
        # last, so that the card cannot hide modules of libraries
        sys.path.append(folder)
    name = "troupe_" + re.sub(r"\W", "_", os.path.splitext(os.path.basename(path))[0])
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    MODULES[path] = module
    return module


def imported_files():
    """Returns the files of all modules beside the loaded ones."""
    folders = tuple(os.path.dirname(path) + os.sep for path in MODULES)
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    return sorted({os.path.realpath(file) for file in files if file and folders and file.startswith(folders)})


# ---- calls ----


def start(message, make):
    """Starts a call. `make` returns the function to run and converts its value to an answer."""
    call = Call(message["id"])
    RUNNING[call.id] = call
    context = contextvars.copy_context()
    context.run(CALL.set, call)
    try:
        run, answer, is_async = make(message, call)
    except BaseException as thrown:
        finish(call, lambda: None, thrown)
        return
    if is_async:
        context.run(start_task, call, run, answer)
        return
    call.thread = threading.Thread(target=context.run, args=(run_in_thread, call, run, answer), daemon=True)
    call.thread.start()


def run_in_thread(call, run, answer):
    try:
        value, thrown = run(), None
    except BaseException as error:
        value, thrown = None, error
    if inspect.isawaitable(value):
        # a plain wrapper around a coroutine function
        post(start_task, call, lambda: value, answer)
        return
    post(finish, call, lambda: answer(value), thrown)


def start_task(call, run, answer):
    call.task = LOOP.create_task(guard(run))
    call.task.add_done_callback(lambda task: finish_task(call, answer, task))


async def guard(run):
    """Awaits a coroutine. SystemExit would end the event loop."""
    try:
        return await run()
    except (SystemExit, KeyboardInterrupt) as thrown:
        return thrown


def finish_task(call, answer, task):
    if task.cancelled():
        finish(call, lambda: None, asyncio.CancelledError())
    elif task.exception() is not None:
        finish(call, lambda: None, task.exception())
    elif isinstance(task.result(), (SystemExit, KeyboardInterrupt)):
        finish(call, lambda: None, task.result())
    else:
        finish(call, lambda: answer(task.result()), None)


def finish(call, answer, thrown):
    RUNNING.pop(call.id, None)
    if not CHANNEL.is_open:
        os._exit(0)
    if call.line.strip():
        CHANNEL.send({"type": "log", "id": call.id, "text": call.line})
    if call.is_cancelled:
        CHANNEL.send({"type": "cancelled", "id": call.id})
        return
    try:
        if thrown is None:
            CHANNEL.send({"type": "done", "id": call.id, **answer()})
            return
    except Exception as unsendable:
        thrown = ValueError(f"the result cannot be sent: {unsendable}")
    CHANNEL.send({"type": "error", "id": call.id, "error": error_of(thrown)})


def runner_of(fn, args, named=None):
    """Returns how to run a function, and whether that is a coroutine."""
    named = named or {}
    if inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(getattr(fn, "__call__", None)):
        return lambda: fn(*args, **named), True
    return lambda: fn(*args, **named), False


def make_call(message, call):
    fn = FUNCTIONS[message["fn"]]
    positional, named = bind(fn, message["args"])
    run, is_async = runner_of(fn, positional, named)
    return run, lambda value: {"value": value}, is_async


class HookContext:
    """The first parameter of a hook."""

    def __init__(self, call, values, state, is_async):
        self.__dict__.update(values)
        self.state = state
        self._call = call
        self._is_async = is_async

    def log(self, text):
        self._call.log(text)

    def require_approval(self, reason=None):
        self._call.back("require_approval", reason)

    def is_denied(self, args):
        return self._ask("is_denied", args)

    def _ask(self, method, args):
        future = self._call.back(method, args)
        return asyncio.wrap_future(future) if self._is_async else future.result()


class Agent:
    """The agent of a phase hook, as fast-agent has it."""

    def __init__(self, name, history):
        self.name = name
        self.message_history = history
        self.config = types.SimpleNamespace(name=name)

    def load_message_history(self, messages):
        raise NotImplementedError("Troupe does not let hooks replace the history of an agent")


class Runner:
    """What fast-agent's hooks see of the loop. Lives for one run of one agent, with the attributes that hooks set."""

    iteration = 0
    delta_messages = ()
    request_params = None

    def append_messages(self, *messages):
        for message in messages:
            made = text_message("user", message) if isinstance(message, str) else message
            self.delta_messages = [*self.delta_messages, made]


class PhaseContext:
    """The parameter of a phase hook of fast-agent."""

    usage = None
    context = None
    agent_registry = None

    def __init__(self, values, runner):
        self.runner = runner
        self.hook_type = values["hook_type"]
        self.agent_name = values["agent_name"]
        self.iteration = values["iteration"]
        self.is_turn_complete = values["hook_type"] == "after_turn_complete"
        self.message_history = values["history"]
        self.agent = Agent(self.agent_name, self.message_history)
        runner.iteration = self.iteration
        runner.delta_messages = values["delta"]
        self.message = values["message"] or (runner.delta_messages[-1] if runner.delta_messages else None)

    def load_message_history(self, messages):
        self.agent.load_message_history(messages)

    def get_agent(self, name):
        return self.agent if name == self.agent_name else None


def text_message(role, text):
    return Message(role=role, content=[AttrDict(type="text", text=text)])


def make_phase(message, call):
    fn = FUNCTIONS[message["fn"]]
    runner = STATES.setdefault(message["run"], {}).setdefault("runner", Runner())
    context = PhaseContext(message["ctx"], runner)
    run, is_async = runner_of(fn, (context,))
    return run, lambda value: {"value": {"message": context.message, "delta": list(runner.delta_messages)}}, is_async


def make_hook(message, call):
    fn = FUNCTIONS[message["fn"]]
    is_async = runner_of(fn, ())[1]
    state = STATES.setdefault(message["run"], {})
    context = HookContext(call, message["ctx"], state, is_async)

    def call_next(args=None):
        return context._ask("call_next", context.args if args is None else args)

    has_args = len(inspect.signature(fn).parameters) == 3
    run, _ = runner_of(fn, (context, context.args, call_next) if has_args else (context, call_next))
    return run, lambda value: {"value": value}, is_async


def dispatch(message):
    kind = message["type"]
    if kind == "load":
        load(message)
    elif kind == "call":
        start(message, make_call)
    elif kind == "hook":
        start(message, make_hook)
    elif kind == "phase":
        start(message, make_phase)
    elif kind == "cancel":
        call = RUNNING.get(message["id"])
        if call is not None:
            call.cancel()
    elif kind == "back":
        answer_back(message)
    elif kind == "end":
        STATES.pop(message["run"], None)


def answer_back(message):
    call = RUNNING.get(message["id"])
    future = call.backs.pop(message["back"], None) if call is not None else None
    if future is None or future.done():
        return
    if "error" in message:
        future.set_exception(RuntimeError(message["error"]))
    else:
        future.set_result(message["value"])


def to_object(pairs):
    made = AttrDict(pairs)
    return Message(made) if "role" in made and "content" in made else made


def read_messages():
    """Reads messages until the input ends. Runs in a thread, so that it also ends a process that hangs."""
    for line in CHANNEL.reader:
        message = json.loads(line)
        if message["type"] in ("hook", "phase", "back"):
            message = json.loads(line, object_hook=to_object)
        LOOP.call_soon_threadsafe(dispatch, message)
    end_process()


def main():
    global LOOP
    LOOP = asyncio.new_event_loop()
    asyncio.set_event_loop(LOOP)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=CHANNEL.close_in_child)
    sys.stdout = sys.stderr = Output()
    threading.Thread(target=read_messages, daemon=True).start()
    LOOP.run_forever()


if __name__ == "__main__":
    main()
