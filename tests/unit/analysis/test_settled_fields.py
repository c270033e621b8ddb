"""Effects that hang on an attribute of a config: dropped where a program never has it true."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.facts import Analysis
from tests.unit.analysis.asking import MAIN, analysis_of, scope_named

CONFIGS = """
import dataclasses
from dataclasses import dataclass, field

@dataclass
class Config:
    size: int = 2
    use_cache: bool = False

@dataclass
class Small(Config):
    size: int = 1

class Plain:
    def __init__(self, size, use_cache=None):
        self.size = size
        self.use_cache = use_cache
"""
PROGRAM = """
import argparse
import copy
import dataclasses
import functools
from flax import nnx
from configs import *
HEAD

class Attention(nnx.Module):
    def __init__(self, config: CLASS, rngs):
        self.config = config
        self.cache = None
    def __call__(self, x):
        if TEST:
            self.cache = x
        return x

class Net(nnx.Module):
    def __init__(self, config: CLASS, rngs):
        self.attention = Attention(config, rngs)
    def __call__(self, x):
        return self.attention(x)

def f(m: Net, x):
    return m(x)

def main(given, name, unknown):
    config = MADE
    model = Net(config, nnx.Rngs(0))
    MORE
    return f(model, 1)
"""
DEFAULTS = {
    "HEAD": "",
    "CLASS": "Config",
    "TEST": "self.config.use_cache",
    "MADE": "Config(3)",
    "MORE": "pass",
}
NEVER = {
    "as it is": {},
    "said": {"MADE": "Config(use_cache=False)"},
    "by place": {"MADE": "Config(3, None)"},
    "by a name": {"HEAD": "CACHED = False", "MADE": "Config(use_cache=CACHED)"},
    "a test for True": {"TEST": "self.config.use_cache is True and x is not None"},
    "equal to True": {"TEST": "self.config.use_cache == True"},
    "a class below": {"MADE": "Small()", "CLASS": "Small"},
    "either class": {"MADE": "Small() if given else Config()"},
    "a class with a constructor": {"CLASS": "Plain", "MADE": "Plain(2)"},
    "said to a constructor": {"CLASS": "Plain", "MADE": "Plain(2, use_cache=False)"},
    "set to false": {"MORE": "config.use_cache = False"},
    "replaced otherwise": {"MADE": "dataclasses.replace(Config(), size=3)"},
    "by a field": {
        "HEAD": "@dataclass\nclass Own:\n    use_cache: bool = field(default=False)",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "an attribute of another object": {"MORE": "model.use_cache = True"},
    "a keyword of another library": {"MORE": "argparse.ArgumentParser(use_cache=True)"},
    "another class": {"MORE": "Plain(2, use_cache=True)"},
    "set to false by name": {"MORE": "setattr(config, 'use_cache', False)"},
    "another attribute by name": {"MORE": "object.__setattr__(config, 'size', 5)"},
    "of functions that known code gets": {
        "HEAD": "import jax\n@jax.jit\ndef run(config: Config): return config\n"
        "@functools.partial(jax.jit, static_argnums=0)\ndef run2(config: Config): pass\n"
        "wrapped = nnx.jit(run)",
    },
    "held by another class": {
        "HEAD": "@dataclass\nclass Options:\n    model: Config\nOptions(Config())",
    },
    "of a class handed to isinstance": {"MORE": "isinstance(given, Config)"},
}
MAY_HAPPEN = {
    "nobody makes one": {"MADE": "given"},
    "true": {"MADE": "Config(use_cache=True)"},
    "by place": {"MADE": "Config(3, True)"},
    "unknown": {"MADE": "Config(use_cache=given)"},
    "by a name that is bound again": {
        "HEAD": "CACHED = False\nCACHED = True",
        "MADE": "Config(use_cache=CACHED)",
    },
    "hidden": {"MADE": "Config(**given)"},
    "starred": {"MADE": "Config(*given)"},
    "elsewhere": {"MORE": "Config(use_cache=True)"},
    "in a class below": {"MORE": "Small(use_cache=True)"},
    "in the body of a class below": {
        "HEAD": "@dataclass\nclass Cached(Config):\n    use_cache: bool = True",
    },
    "a test for False": {"TEST": "not self.config.use_cache"},
    "another test": {"TEST": "self.config.use_cache or x is not None"},
    "set": {"MORE": "config.use_cache = True"},
    "set to what is unknown": {"MORE": "config.use_cache = given"},
    "set by another name": {"MORE": "model.attention.config.use_cache = True"},
    "set in something unknown": {"MORE": "unknown.use_cache = True"},
    "set by setattr": {"MORE": "setattr(config, 'use_cache', True)"},
    "set by a computed name": {"MORE": "setattr(config, name, True)"},
    "set by object": {"MORE": "object.__setattr__(config, name, True)"},
    "set by the dictionary": {"MORE": "config.__dict__.update(given)"},
    "set by the dictionary of vars": {"MORE": "vars(config)[name] = True"},
    "set by a name of the dictionary": {"MORE": "d = vars(config); d[name] = True"},
    "replaced": {"MADE": "dataclasses.replace(Config(), use_cache=True)"},
    "replaced by what is hidden": {"MADE": "dataclasses.replace(Config(), **given)"},
    "by a partial": {"MADE": "functools.partial(Config, use_cache=True)()"},
    "by a name of the class": {"MORE": "make = Config; make(use_cache=True)"},
    "by a table": {"MORE": "{'a': Config}[name](3, True)"},
    "by a name in something unknown": {"MORE": "unknown.Config(3, True)"},
    "by a method that is given anything": {
        "HEAD": "class Own:\n    def __init__(self, use_cache=False):\n"
        "        self.use_cache = use_cache\n    def train(self, **values):\n"
        "        for name, value in values.items():\n            setattr(self, name, value)",
        "CLASS": "Own",
        "MADE": "Own()",
        "MORE": "config.train(use_cache=True)",
    },
    "by something unknown": {"MORE": "unknown(use_cache=True)"},
    "by the class of an object": {"MORE": "type(config)(3, True)"},
    "by the attribute of an object": {"MORE": "config.__class__(3, True)"},
    "by a function that gets the class": {"MORE": "given.parse(Config)"},
    "set by object, by name": {"MORE": "object.__setattr__(config, 'use_cache', True)"},
    "set by a method, by name": {"MORE": "config.__setattr__('use_cache', True)"},
    "set by a patch": {"MORE": "unknown.patch.object(config, 'use_cache', True)"},
    "set by a fixture": {"MORE": "unknown.setattr(config, 'use_cache', True)"},
    "by a library that reads options": {"HEAD": "import tyro\ntyro.cli(Config)"},
    "by a library that reads options of what holds it": {
        "HEAD": "import tyro\n@dataclass\nclass Options:\n    model: 'Config | None' = None\n"
        "@dataclass\nclass All:\n    options: Options\ntyro.cli(All)",
    },
    "by a library that decorates what holds it": {
        "HEAD": "import store\n@store.add\n@dataclass\nclass Options:\n    model: Config",
    },
    "by a library that reads parameters": {
        "HEAD": "import tyro\ndef run(config: Config): return config\ntyro.cli(run)",
    },
    "by a decorator that reads parameters": {
        "HEAD": "import draccus\n@draccus.wrap()\ndef run(config: Config): return config",
    },
    "by a decorator": {
        "HEAD": "from registry import register\n@register\n@dataclass\n"
        "class Own:\n    use_cache: bool = False",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "by a class method": {
        "HEAD": "@dataclass\nclass Own(Config):\n    @classmethod\n"
        "    def cached(cls): return cls(2, True)",
        "CLASS": "Own",
        "MADE": "Own.cached()",
    },
    "by a class method above": {
        "HEAD": "@dataclass\nclass Above:\n    use_cache: bool = False\n    @classmethod\n"
        "    def cached(cls): return cls(True)\n@dataclass\nclass Own(Above): pass",
        "CLASS": "Own",
        "MADE": "Own.cached()",
    },
    "no default": {
        "HEAD": "@dataclass\nclass Own:\n    use_cache: bool\n",
        "CLASS": "Own",
        "MADE": "Own(given)",
    },
    "a factory": {
        "HEAD": "@dataclass\nclass Own:\n    use_cache: bool = field(default_factory=dict)",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "a property": {
        "HEAD": "class Own:\n    @property\n    def use_cache(self): return True",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "after the constructor": {
        "HEAD": "@dataclass\nclass Own(Config):\n    def __post_init__(self):\n"
        "        self.use_cache = self.size > 1",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "in a method": {
        "HEAD": "@dataclass\nclass Own(Config):\n    def on(self): self.use_cache = True",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "computed by a constructor": {
        "HEAD": "class Own:\n    def __init__(self, size=1):\n        self.use_cache = size > 1",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "rebound by a constructor": {
        "HEAD": "class Own:\n    def __init__(self, use_cache=False):\n"
        "        use_cache = True\n        self.use_cache = use_cache",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "by a constructor above": {
        "HEAD": "class Own(Plain):\n    def __init__(self):\n        super().__init__(2, True)",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "true by a constructor": {"CLASS": "Plain", "MADE": "Plain(2, use_cache=True)"},
    "a class of another package": {
        "HEAD": "from elsewhere import Base\n@dataclass\nclass Own(Base):\n"
        "    use_cache: bool = False",
        "CLASS": "Own",
        "MADE": "Own()",
    },
    "more at run time": {"HEAD": "import importlib\nimportlib.import_module(__name__)"},
}


def program(changes: dict[str, str]) -> dict[str, str]:
    text = PROGRAM
    for name, value in {**DEFAULTS, **changes}.items():
        text = text.replace(name, value)
    return {"main.py": text, "pkg/__init__.py": "", "configs.py": CONFIGS}


def left(analysis: Analysis, module: str = MAIN) -> set[str]:
    """The kinds of effects that are left of "f", in a module, of what a program does."""
    settled = analysis.settled_fields
    return {
        effect.kind
        for effect in analysis.effects.of(scope_named(analysis, "f", module), "m")
        if effect.field is None or not settled.is_never_true(module, effect.field)
    }


@pytest.mark.parametrize("case", NEVER)
def test_what_no_config_asks_for_does_not_happen(case: str) -> None:
    assert "structure" not in left(analysis_of(program(NEVER[case])))


@pytest.mark.parametrize("case", MAY_HAPPEN)
def test_what_a_config_may_ask_for_is_kept(case: str) -> None:
    files = program(MAY_HAPPEN[case])
    if case == "more at run time":  # the class is one of a package then
        files["main.py"] = files["main.py"].replace("from configs", "from pkg.configs")
        files["pkg/configs.py"] = files.pop("configs.py")
    assert "structure" in left(analysis_of(files))


def test_what_another_program_makes_does_not_matter() -> None:
    other = "from configs import Config\nimport pkg.net\nConfig(use_cache=True)\n"
    assert "structure" not in left(analysis_of({**program({}), "other.py": other}))


def test_what_a_program_imports_makes() -> None:
    files = program({"HEAD": "import helper"})
    files["helper.py"] = "from configs import Config\nCACHED = Config(use_cache=True)\n"
    assert "structure" in left(analysis_of(files))


def test_what_tests_are_given_by_fixtures() -> None:
    text = program({})["main.py"]
    files = {"configs.py": CONFIGS, "test_net.py": text}
    assert "structure" not in left(analysis_of(files), "test_net")
    fixture = "from configs import Config\ndef config(): return Config(use_cache=True)\n"
    for name in ("conftest.py", "tests/conftest.py"):
        assert "structure" in left(analysis_of({**files, name: fixture}), "test_net")


def test_a_file_that_others_may_load_by_its_path() -> None:
    loading = "from importlib.util import spec_from_file_location\nload = spec_from_file_location\n"
    files = {"configs.py": CONFIGS, "plugin.py": program({})["main.py"]}
    assert "structure" not in left(analysis_of(files), "plugin")
    files["run.py"] = f"{loading}from configs import Config\nConfig(use_cache=True)\n"
    assert "structure" in left(analysis_of(files), "plugin")


def test_code_out_of_sight_may_use_the_class_of_a_package() -> None:
    files = {f"pkg/{name}": text for name, text in program({}).items() if "pkg" not in name}
    files["pkg/main.py"] = files["pkg/main.py"].replace("from configs", "from pkg.configs")
    files["pkg/__init__.py"] = ""
    assert "structure" in left(analysis_of(files), "pkg.main")
    hidden = {
        name: text.replace("Config", "_Config").replace("Small", "_Small")
        for name, text in files.items()
    }
    hidden["pkg/main.py"] = hidden["pkg/main.py"].replace(
        "from pkg.configs import *", "from pkg.configs import _Config"
    )
    assert "structure" not in left(analysis_of(hidden), "pkg.main")


def test_a_flag_that_methods_of_modules_set() -> None:
    text = """
from flax import nnx

class Net(nnx.Module):
    def __init__(self, deterministic=False):
        self.deterministic = deterministic
    def __call__(self, x):
        if self.deterministic:
            self.sow(nnx.Intermediate, "x", x)

def f(m: Net):
    m(1)

m = Net()
"""
    assert "structure" in left(analysis_of(text))
    text = text.replace("deterministic", "sowing")
    assert "structure" not in left(analysis_of(text))
    for setting in (
        "m.train(sowing=True)",
        "m.eval(**options)",
        "nnx.view(m, sowing=True)",
        "nnx.set_mode(m, sowing=True)",
        "m.part.set_attributes(sowing=True)",
        "m.set_attributes(**options)",
        "def own(model, **options):\n    model.train(**options)\nown(m, sowing=True)",
        "class Own(Net):\n    def train(self, **options):\n        super().train(**options)\n"
        "Own().train(sowing=True)",
    ):
        assert "structure" in left(analysis_of(f"{text}\n{setting}\n")), setting
