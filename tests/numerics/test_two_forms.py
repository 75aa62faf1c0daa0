"""Plain and compiled are the same numbers: every law both ways, and both forms of every function that has two.

Which functions have two forms is read off the modules, and their arguments are those which the laws give them: a new pair is checked as soon as a law uses it.
"""

import copy
import pkgutil
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from conftest import AS_USED

import costboot as cb
import costboot.numerics
from costboot.coverages.exact_differences import difference_coverage
from costboot.numerics.compiled import Kernel, compiling, has_compiler
from costboot.numerics.threshold_tables import joint_table

MODULES = [import_module(f"costboot.numerics.{m.name}") for m in pkgutil.iter_modules(costboot.numerics.__path__)]
KERNELS = {f"{m.__name__.rpartition('.')[2]}.{name}": value for m in MODULES for name, value in vars(m).items()
           if isinstance(getattr(value, "kernel", None), Kernel) and value.__module__ == m.__name__}
PAIRS = {name: f for name, f in KERNELS.items() if f.kernel.source is not f.kernel.plain}
LEVELS = np.array([[0.01], [0.3], [0.5], [0.77], [0.995]])
RATES = np.array([0.02, 0.1, 0.35, 0.8])
W = np.array([0.0, 0.07, 0.3, 0.5, 0.9, 1.0])


def scores(n_pos, n_neg, digits=None, alike=False):
    "Labels and two scores: rounded for ties, or nearly the same."
    rng = np.random.default_rng(n_pos + n_neg)
    y = np.repeat([1, 0], [n_pos, n_neg])
    first = rng.normal(1.1 * y)
    second = first + 0.03 * rng.normal(size=len(y)) if alike else 0.6 * first + rng.normal(0.5 * y)
    return (y, first, second) if digits is None else (y, first.round(digits), second.round(digits))


def numbers(law):
    "Everything a law is asked for, as plain arrays."
    found = [law.mean, law.std, *(np.column_stack(law.interval(0.9, method=m)) for m in ("exact", "recommended", "conservative"))]
    found += [law.ppf(LEVELS), law.cdf(np.linspace(-0.2, 0.8, 7)[:, None])]
    return [np.asarray(part, float) for part in found]


def costs(y, a, b, **options):
    yield "cost", lambda: numbers(cb.exact_cost(y, a, w=W, threshold=0.4, **options))
    yield "cost difference", lambda: numbers(cb.exact_cost_difference(y, a, b, w=W, threshold_1=0.4, threshold_2=0.6, **options))
    yield "opposite thresholds", lambda: numbers(cb.exact_cost_difference(y, a, b, w=W, threshold_1=2 * W - 1, threshold_2=1 - 2 * W, **options))


def rates(y, a, b):
    yield "tpr", lambda: numbers(cb.exact_tpr(y, a, RATES))
    yield "tpr difference", lambda: numbers(cb.exact_tpr_difference(y, a, b, RATES, progress=False))
    yield "budget", lambda: [part for law in (cb.exact_rates_at_budget(y, a, RATES[1:]),) for part in numbers(law.tpr) + numbers(law.fpr)]
    yield "budget, full", lambda: numbers(cb.exact_rates_at_budget(y, a, RATES[2:3], sampling="full").tpr)
    yield "smoothed", lambda: [np.asarray(cb.exact_roc_difference(y, a, b, [0.3], [0.5]).dominance(), float)]


def coverages():
    for of, more in [("cost", dict(w=W[1:-1])), ("tpr", dict(threshold=0.4)), ("roc", dict(threshold=0.4))]:
        for method in ("recommended", "exact", "wald"):
            yield f"coverage {of} {method}", lambda of=of, more=more, method=method: [np.asarray(
                cb.exact_coverage((0.1, 0.2) if of != "cost" else cb.Binormal(), 30, 25, of, method=method, **(more if of == "cost" else {})).coverage, float)]
    for sampling in ("stratified", "full"):
        yield f"coverage of a difference {sampling}", lambda sampling=sampling: [
            difference_coverage(cb.BinormalPair(cb.Binormal(), cb.Binormal(2.0), correlation=0.6), 12, 9, w=W[1:3], sampling=sampling)]


