"""Forty samples, thirty features: the .632+ estimate of a pipeline with an interval, and two rules compared.

    python examples/04_forty_samples.py
"""

import os

import numpy as np
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import costboot as cb

rng = np.random.default_rng(3)
y = np.repeat([0, 1], 20)
X = rng.normal(size=(40, 30))
X[:, :3] += 1.1 * y[:, None]
rule = make_pipeline(SelectKBest(k=3), LinearDiscriminantAnalysis())  # the selection is part of the rule, and retrained with it
other = make_pipeline(SelectKBest(k=3), KNeighborsClassifier(1))
draws = 400 if os.environ.get("SLOW") else 60

found = cb.assess(rule, X, y, n_resamples=draws, loocv=True, rng=0, progress=False)
low, high = found.interval("b632plus", 0.9)
print(f"error rate by .632+: {found.estimate['b632plus']:.3f} ({low:.3f} to {high:.3f})")
both = cb.compare_rules(rule, other, X, y, n_resamples=draws, rng=0, progress=False)
print(both)

# --- without costboot: leave-one-out by scikit-learn, and .632+ from its parts by Efron and Tibshirani's formula -------------
wrong = cross_val_predict(rule, X, y, cv=LeaveOneOut()) != y
np.testing.assert_allclose(found.estimate["loocv"], wrong.mean(), rtol=1e-12)
guessed = rule.fit(X, y).predict(X)
apparent = np.mean(guessed != y)
np.testing.assert_allclose(found.estimate["apparent"], apparent, rtol=1e-12)
out = found.estimate["leave_one_out"]  # of training replicates that do not hold the instance
gamma = np.mean(guessed[:, None] != y)  # every label against every prediction
capped = min(out, gamma)
relative = (capped - apparent) / (gamma - apparent) if capped > apparent else 0.0
weight = 0.632 / (1 - 0.368 * relative)
np.testing.assert_allclose(found.estimate["b632plus"], (1 - weight) * apparent + weight * capped, rtol=2e-3)

# --- both rules on replicates of our own: the instances that a replicate leaves out are judged by it ------------------------
generator, wrong_of, left_out = np.random.default_rng(9), [[], []], []
for _ in range(2 * draws):
    rows = generator.integers(0, 40, 40)
    if len(set(y[rows])) < 2: continue
    left_out.append(~np.isin(np.arange(40), rows))
    for mistakes, one in zip(wrong_of, (rule, other)): mistakes.append(one.fit(X[rows], y[rows]).predict(X) != y)
left_out, wrong_of = np.array(left_out), np.array(wrong_of)


def by_instance(times):
    "Leave-one-out bootstrap of each rule, and .632+, from replicates that count so many times."
    held = times[:, None] * left_out
    outside = ((held * wrong_of).sum(axis=1) / held.sum(axis=0)).mean(axis=1)
    plus = []
    for one, e in zip((rule, other), outside):
        labels = one.fit(X, y).predict(X)
        seen, no_information = np.mean(labels != y), np.mean(labels[:, None] != y)
        e = min(e, no_information)
        share = (e - seen) / (no_information - seen) if e > seen else 0.0
        heavy = 0.632 / (1 - 0.368 * share)
        plus.append((1 - heavy) * seen + heavy * e)
    return np.array([*outside, outside[1] - outside[0], *plus, plus[1] - plus[0]])


own = by_instance(np.ones(len(left_out)))
again = [by_instance(generator.multinomial(len(left_out), np.full(len(left_out), 1 / len(left_out)))) for _ in range(60)]
noise = np.std(again, axis=0) * np.sqrt(1 + 2)  # of our replicates, and of half as many in the package
table = both.to_frame().set_index("estimator")
columns = ["rule_1", "rule_2", "rule_2 - rule_1"]
theirs = np.r_[table.loc["leave-one-out bootstrap", columns], table.loc[".632+ bootstrap", columns]].astype(float)
assert (abs(own - theirs) < 4 * noise).all(), (own, theirs, noise)

# --- the truth is known here: what the two trained rules do to 20,000 fresh cases ---------------------------------------------
fresh = np.repeat([0, 1], 10_000)
cases = generator.normal(size=(20_000, 30))
cases[:, :3] += 1.1 * fresh[:, None]
first, second = (np.mean(one.fit(X, y).predict(cases) != fresh) for one in (rule, other))
bounds = table.loc[".632+ bootstrap", ["low", "high"]].astype(float)
print(f"true error rates: {first:.3f} and {second:.3f}; the intervals: {low:.3f} to {high:.3f}, difference {bounds['low']:.3f} to {bounds['high']:.3f}")
assert low < first < high and bounds["low"] < second - first < bounds["high"]
shift, error = table.loc[".632+ bootstrap", ["rule_2 - rule_1", "se"]].astype(float)
np.testing.assert_allclose(both.p_value(), 2 * norm.sf(abs(shift) / error), rtol=0.05)
