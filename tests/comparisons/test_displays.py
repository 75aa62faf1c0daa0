"""Displays: scikit-learn's own arguments, the same numbers by every way, and what is refused."""

import inspect

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

import costboot as cb

WAYS = ["from_predictions", "from_estimator", "from_cv_results", "plot"]
BOTH = [cb.RocBandDisplay, cb.CostBandDisplay]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("ours", BOTH)
@pytest.mark.parametrize("way", WAYS)
def test_the_arguments_are_those_of_scikit_learn(ours, way):
    "Every argument of scikit-learn's display is one of ours, of the same kind and with the same default."
    theirs = getattr(metrics.RocCurveDisplay, way, None)
    if theirs is None or "curve_kwargs" not in inspect.signature(theirs).parameters: pytest.skip("scikit-learn is older than its current displays")
    mine = inspect.signature(getattr(ours, way)).parameters
    for name, wanted in inspect.signature(theirs).parameters.items():
        if wanted.default == "deprecated" or wanted.kind == wanted.VAR_KEYWORD: continue
        assert name in mine, (way, name)
        assert (mine[name].kind, mine[name].default) == (wanted.kind, wanted.default), (way, name)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = rng.normal(size=(90, 2)) + np.array([[0, 0], [1.5, 0], [0, 1.5]])[y]
    return X, y


@pytest.mark.parametrize("ours", BOTH)
def test_every_way_gives_the_same_numbers(ours, data):
    X, y = data
    X, y = X[y < 2], y[y < 2]
    model = LogisticRegression().fit(X, y)
    s = model.predict_proba(X)[:, 1]
    how = {} if ours is cb.RocBandDisplay else dict(threshold=0.5)
    displays = [ours.from_predictions(y, s, **how), ours.from_estimator(model, X, y, plot=False, **how), ours.from_predictions(np.where(y, "b", "a"), s, pos_label="b", plot=False, **how),
                ours.from_estimator(model, pd.DataFrame(X), pd.Series(y), response_method="predict_proba", plot=False, **how)]
    for other in displays[1:]: np.testing.assert_array_equal(displays[0].limits, other.limits)
    assert displays[0].figure_ is displays[0].ax_.figure and displays[1].figure_ is None and displays[1].name == "LogisticRegression"
    one = {"estimator": [model], "indices": {"test": [np.arange(60)]}}
    np.testing.assert_array_equal(ours.from_cv_results(one, X, y, plot=False, **how).limits, displays[0].limits)


@pytest.mark.parametrize("ours", BOTH)
def test_three_classes_and_folds(ours, data):
    X, y = data
    how = {} if ours is cb.RocBandDisplay else dict(threshold="calibrated")
    model = LogisticRegression().fit(X, y)
    group = ours.from_estimator(model, X, y, curve_kwargs=[{"color": c} for c in "rgb"], plot_chance_level=True, **how)
    lines = [line for line in group.ax_.lines if line.get_gid() == "band-curve"]
    assert [line.get_color() for line in lines] == ["r", "g", "b"] and len(group) == 3
    legend = group.ax_.get_legend()
    assert len(legend.get_texts()) == 4 and legend.get_title().get_text().startswith("bands: 90% ")
    named = ours.from_predictions(y, model.predict_proba(X), pos_label=2, plot=False, **how)
    np.testing.assert_array_equal(named.limits, group[2].limits)
    folds = cross_validate(LogisticRegression(), X, y, cv=3, return_estimator=True, return_indices=True)
    means = ours.from_cv_results(folds, X, y, plot=False, **how)
    assert len(means) == 3 and all(len(display.folds) == 3 for display in means)
    for display in means: assert (display.limits[-2] <= display.limits[-1]).all() and (display.limits >= 0).all() and (display.limits <= 1).all()
    with pytest.raises(ValueError, match="`curve_kwargs` must be a dictionary or a list of 3"): group.plot(curve_kwargs=[{}])


def test_drop_intermediate_changes_the_drawing_only(data):
    X, y = data
    s, kept = X[:60, 0], y[:60]
    long, short = (cb.RocBandDisplay.from_predictions(kept, s, drop_intermediate=drop) for drop in (False, True))
    drawn = [display.ax_.lines[0].get_xydata() for display in (long, short)]
    assert len(drawn[1]) < len(drawn[0]) == len(long.fpr)
    theirs = metrics.RocCurveDisplay.from_predictions(kept, s)
    apart = abs(drawn[1][:, None] - np.c_[theirs.fpr, theirs.tpr]).max(axis=2)
    assert apart.min(axis=1).max() < 1e-12 and len(drawn[1]) <= len(theirs.fpr) + 1  # its corners, and nothing else
    np.testing.assert_array_equal(long.limits, short.limits)


@pytest.mark.parametrize("ours", BOTH)
def test_what_is_refused(ours, data):
    X, y = data
    two, s = (y[:60] == 1).astype(int), X[:60, 0]
    model = LogisticRegression().fit(X, y)
    for wrong, words in ((dict(sample_weight=np.ones(60)), "The laws count rows"), (dict(confidence_level=90), "did you mean 0.9"), (dict(method="best"), "must be one of"), (dict(pos_label=7), "pos_label"),
                         (dict(curve_kwargs=3), "`curve_kwargs` must be a dictionary")):
        with pytest.raises((ValueError, TypeError), match=words): ours.from_predictions(two, s, **wrong)
    with pytest.raises(ValueError, match="`y_score` must"): ours.from_predictions(two)
    with pytest.raises(ValueError, match="a column for each of the 3 classes"): ours.from_predictions(y, np.ones((90, 4)))
    with pytest.raises(ValueError, match="return_indices=True"): ours.from_cv_results({"estimator": [model]}, X, y)
    twice = {"estimator": [model, model], "indices": {"test": [np.arange(60), np.arange(60)]}}
    with pytest.raises(ValueError, match="must test no row twice"): ours.from_cv_results(twice, X, y)
    with pytest.raises(ValueError, match="folds in which both classes are tested"): ours.from_cv_results({"estimator": [model], "indices": {"test": [np.arange(30)]}}, X, y)
    with pytest.raises(TypeError, match="unexpected keyword"): ours.from_predictions(two, s, colour="red")
