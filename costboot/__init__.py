"""Honest uncertainty for classifier performance: exact bootstrap laws of cost and ROC curves.

`import costboot as cb` offers what a user types; the list is `__init__.pyi`, written by hand.
Everything is loaded when it is first used. The modules are generated from the notebooks in `nbs/`,
room by room: `cb.laws`, `cb.coverages`, `cb.explorers`, ...
"""

__version__ = "0.2.0"

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
