"""A copy of a result is as safe as the result: its arrays are read-only after pickle and deepcopy, and it gives the same numbers."""

import copy
import pickle
from dataclasses import fields, is_dataclass

import numpy as np
import pandas as pd
import pytest

import costboot as cb

RNG = np.random.default_rng(0)
Y = np.tile([0, 1, 0, 0, 1], 8)
S, Z = (Y + RNG.normal(size=40) for _ in range(2))
X = RNG.normal(size=(40, 2)) + Y[:, None]
P, Q = 1 / (1 + np.exp(-S)), 1 / (1 + np.exp(-Z))
W = [0.3, 0.5]


def rule():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    return LinearDiscriminantAnalysis()


def gain(tpr, fpr, prevalence): return prevalence * tpr - (1 - prevalence) * fpr


def stern(tpr, fpr, prevalence): return tpr if fpr < 0.5 else 0.0


MADE = {
    "cost": lambda: cb.exact_cost(Y, S, W, 0.5), "full cost": lambda: cb.exact_cost(Y, S, W, 0.5, sampling="full"),
    "clusters": lambda: cb.exact_cost(Y, S, W, 0.5, groups=np.arange(40) // 2, sampling="full"),
    "difference": lambda: cb.exact_cost_difference(Y, S, Z, W, 0.5, 0.5), "full difference": lambda: cb.exact_cost_difference(Y, S, Z, W, 0.5, 0.5, sampling="full"),
    "expense": lambda: cb.exact_expense(Y, S, 0.5, prevalence=0.1, cost_fn=2, cost_fp=1), "roc": lambda: cb.exact_roc(Y, S, [0.2, 0.5]),
    "roc difference": lambda: cb.exact_roc_difference(Y, S, Z, [0.2], [0.3]), "tpr": lambda: cb.exact_tpr(Y, S, [0.2, 0.4]),
    "tpr difference": lambda: cb.exact_tpr_difference(Y, S, Z, [0.2]), "auc": lambda: cb.exact_auc(Y, S), "auc difference": lambda: cb.exact_auc_difference(Y, S, Z),
    "budget": lambda: cb.exact_rates_at_budget(Y, S, [0.3]), "measure": lambda: cb.exact_measure(Y, S, [0.5], "f1"),
    **{f"measure {name}": lambda name=name: cb.exact_measure(Y, S, [0.5], name) for name in (*cb.laws.MEASURES, "f0.123456789")},
    "net benefit as measure": lambda: cb.exact_measure(Y, P, [0.5], "net_benefit", sampling="full"), "measure, full": lambda: cb.exact_measure(Y, S, [0.5], "f1", sampling="full"),
    "a measure of one's own": lambda: cb.exact_measure(Y, S, [0.5], gain), "one that takes no arrays": lambda: cb.exact_measure(Y, S, [0.5], stern),
    "precision and recall": lambda: cb.laws.exact_precision_recall(Y, S, [0.5], sampling="full"),
    "measure difference": lambda: cb.exact_measure_difference(Y, S, Z, [0.5], [0.5], "precision"), "net benefit": lambda: cb.exact_net_benefit(Y, P, [0.3]),
    "net benefit difference": lambda: cb.exact_net_benefit_difference(Y, P, Q, [0.3]), "kernel": lambda: cb.kernel_tpr(Y, S, [0.2, 0.4]),
    "unpaired": lambda: cb.independent_difference(cb.exact_cost(Y, S, W, 0.5), cb.exact_cost(Y, Z, W, 0.5)), "point": lambda: cb.exact_cost(Y, S, 0.4, 0.5),
    "points of a curve": lambda: cb.roc_curve_points(Y, S), "hull": lambda: cb.roc_hull(Y, S), "lines": lambda: cb.cost_lines(Y, S), "cost curve": lambda: cb.cost_curve(Y, S),
    "thresholds": lambda: cb.optimal_thresholds(Y, S), "comparison": lambda: cb.compare_costs(Y, {"a": S, "b": Z}, {"a": 0.5, "b": 0.5}, w=W),
    "counts": lambda: cb.counts_from(pd.DataFrame({"y": Y, "a": S, "b": Z}), "y", "a", [0.5], y_score_2="b", threshold_2=[0.5]),
    "exact coverage": lambda: cb.exact_coverage(cb.Binormal(2.0), n_pos=8, n_neg=8, w=[0.4], threshold=0.5),
    "operating points": lambda: cb.average_operating_points(rule(), X, Y, cv=3, points=5, rng=0),
    "assessment": lambda: cb.assess(rule(), X, Y, n_resamples=5, rng=0, progress=False), "rules": lambda: cb.compare_rules(rule(), rule(), X, Y, n_resamples=5, rng=0, progress=False),
    "bootstrap": lambda: cb.bootstrap_estimate(S, np.mean, n_resamples=20, rng=0), "jackknife": lambda: cb.jackknife_estimate(S, np.mean),
    "scores": lambda: cb.read_scores({"y": Y, "a": S}, "y", "a"), "cross-fit": lambda: cb.cross_fit(Y, S, Z),
}


def arrays(value, path=""):
    "Every array in a result, with the way to it."
    if isinstance(value, np.ndarray): yield path, value
    elif isinstance(value, dict):
        for key, part in value.items(): yield from arrays(part, f"{path}[{key!r}]")
    elif isinstance(value, (tuple, list)):
        for i, part in enumerate(value): yield from arrays(part, f"{path}[{i}]")
    elif is_dataclass(value):
        for f in fields(value): yield from arrays(getattr(value, f.name, None), f"{path}.{f.name}")


@pytest.mark.parametrize("kind", MADE)
def test_copies_are_read_only_and_equal(kind):
    made = MADE[kind]()
    before = dict(arrays(made))
    assert before
    assert [path for path, array in before.items() if array.flags.writeable] == []
    for copied in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert type(copied) is type(made) and repr(copied) == repr(made)
        after = dict(arrays(copied))
        assert [path for path, array in after.items() if array.flags.writeable] == []
        assert before.keys() <= after.keys()  # showing itself may have kept an interval
        for path in before: np.testing.assert_array_equal(after[path], before[path])
        if hasattr(made, "interval") and hasattr(made, "mean") and kind not in ("rules",): np.testing.assert_array_equal(copied.interval(), made.interval())
