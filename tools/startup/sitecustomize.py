"""Loaded by every Python process of a test run: numba's files of compiled code are read and written by one process at a time.

numba reads the list of a function's signatures, chooses the next free number, and writes the list and the code, each on its own; between
these steps another process may choose the same number. The lock is a file beside the list. Nothing is imported here: the methods
are wrapped when numba is, if it is.
"""

import importlib.machinery
import sys

MODULE = "numba.core.caching"


def locked(method):
    "A method of numba's index file, for one process at a time."
    import fcntl
    import functools

    @functools.wraps(method)
    def turn(self, *args):
        try: lock = open(f"{self._index_path}.lock", "a")  # noqa: SIM115
        except OSError: return method(self, *args)  # nothing can be written there, so nothing can be mixed up
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return method(self, *args)
    return turn


class Finder:
    "Finds the one module as usual, and wraps two of its methods after it was loaded."

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != MODULE: return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None: return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            for method in ("save", "load"): setattr(module.IndexDataCacheFile, method, locked(getattr(module.IndexDataCacheFile, method)))

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder)
