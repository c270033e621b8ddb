"""How a method comes to change its object."""

from __future__ import annotations

from tests.bed.forms import Inside

INSIDES = (
    Inside("direct", "{t}"),
    Inside("method", "self.touches()"),
    Inside("function", "touch(self)"),
    Inside("by its class", "Net.touches(self)"),
    Inside("super", "super().touches()", "class Base(nnx.Module):\n    touches = touch\n"),
    Inside("keyword", "touch(m=self)"),
    Inside("keywords", 'touch(**{"m": self})'),
    Inside("unpacked", "touch(*[self])"),
    Inside("sorted key", "sorted([self], key=touch)"),
    Inside("max key", "max([self], key=lambda m: (touch(m), 0)[1])"),
    Inside(
        "min key", "min([self, self], key=order)", "def order(m):\n    touch(m)\n    return 0\n"
    ),
    Inside("callback", "with contextlib.ExitStack() as stack:\n    stack.callback(touch, self)"),
    Inside(
        "closing",
        "with contextlib.closing(self):\n    pass",
        methods="def close(self):\n    touch(self)\n",
    ),
    Inside(
        "context manager",
        "with touched(self):\n    pass",
        "@contextlib.contextmanager\ndef touched(m):\n    touch(m)\n    yield\n",
    ),
    Inside(
        "enter",
        "with self:\n    pass",
        methods=(
            "def __enter__(self):\n    touch(self)\n    return self\n"
            "def __exit__(self, *problem):\n    pass\n"
        ),
    ),
    Inside("partial", "functools.partial(touch, self)()"),
    Inside("partial kept", "later = functools.partial(touch)\nlater(self)"),
    Inside("bound", "later = self.touches\nlater()"),
    Inside("getattr", 'getattr(self, "touches")()'),
    Inside("methodcaller", 'operator.methodcaller("touches")(self)'),
    Inside("attrgetter", 'operator.attrgetter("touches")(self)()'),
    Inside("map", "list(map(touch, [self]))"),
    Inside("filter", "list(filter(touch, [self]))"),
    Inside("reduce", "functools.reduce(lambda _, m: touch(m), [self], None)"),
    Inside("comprehension", "[touch(m) for m in (self,)]"),
    Inside("loop", "for m in [self]:\n    touch(m)"),
    Inside("lambda", "(lambda m: touch(m))(self)"),
    Inside("nested function", "def now():\n    touch(self)\nnow()"),
    Inside("finally", "try:\n    pass\nfinally:\n    touch(self)"),
    Inside("match", "match self:\n    case Net():\n        touch(self)"),
    Inside("walrus", "if (m := self) is not None:\n    touch(m)"),
    Inside("conditional", "touch(self) if self is not None else None"),
    Inside(
        "property",
        "self.touched",
        methods=("@property\ndef touched(self):\n    touch(self)\n    return 0\n"),
    ),
    Inside(
        "operator", "self + 1", methods="def __add__(self, other):\n    touch(self)\n    return 0\n"
    ),
    Inside("item", "self[0]", methods="def __getitem__(self, i):\n    touch(self)\n    return 0\n"),
    Inside("length", "len(self)", methods="def __len__(self):\n    touch(self)\n    return 1\n"),
    Inside(
        "missing attribute",
        "self.missing",
        methods=(
            "def __getattr__(self, name):\n"
            "    if name != 'missing':\n        raise AttributeError(name)\n"
            "    touch(self)\n    return 0\n"
        ),
    ),
    Inside(
        "descriptor",
        "self.described",
        (
            "class Described:\n    def __get__(self, m, owner=None):\n"
            "        if m is not None:\n            touch(m)\n        return 0\n"
        ),
        methods="described = Described()\n",
    ),
    Inside(
        "decorator",
        "self.wrapped()",
        (
            "def touching(f):\n    @functools.wraps(f)\n    def wrapper(m):\n"
            "        touch(m)\n        return f(m)\n    return wrapper\n"
        ),
        methods="@touching\ndef wrapped(self):\n    return 0\n",
    ),
    Inside(
        "decorator class",
        "self.wrapped()",
        (
            "class Touching:\n    def __init__(self, f):\n        self.f = f\n"
            "    def __get__(self, m, owner=None):\n        return functools.partial(self, m)\n"
            "    def __call__(self, m):\n        touch(m)\n        return self.f(m)\n"
        ),
        methods="@Touching\ndef wrapped(self):\n    return 0\n",
    ),
    Inside(
        "Enum",
        "Ways.TOUCH.value(self)",
        (
            "class Ways(enum.Enum):\n    TOUCH = functools.partial(touch)\n"
            "    OTHER = enum.member(print)\n"
        ),
    ),
    Inside(
        "Enum member",
        "Ways.TOUCH.value(self)",
        ("class Ways(enum.Enum):\n    TOUCH = enum.member(touch)\n"),
    ),
    Inside("SimpleNamespace", "ways.touch(self)", "ways = types.SimpleNamespace(touch=touch)\n"),
    Inside(
        "namespace class", "Ways.touch(self)", ("class Ways:\n    touch = staticmethod(touch)\n")
    ),
    Inside(
        "function attribute",
        "carrier.touch(self)",
        ("def carrier():\n    pass\ncarrier.touch = touch\n"),
    ),
    Inside(
        "default factory",
        "Ways().touch(self)",
        (
            "@dataclasses.dataclass\nclass Ways:\n"
            "    touch: typing.Any = dataclasses.field(default_factory=lambda: touch)\n"
        ),
    ),
    Inside(
        "field default",
        "Ways().touch(self)",
        ("class Ways(typing.NamedTuple):\n    touch: typing.Any = touch\n"),
    ),
    Inside(
        "__post_init__",
        "Touched(self)",
        (
            "@dataclasses.dataclass\nclass Touched:\n    m: typing.Any\n"
            "    def __post_init__(self):\n        touch(self.m)\n"
        ),
    ),
    Inside(
        "InitVar",
        "Touched(self)",
        (
            "@dataclasses.dataclass\nclass Touched:\n    m: dataclasses.InitVar[typing.Any]\n"
            "    def __post_init__(self, m):\n        touch(m)\n"
        ),
    ),
    Inside(
        "__new__",
        "Touched(self)",
        (
            "class Touched:\n    def __new__(cls, m):\n        touch(m)\n"
            "        return super().__new__(cls)\n"
        ),
    ),
    Inside(
        "__init__",
        "Touched(self)",
        ("class Touched:\n    def __init__(self, m):\n        touch(m)\n"),
    ),
    Inside(
        "callable object",
        "Toucher()(self)",
        ("class Toucher:\n    def __call__(self, m):\n        touch(m)\n"),
    ),
    Inside(
        "kept callable",
        "TOUCHER(self)",
        ("class Toucher:\n    def __call__(self, m):\n        touch(m)\nTOUCHER = Toucher()\n"),
    ),
    Inside("table", 'WAYS["touch"](self)', 'WAYS = {"touch": touch}\n'),
    Inside(
        "registry",
        'WAYS["touch"](self)',
        ("WAYS = {}\ndef register(f):\n    WAYS[f.__name__] = f\n    return f\nregister(touch)\n"),
    ),
    Inside("list", "for way in WAYS:\n    way(self)", "WAYS = [touch]\n"),
    Inside("weak reference", "touch(weakref.ref(self)())"),
    Inside("proxy", "touch(weakref.proxy(self))"),
    Inside("identity", "touch(same(self))", "def same(m):\n    return m\n"),
    Inside("cast", "touch(typing.cast(typing.Any, self))"),
    Inside(
        "cached",
        "cached(self)",
        ("@functools.lru_cache(maxsize=None)\ndef cached(m):\n    touch(m)\n    return 0\n"),
    ),
    Inside(
        "singledispatch",
        "dispatched(self)",
        ("@functools.singledispatch\ndef dispatched(m):\n    touch(m)\n"),
    ),
    Inside("generator", "list(touching(self))", ("def touching(m):\n    touch(m)\n    yield 0\n")),
    Inside(
        "static method",
        "self.static(self)",
        methods=("@staticmethod\ndef static(m):\n    touch(m)\n"),
    ),
    Inside(
        "class method",
        "self.of_class(self)",
        methods=("@classmethod\ndef of_class(cls, m):\n    touch(m)\n"),
    ),
    Inside("partialmethod", "self.later()", methods=("later = functools.partialmethod(touch)\n")),
    Inside("assigned method", "self.later()", after="Net.later = touch\n"),
    Inside("setattr of the class", "self.later()", after='setattr(Net, "later", touch)\n'),
    Inside("MethodType", "types.MethodType(touch, self)()"),
    Inside(
        "global",
        "self.put()\nnow()",
        ("CURRENT = []\ndef now():\n    touch(CURRENT[-1])\n"),
        methods="def put(self):\n    CURRENT.append(self)\n",
    ),
    Inside("update_wrapper", "functools.update_wrapper(self, touch, updated=())\ntouch(self)"),
    Inside(
        "string formatting",
        'f"{self}"',
        methods=("def __format__(self, spec):\n    touch(self)\n    return ''\n"),
    ),
    Inside(
        "iteration",
        "list(self)",
        methods=("def __iter__(self):\n    touch(self)\n    return iter(())\n"),
    ),
    Inside(
        "truth", "bool(self)", methods="def __bool__(self):\n    touch(self)\n    return True\n"
    ),
    Inside(
        "contains",
        "0 in self",
        methods=("def __contains__(self, other):\n    touch(self)\n    return True\n"),
    ),
    Inside("deque", "collections.deque(map(touch, [self]), maxlen=0)"),
    Inside("any", "any(touch(m) for m in [self])"),
    Inside("operator.call", "operator.call(touch, self)"),
    Inside("starmap", "list(itertools.starmap(touch, [(self,)]))"),
    Inside(
        "class in sight",
        "Touch.on(self)",
        ("class Touch:\n    @classmethod\n    def on(cls, m):\n        touch(m)\n"),
    ),
    Inside("tree.map", "jax.tree.map(touch, [self], is_leaf=lambda each: isinstance(each, Net))"),
    Inside("exec", 'exec("touch(self)", {"touch": touch, "self": self})'),
    Inside("globals", 'globals()["touch"](self)'),
    Inside("module attribute", 'getattr(sys.modules[__name__], "touch")(self)'),
)
