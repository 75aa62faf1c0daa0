"""Bands in one line each: from predictions, from an estimator, from cross-validation, for three classes.

    python examples/03_pictures.py [folder]      writes the pictures into the folder, if one is named
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_validate, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import costboot as cb

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:, :4], 1 - y  # 1 is malignant
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
scores = model.predict_proba(X_test)[:, 1]

# one line each
predicted = cb.RocBandDisplay.from_predictions(y_test, scores, name="logistic regression", plot_chance_level=True)
fitted = cb.RocBandDisplay.from_estimator(GaussianNB().fit(X_train, y_train), X_test, y_test, ax=predicted.ax_, curve_kwargs={"ls": "--"})
costs = cb.CostBandDisplay.from_estimator(model, X_test, y_test, threshold=0.5, name="at 0.5", plot_chance_level=True, despine=True)
folds = cross_validate(model, X, y, cv=5, return_estimator=True, return_indices=True)
mean_roc = cb.RocBandDisplay.from_cv_results(folds, X, y)
mean_cost = cb.CostBandDisplay.from_cv_results(folds, X, y, threshold=0.5)
W, kind = load_wine(return_X_y=True)
kind = load_wine().target_names[kind]
W_train, W_test, kind_train, kind_test = train_test_split(W[:, :2], kind, test_size=0.5, random_state=0, stratify=kind)
wine = LogisticRegression().fit(W_train, kind_train)
classes = cb.RocBandDisplay.from_estimator(wine, W_test, kind_test)
for display in (predicted, fitted, costs, mean_roc, mean_cost, *classes): print(display)

if len(sys.argv) > 1:
    for name, display in (("two_models", predicted), ("costs", costs), ("mean_roc", mean_roc), ("mean_cost", mean_cost), ("classes", classes)):
        display.ax_.figure.savefig(Path(sys.argv[1]) / f"{name}.png", dpi=110)


# --- without the laws ------------------------------------------------------------------------------------------------------
def mid_p(count, n, tail=0.05):
    "Mid-P limits of a proportion, from the binomial distribution alone."
    def above(p): return binom.sf(count, n, p) + binom.pmf(count, n, p) / 2 - tail
    def below(p): return binom.cdf(count - 1, n, p) + binom.pmf(count, n, p) / 2 - tail
    return brentq(above, 1e-9, 1 - 1e-9) if count else 0.0, brentq(below, 1e-9, 1 - 1e-9) if count < n else 1.0


np.testing.assert_allclose(predicted.roc_auc, roc_auc_score(y_test, scores), rtol=1e-12)
at_half = scores >= 0.5
missed, alarms = np.mean(~at_half[y_test == 1]), np.mean(at_half[y_test == 0])
grid = costs.curve.w
np.testing.assert_allclose(costs.curve.cost, grid * missed + (1 - grid) * alarms, rtol=1e-12)
near_one = cb.CostBandDisplay.from_predictions(y_test, scores, threshold=0.5, w=[1.0], plot=False)  # there the cost is the false negative rate
np.testing.assert_allclose(near_one.limits[:, 0], mid_p(int(np.sum(~at_half[y_test == 1])), int(y_test.sum())), atol=1e-6)
between = cb.CostBandDisplay.from_predictions(y_test, scores, threshold=0.5, w=[0.3], plot=False)  # the two rates' limits, put together (MOVER)
(low_1, high_1), (low_0, high_0) = (mid_p(int(np.sum(wrong)), int(np.sum(of))) for wrong, of in ((~at_half[y_test == 1], y_test == 1), (at_half[y_test == 0], y_test == 0)))
cost = 0.3 * missed + 0.7 * alarms
reach = np.hypot(0.3 * (missed - low_1), 0.7 * (alarms - low_0)), np.hypot(0.3 * (high_1 - missed), 0.7 * (high_0 - alarms))
low, high = between.limits[:, 0]
np.testing.assert_allclose([low, high], [cost - reach[0], cost + reach[1]], atol=2e-3)
assert low <= cost - reach[0] + 1e-6 and high >= cost + reach[1] - 1e-6  # the package never promises more than MOVER; near 0 it goes a little further out
draws, generator = [], np.random.default_rng(2)  # the ROC band's law, by 1,500 stratified resamples and linear interpolation
pos, neg = scores[y_test == 1], scores[y_test == 0]
for _ in range(1500):
    one, two = np.sort(generator.choice(pos, pos.size)), np.sort(generator.choice(neg, neg.size))
    cuts = np.r_[np.inf, np.unique(np.r_[one, two])[::-1]]
    draws.append(np.interp(0.1, *[(side.size - np.searchsorted(side, cuts)) / side.size for side in (two, one)]))
law = cb.exact_tpr(y_test, scores, fpr=0.1)
assert abs(np.mean(draws) - law.mean) < 4 * np.std(draws) / np.sqrt(1500)
np.testing.assert_allclose(np.std(draws), law.std, rtol=0.08)
np.testing.assert_allclose(mean_roc.roc_auc, np.mean([roc_auc_score(y[at], m.predict_proba(X[at])[:, 1]) for m, at in zip(folds["estimator"], folds["indices"]["test"])]), rtol=1e-12)
for k, display in enumerate(classes):
    np.testing.assert_allclose(display.roc_auc, roc_auc_score(kind_test == wine.classes_[k], wine.predict_proba(W_test)[:, k]), rtol=1e-12)
legend = [text.get_text() for text in classes.ax_.get_legend().get_texts()]
assert [text.split(" (")[0] for text in legend] == ["class_0 vs rest", "class_1 vs rest", "class_2 vs rest"], legend
plt.close("all")
