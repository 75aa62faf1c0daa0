"""One sign: every difference is second minus first, and a second model that is plainly better is called so."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier

import costboot as cb

PAIR = cb.BinormalPair(cb.Binormal(0.5), cb.Binormal(4.0), correlation=0.5)
Y, BAD, GOOD = PAIR.sample(120, 150, rng=1)
ROC = cb.exact_roc_difference(Y, BAD, GOOD, 0.0, 0.0)
COSTS = {sampling: [cb.exact_cost(Y, s, 0.4, 0.0, sampling=sampling) for s in (BAD, GOOD)] for sampling in ("stratified", "full")}
RATES = [cb.exact_roc(Y, s, 0.0) for s in (BAD, GOOD)]

DIFFERENCES = {
    "cost": cb.exact_cost_difference(Y, BAD, GOOD, 0.4, 0.0, 0.0),
    "cost, full": cb.exact_cost_difference(Y, BAD, GOOD, 0.4, 0.0, 0.0, sampling="full"),
    "cost, prevalence": cb.exact_cost_difference(Y, BAD, GOOD, 0.4, 0.0, 0.0, sampling="full", prevalence=0.2),
    "FPR": ROC.fpr, "TPR": ROC.tpr, "FPR, unpaired": ROC.independent()[0], "TPR, unpaired": ROC.independent()[1],
    "TPR at an FPR": cb.exact_tpr_difference(Y, BAD, GOOD, 0.2, progress=False),
    "TPR at an FPR, ties": cb.exact_tpr_difference(Y, BAD.round(), GOOD.round(), 0.2, progress=False),
    "TPR at an FPR, the paper's ties": cb.exact_tpr_difference(Y, BAD, GOOD, 0.2, ties="paper", progress=False),
    "independent costs": cb.independent_difference(*COSTS["stratified"]),
    "independent costs, full": cb.independent_difference(*COSTS["full"]),
    "independent TPRs": cb.independent_difference(RATES[0].tpr, RATES[1].tpr),
    "independent FPRs": cb.independent_difference(RATES[0].fpr, RATES[1].fpr),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_better_second_is_called_better(name):
    law = DIFFERENCES[name]
    less = law.less_is_better
    assert less is ("cost" in name or "FPR" in name.split(" at ")[0])
    assert (law.mean < 0) == less and isinstance(law.mean, float)
    assert cb.significant_ranges(law)["verdict"].tolist() == ["model 2 costs less" if "cost" in name else "model 2 is better"]
    assert law.p_value() < 0.1 and law.p_value(alternative="less" if less else "greater") < 0.05
    assert "2 - " in law.value_name or "second - first" in law.value_name


def test_areas_and_dominance():
    law = cb.exact_auc_difference(Y, BAD, GOOD)
    assert law.mean == pytest.approx(cb.roc_auc(Y, GOOD) - cb.roc_auc(Y, BAD)) and law.interval().low > 0 and law.p_value() < 0.01
    assert ROC.dominance().f2 > 0.9 > 0.1 > ROC.dominance().f1


def test_the_truth_has_the_same_sign():
    assert PAIR.cost_difference(0.4) < 0 and PAIR.fpr_difference(0.0, 0.0) < 0 < PAIR.tpr_difference(0.0, 0.0) and PAIR.roc_difference(0.2) > 0


def test_retrained_rules():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + 1.5 * y[:, None]
    found = cb.compare_rules(DummyClassifier(strategy="uniform", random_state=0), LinearDiscriminantAnalysis(), X, y, n_resamples=60, rng=1, progress=False)
    assert all(value < 0 for value in found.estimate.values())  # the second rule makes fewer mistakes


def test_several_models():
    table = cb.compare_costs(Y, {"bad": BAD, "good": GOOD}, {"bad": 0.0, "good": 0.0}, [0.4]).to_frame()
    assert table["cheaper"].tolist() == ["good"] and (table["difference"] < 0).all()