def rare_ways():
    "Ways that only large or strange test sets take."
    y, a, _ = scores(20, 6000)
    yield "wide ranks", lambda: [np.asarray(cb.exact_tpr(y, a, [0.5]).ppf(LEVELS), float)]
    tied, b, _ = scores(3000, 3000, digits=0)
    yield "many pairs on a step", lambda: [np.asarray(cb.exact_tpr(tied, b, [0.2]).cdf([[0.4], [0.5], [0.6]]), float)]
    partner = np.random.default_rng(3).permutation(60) + 1
    for r in (5, 30): yield f"row by row, {r}", lambda r=r: [joint_table(r, 60, partner, most_terms=0)[1]]
    yield "full test sets", lambda: [np.asarray(cb.exact_coverage(cb.Binormal(), 12, w=[0.3], sampling="full", method="wald").coverage, float)]


def cases():
    for law, make in rare_ways(): yield pytest.param(make, id=law)
    for sizes, options in [((7, 9), {}), ((60, 40), {}), ((60, 40), dict(digits=0)), ((90, 150), dict(alike=True)), ((300, 420), {})]:
        data, name = scores(*sizes, **options), f"{sizes} {options}"
        for sampling in ("stratified", "full"):
            for law, make in costs(*data, sampling=sampling): yield pytest.param(make, id=f"{law} {sampling} {name}")
        for law, make in rates(*data): yield pytest.param(make, id=f"{law} {name}")
    for law, make in coverages(): yield pytest.param(make, id=law)


@pytest.mark.skipif(not has_compiler(), reason="without numba there is one way only")
@pytest.mark.parametrize("make", list(cases()))
def test_every_law_is_the_same_plain_and_compiled(make):
    with compiling("never"): plain = make()
    with compiling("always"): compiled = make()
    for one, other in zip(plain, compiled, strict=True): np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def calls():
    "Up to six calls of each function with two forms, as the laws make them."
    found, patch = {name: [] for name in PAIRS}, pytest.MonkeyPatch()
    for name, function in PAIRS.items():
        def note(*args, name=name, function=function):
            if len(found[name]) < 6: found[name].append(copy.deepcopy(args))
            return function(*args)
        note.kernel = function.kernel
        for module in MODULES:
            for at, value in list(vars(module).items()):
                if value is function: patch.setattr(module, at, note)
    with compiling("never"):
        for case in cases(): case.values[0]()
    patch.undo()
    return found


@pytest.mark.parametrize("name", PAIRS)
def test_both_forms_of_a_function_agree(name, calls):
    assert calls[name], f"no law calls {name}: add one that does"
    kernel = PAIRS[name].kernel
    forms = [kernel.plain, kernel.source] + ([kernel.twin()] if has_compiler() else [])
    for args in calls[name]:
        results = []
        for form in forms:
            mine = copy.deepcopy(args)  # some write into what they are given
            with compiling("never"): results.append((form(*mine), mine))
        for other in results[1:]: assert_same(results[0], other)


def assert_same(one, other):
    "The same numbers, in whatever tuples."
    if isinstance(one, (tuple, list)):
        assert len(one) == len(other)
        for a, b in zip(one, other): assert_same(a, b)
    elif one is not None and not callable(one):
        np.testing.assert_allclose(np.asarray(one, float), np.asarray(other, float), rtol=1e-12, atol=1e-13)


def test_there_are_pairs_and_entries():
    assert len(PAIRS) >= 5
    assert len(KERNELS) > 100


BLOCK = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "numba": raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nothing())
"""


@pytest.mark.parametrize("work", [
    "law = cb.exact_tpr_difference(y, a, b, [0.1, 0.3], progress=False); print(law.interval(0.9))",
    "print(cb.exact_cost_difference(y, a, b, threshold_1=0, threshold_2=0, sampling='full').interval(0.9, method='exact')[0][:3])",
    "print(cb.exact_rates_at_budget(y, a, [0.2]).tpr.ppf(0.1), cb.exact_coverage((0.1, 0.2), 20, of='tpr').coverage)",
])
def test_without_numba_everything_is_there(work):
    data = "import numpy as np, costboot as cb; y = np.arange(60) % 2; rng = np.random.default_rng(1); a = rng.normal(y); b = rng.normal(y)\n"
    ran = subprocess.run([sys.executable, "-c", BLOCK + data + work], capture_output=True, text=True, check=False, env=AS_USED)
    assert ran.returncode == 0, ran.stderr
    with_it = subprocess.run([sys.executable, "-c", data + work], capture_output=True, text=True, check=True, env=AS_USED)
    assert ran.stdout == with_it.stdout
