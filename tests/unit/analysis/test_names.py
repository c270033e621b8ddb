"""What names mean across modules and packages."""

from __future__ import annotations

import ast

import pytest

from nnx_migrate.analysis.domain.values import is_unknown
from nnx_migrate.analysis.sites.find import SiteFinder
from nnx_migrate.analysis.sites.tree import Tree
from tests.unit.analysis.asking import analysis_of, kinds, values_of

USE = "\nclass Net(nnx.Module):\n    pass\nx = Net()\n"


def transforms(files: dict[str, str], module: str = "main") -> list[str]:
    """The transforms applied in a module, in order."""
    analysis = analysis_of(files)
    name = next(n for n, index in analysis.project.modules.items() if n == module)
    text = next(text for path, text in files.items() if _module_name(path) == name)
    return [s.transform for s in SiteFinder(Tree(ast.parse(text), name, analysis.project)).sites]


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


#: How a module may come by nnx.value_and_grad; the last line applies it.
SPELLINGS = {
    "from flax": "from flax import nnx\nnnx.value_and_grad(f)(m)",
    "renamed": "from flax import nnx as n\nn.value_and_grad(f)(m)",
    "import flax": "import flax\nflax.nnx.value_and_grad(f)(m)",
    "import flax.nnx": "import flax.nnx\nflax.nnx.value_and_grad(f)(m)",
    "import as": "import flax.nnx as nn\nnn.value_and_grad(f)(m)",
    "from nnx": "from flax.nnx import value_and_grad as vg\nvg(f)(m)",
    "star": "from flax.nnx import *\nvalue_and_grad(f)(m)",
    "alias": "from flax import nnx\nvg = nnx.value_and_grad\nvg(f)(m)",
    "try": (
        "try:\n    from flax import nnx\nexcept ImportError:\n    nnx = None\n"
        "nnx.value_and_grad(f)(m)"
    ),
    "try with a class instead": (
        "try:\n    import numpy\n    from flax import nnx\nexcept (OSError, ImportError):\n"
        "    class nnx:\n        class Module:\n            pass\n"
        "nnx.value_and_grad(f)(m)"
    ),
    "try import with a class instead": (
        "try:\n    import flax.nnx as nnx\nexcept ModuleNotFoundError:\n"
        "    class nnx:\n        pass\nnnx.value_and_grad(f)(m)"
    ),
    "try else": (
        "try:\n    from flax import nnx\nexcept ImportError:\n    import flax.nnx as nnx\n"
        "nnx.value_and_grad(f)(m)"
    ),
    "type checking": (
        "import typing\nif typing.TYPE_CHECKING:\n    from flax import nnx\n"
        "from flax import nnx\nnnx.value_and_grad(f)(m)"
    ),
    "local": "def g():\n    from flax import nnx\n    nnx.value_and_grad(f)(m)",
    "global": "def load():\n    global nnx\n    from flax import nnx\nnnx.value_and_grad(f)(m)",
    "private": "from flax.nnx.transforms.autodiff import value_and_grad\nvalue_and_grad(f)(m)",
    "re-export": "from lib.backend import nnx\nnnx.value_and_grad(f)(m)",
    "re-export of the function": "from lib.backend import vg\nvg(f)(m)",
    "package": "import lib.backend\nlib.backend.nnx.value_and_grad(f)(m)",
    "package as": "import lib.backend as b\nb.nnx.value_and_grad(f)(m)",
    "star of the project": "from lib.backend import *\nvg(f)(m)",
    "star of a star": "from lib import *\nvg(f)(m)",
    "assigned module": "import lib.backend\nn = lib.backend.nnx\nn.value_and_grad(f)(m)",
    "attribute of another name": "import lib.backend\nlib.backend.vg(f)(m)",
    "attribute of another name, as": "from lib import backend as b\nb.vg(f)(m)",
    "attribute of a third name": "import lib.renamed\nlib.renamed.slope(f)(m)",
    "attribute that a text names": "import lib.renamed\nlib.renamed.by_text(f)(m)",
}
LIBRARY = {
    "lib/__init__.py": "from .backend import *\nfrom . import other\n",
    "lib/backend.py": "from flax import nnx\nvg = nnx.value_and_grad\nfrom . import *\n",
    "lib/other.py": "from .backend import *\n",
    "lib/renamed.py": (
        "from .backend import vg as g\nimport flax.nnx\nslope = g\n"
        "by_text = getattr(flax.nnx, 'value_and_grad')\n"
    ),
}
#: Where the name does not mean flax's function.
OTHERS = {
    "parameter": "from flax import nnx\ndef g(nnx):\n    nnx.value_and_grad(f)(m)",
    "local": "from flax import nnx\ndef g():\n    nnx = other\n    nnx.value_and_grad(f)(m)",
    "loop": "from flax import nnx\ndef g():\n    for nnx in xs:\n        nnx.value_and_grad(f)(m)",
    "other library": "import equinox\nequinox.value_and_grad(f)(m)",
    "bound by another name where flax is missing": (
        "try:\n    from flax import nnx\nexcept ImportError:\n    import lib.own as own\n"
        "own.vg(f)(m)"
    ),
    "own function": "def value_and_grad(f):\n    return f\nvalue_and_grad(f)(m)",
    "star shadowed": "from flax.nnx import *\ndef grad(f):\n    return f\ngrad(f)(m)",
    "own module": "from lib.own import nnx\nnnx.value_and_grad(f)(m)",
    "attribute of an own module": "import lib.own\nlib.own.vg(f)(m)",
    "attribute of an object": "import lib.backend\nobj.vg(f)(m)",
}


