"""What a rule is: a name, the transforms it looks at, and a decision at each of their sites."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from nnx_migrate.analysis.flax.transforms import OTHER_PACKAGE
from nnx_migrate.analysis.sites.other_packages import calls_others
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Decision

#: The package that the rules of this project are in.
_OWN_RULES = "nnx_codemods"


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """A codemod. The docstring of the module that makes it is its manual page.

    Args:
        name: named after what is found, not after what is done ("state-axes").
        transforms: public names of the transforms whose sites it wants to see.
        decide: the decision at a site; None when the site is not its concern.
        project_words: identifiers of which some file of the project must have one.
        way_out: what a person would change so that a pin of this rule is not needed.
    """

    name: str
    transforms: frozenset[str]
    decide: Callable[[FileContext, Site], Decision | None]
    project_words: frozenset[str] = frozenset()
    way_out: str = ""

    def decision(self, context: FileContext, site: Site) -> Decision | None:
        """What the rule says of a site; an exception that it raises says whose it is."""
        try:
            return self.decide(context, site)
        except Exception as error:
            module = self.decide.__module__
            if module.partition(".")[0] == _OWN_RULES:
                error.add_note(f"rule {self.name} failed; report this")
            else:
                error.add_note(f"rule {self.name} ({module}) failed; report this to its authors")
            raise

    def is_at_home(self, project: Project) -> bool:
        """Whether the project says a word that the rule looks for; a cheap check."""
        return not self.project_words or any(map(project.has_word, self.project_words))

    def concerns(self, project: Project, module: str) -> bool:
        """Whether the file may hold a site of this rule; a cheap check before it is parsed."""
        if not self.is_at_home(project):
            return False
        if project.may_use(module, self.transforms):
            return True
        if OTHER_PACKAGE in self.transforms and calls_others(project, module):
            return True
        # Of those of a GraphDef there are none where nothing is split or merged.
        names = (name.partition(".") for name in self.transforms)
        methods = {method for owner, _, method in names if owner != "GraphDef"}
        return not methods.isdisjoint(project.modules[module].words)
