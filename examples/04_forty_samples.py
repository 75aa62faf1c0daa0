"""Forty samples, thirty features: the .632+ estimate of a pipeline with an interval, and two rules compared.

    python examples/04_forty_samples.py
"""

import os

import numpy as np
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
replicates, generator = [], np.random.default_rng(9)  # the same estimate from replicates of our own, for its noise
for _ in range(30):
    rows = generator.integers(0, 40, 40)
    if len(set(y[rows])) < 2: continue
    left = np.setdiff1d(np.arange(40), rows)
    replicates.append(np.mean(rule.fit(X[rows], y[rows]).predict(X[left]) != y[left]))
noise = np.std(replicates) / np.sqrt(len(replicates)) + np.std(replicates) / np.sqrt(draws)
assert abs(np.mean(replicates) - out) < 4 * noise, (np.mean(replicates), out, noise)
assert low < found.estimate["b632plus"] < high