@pytest.mark.parametrize("case", SPELLINGS)
def test_spelling_is_understood(case: str) -> None:
    found = transforms({**LIBRARY, "main.py": SPELLINGS[case]})
    assert "value_and_grad" in found


@pytest.mark.parametrize("case", OTHERS)
def test_other_things_of_that_name_are_left_alone(case: str) -> None:
    own = {"lib/own.py": "class nnx:\n    pass\nvg = nnx\n"}
    assert transforms({**LIBRARY, **own, "main.py": OTHERS[case]}) == []


@pytest.mark.parametrize(
    "source",
    [
        "import jax\njax.value_and_grad(f)(m)",
        "from jax import value_and_grad as v\nv(f)(m)",
        "import jax\ndef g():\n    v = jax.value_and_grad\n    v(f)(m)",
        "import lib\nlib.of_jax(f)(m)",
        "from lib import of_jax\nof_jax(f)(m)",
    ],
)
def test_transforms_of_jax_have_names_of_their_own(source: str) -> None:
    library = {"lib.py": "from jax import value_and_grad as v\nof_jax = v\n"}
    assert transforms({**library, "main.py": source}) == ["jax.value_and_grad"]


@pytest.mark.parametrize("case", SPELLINGS)
def test_a_file_that_refers_to_a_transform_is_known_for_it(case: str) -> None:
    project = analysis_of({**LIBRARY, "main.py": SPELLINGS[case]}).project
    assert project.may_use("main", frozenset({"value_and_grad"}))
    assert case.startswith("star") or not project.may_use("main", frozenset({"vmap"}))


@pytest.mark.parametrize("backwards", [False, True])
def test_class_four_levels_deep_in_any_file_order(backwards: bool) -> None:
    files = {
        "a/__init__.py": "",
        "a/base.py": "from flax import nnx\nclass Base(nnx.Module):\n    pass\n",
        "a/b/__init__.py": "from ..base import Base as Root\n",
        "a/b/c/__init__.py": "",
        "a/b/c/mid.py": "from ... import b\nclass Mid(b.Root):\n    pass\n",
        "a/b/c/low.py": "from .mid import Mid\nclass Low(Mid):\n    pass\n",
        "main.py": "import a.b.c.low as low\nclass Net(low.Low):\n    pass\nx = Net()\n",
    }
    ordered = dict(sorted(files.items(), reverse=backwards))
    analysis = analysis_of(ordered)
    assert analysis.evaluator.hierarchy.kind("main:Net:2") == "module"


def test_imports_in_circles_end() -> None:
    files = {
        "a.py": "from b import Net\nfrom b import *\n",
        "b.py": "from c import Net\nfrom c import *\n",
        "c.py": "from a import Net\nfrom a import *\n",
        "main.py": "from a import Net, Other\nx = Net()\ny = Other()\n",
    }
    for name in "xy":
        assert is_unknown(values_of(analysis_of(files), name))


def test_star_imports_of_many_modules_end_soon() -> None:
    names = [f"m{i}" for i in range(30)]
    stars = "".join(f"from {name} import *\n" for name in names)
    files = {f"{name}.py": stars for name in names}
    files["m29.py"] += "class Net:\n    pass\n"
    files["main.py"] = f"{stars}x = Net()\ny = Missing()\n"
    assert kinds(files, "x") == {"Net"}
    assert kinds(files, "y") == {"unknown"}


def test_conditional_definition_in_another_file_is_every_definition() -> None:
    files = {
        "lib.py": (
            "from flax import nnx\nif big:\n    class Net(nnx.Module):\n        pass\n"
            "else:\n    class Other(nnx.Module):\n        pass\n    Net = Other\n"
        ),
        "main.py": "from lib import Net\nx = Net()\ndef f(n: Net):\n    pass\n",
    }
    assert kinds(files, "x") == {"Net", "Other"}
    assert kinds(files, "n", "f") == {"unknown"}


def test_function_redefined_under_a_condition_is_every_definition() -> None:
    files = {
        "lib.py": (
            "from flax import nnx\nclass A(nnx.Module): pass\nclass B(nnx.Module): pass\n"
            "try:\n    import fast\n    def make():\n        return A()\n"
            "except ImportError:\n    def make():\n        return B()\n"
        ),
        "main.py": "import lib\nx = lib.make()\n",
    }
    assert kinds(files, "x") == {"A", "B"}


