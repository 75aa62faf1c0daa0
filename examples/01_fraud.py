"""Two boosted models on 200,000 payments, 1 % of them fraud: which one costs less, and how much money is it?

    python examples/01_fraud.py
"""

import os

import numpy as np
from scipy.stats import norm
from sklearn.ensemble import HistGradientBoostingClassifier

import costboot as cb

PRICE = dict(prevalence=0.01, cost_fn=200, cost_fp=5)  # a missed fraud, a blocked customer, in euros


def payments(n, rng):
    "Payments with eight features; about one in a hundred is a fraud, and harder to see than one would like."
    X = rng.normal(size=(n, 8)).astype(np.float32)
    risk = 1.3 * X[:, 0] + X[:, 1] * X[:, 2] + 0.8 * np.abs(X[:, 3]) - 6.3
    return X, (rng.random(n) < 1 / (1 + np.exp(-risk))).astype(int)


rng = np.random.default_rng(0)
train, validation, (X, y) = (payments(n, rng) for n in (60_000 if os.environ.get("SLOW") else 15_000, 30_000, 200_000))
small = HistGradientBoostingClassifier(max_iter=15, max_leaf_nodes=4, random_state=0).fit(train[0][:, :3], train[1])
large = HistGradientBoostingClassifier(max_iter=30, max_leaf_nodes=8, random_state=0).fit(*train)

# thresholds from the validation rows, at our operating condition
w = cb.operating_condition(**PRICE)
views = {"small": (small, slice(0, 3)), "large": (large, slice(0, 8))}
score = {name: model.predict_proba(X[:, part])[:, 1] for name, (model, part) in views.items()}
chosen = {
    name: float(cb.optimal_thresholds(validation[1], model.predict_proba(validation[0][:, part])[:, 1])(w))
    for name, (model, part) in views.items()
}

bill = {name: cb.exact_expense(y, score[name], chosen[name], cases=100_000, **PRICE) for name in score}
for name, law in bill.items():
    low, high = law.interval(0.9)
    print(f"{name}: 100,000 payments cost {law.mean:,.0f} euros ({low:,.0f} to {high:,.0f})")
change = cb.laws.exact_expense_difference(y, score["small"], score["large"], chosen["small"], chosen["large"], cases=100_000, **PRICE)
low, high = change.interval(0.9)
print(f"the large one costs {-change.mean:,.0f} less ({-high:,.0f} to {-low:,.0f}), p = {change.p_value():.2g}")

# --- the same without the laws: counts, and the normal interval, which 2,000 frauds allow --------------------------------
flagged = {name: score[name] >= chosen[name] for name in score}
price = 100_000 * np.where(y == 1, PRICE["prevalence"] * PRICE["cost_fn"] / y.sum(), (1 - PRICE["prevalence"]) * PRICE["cost_fp"] / (1 - y).sum())
paid = {name: price * (flagged[name] != y) for name in score}  # what each row adds to the bill


def spread(parts):
    "Standard deviation of a sum of rows, class by class."
    return np.sqrt(sum(parts[y == c].size * parts[y == c].var() for c in (0, 1)))


for name, law in bill.items():
    np.testing.assert_allclose(law.mean, paid[name].sum(), rtol=1e-10)
    np.testing.assert_allclose(law.std, spread(paid[name]), rtol=1e-8)
difference = paid["large"] - paid["small"]
np.testing.assert_allclose(change.mean, difference.sum(), rtol=1e-9)
np.testing.assert_allclose(change.std, spread(difference), rtol=1e-8)
z = norm.ppf(0.95)
np.testing.assert_allclose((low, high), difference.sum() + np.array([-z, z]) * spread(difference), rtol=0.02)
assert change.mean < 0 and high < 0