def test_class_scope_is_not_seen_from_methods() -> None:
    source = """
from flax import nnx
class A(nnx.Module): pass
class B(nnx.Module): pass
thing = A
class Holder:
    thing = B
    def make(self):
        y = thing()
        return y
x = Holder().make()
"""
    assert kinds(source, "x") == {"A"}


def test_class_body_sees_its_own_names_first() -> None:
    source = """
from flax import nnx
class A(nnx.Module): pass
class B(nnx.Module): pass
thing = A
class Holder:
    thing = B
    made = thing()
x = Holder().made
"""
    assert "B" in kinds(source, "x")


def test_comprehension_variable_does_not_hide_an_outer_name() -> None:
    source = """
from flax import nnx
class A(nnx.Module): pass
class B(nnx.Module): pass
m = A()
def f():
    ys = [m for m in [B()]]
    return m
x = f()
"""
    assert "A" in kinds(source, "x")


def test_base_class_that_may_be_two_things_is_not_closed() -> None:
    source = """
from flax import nnx
try:
    from lib import Base
except ImportError:
    class Base:
        pass
class Net(Base):
    pass
"""
    assert analysis_of(source).evaluator.hierarchy.kind("main:Net:7") is None


_PACKAGE = {
    "lib/nets.py": "from flax import nnx\n\n\nclass Net(nnx.Module):\n    pass\n",
    "lib/deep/layers.py": "from flax import nnx\n\n\nclass Layer(nnx.Module):\n    pass\n",
}


@pytest.mark.parametrize(
    "own",
    ["from . import nets", "from lib import nets", "from . import nets as nets", "import lib.nets"],
)
@pytest.mark.parametrize(
    "use", ["from lib import nets\nx = nets.Net()", "import lib\nx = lib.nets.Net()"]
)
def test_a_package_that_imports_its_files_gives_them_under_their_names(own: str, use: str) -> None:
    files = {**_PACKAGE, "lib/__init__.py": f"{own}\n", "main.py": use}
    assert kinds(files, "x") == {"Net"}


def test_a_package_uses_the_files_that_it_imports() -> None:
    own = "from . import nets\n\ndef make():\n    return nets.Net()\n"
    files = {**_PACKAGE, "lib/__init__.py": own, "main.py": "from lib import make\nx = make()\n"}
    assert kinds(files, "x") == {"Net"}


def test_a_package_in_a_package_is_the_same() -> None:
    own = {
        "lib/__init__.py": "from . import deep\n",
        "lib/deep/__init__.py": "from . import layers\n",
        "main.py": "from lib import deep\nx = deep.layers.Layer()\n",
    }
    found = kinds({**_PACKAGE, **own}, "x")
    assert found == {"Layer"}


def test_a_package_that_binds_the_name_of_a_file_anew_gives_what_it_binds() -> None:
    own = "from . import nets\n\n\nclass Other:\n    Net = int\n\n\nnets = Other\n"
    files = {**_PACKAGE, "lib/__init__.py": own, "main.py": "from lib import nets\nx = nets\n"}
    assert "Other" in kinds(files, "x")


def test_what_a_package_imports_that_is_not_there_is_not_known() -> None:
    use = "from lib import compiled\nx = compiled.Net()\n"
    files = {**_PACKAGE, "lib/__init__.py": "from . import compiled\n", "main.py": use}
    assert is_unknown(values_of(analysis_of(files), "x"))


_GENERIC = """\
import enum
import typing as tp
from flax import nnx

T = tp.TypeVar("T")


class Other:
    pass


class Meta(type):
    def __getitem__(cls, name):
        return Other


class Net(nnx.Module, tp.Generic[T]{keywords}):
    {body}


class Below(Net[T]):
    pass


class Color(enum.Enum):
    RED = Other
"""


@pytest.mark.parametrize("use", ["Net[int]", "Net[int][T]", "Net['Other']"])
def test_a_generic_class_for_some_type_is_the_class(use: str) -> None:
    source = _GENERIC.format(keywords=", pytree=False", body="pass")
    assert kinds(f"{source}\nx = {use}()\n", "x") == {"Net"}


def test_a_class_below_a_generic_one_is_generic() -> None:
    source = _GENERIC.format(keywords="", body="pass")
    assert kinds(f"{source}\nx = Below[int]()\n", "x") == {"Below"}


@pytest.mark.parametrize(
    ("keywords", "body"),
    [
        (", metaclass=Meta", "pass"),
        (", **options", "pass"),
        ("", "def __class_getitem__(cls, name):\n        return Other"),
    ],
)
def test_a_class_that_says_what_its_items_are_is_not_its_item(keywords: str, body: str) -> None:
    source = _GENERIC.format(keywords=keywords, body=body)
    assert "Net" not in kinds(f"{source}\nx = Net[int]()\n", "x")


def test_a_member_of_an_enum_is_not_the_enum() -> None:
    source = _GENERIC.format(keywords="", body="pass")
    assert "Color" not in kinds(f"{source}\nx = Color['RED']\n", "x")
