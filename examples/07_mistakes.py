"""What a notebook user gets wrong, and the sentence that answers. None of these may pass, or answer with something else.

    python examples/07_mistakes.py
"""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import costboot as cb

rng = np.random.default_rng(7)
y = np.repeat([1, 0], 30)
X = rng.normal(size=(60, 2)) + y[:, None]
model = LogisticRegression().fit(X, y)
s = model.predict_proba(X)[:, 1]
text = np.where(y == 1, "sick", "healthy")
turned = pd.Series(s).sample(frac=1, random_state=0)
MISTAKES = [
    (lambda: cb.exact_auc(y, model.predict_proba(X)), "of the probabilities of two classes take those of the positive one"),
    (lambda: cb.exact_auc(text, s), "`pos_label` must say which label is the positive one"),
    (lambda: cb.exact_auc(y, np.where(s > 0.99, np.nan, s) * np.where(np.arange(60) == 3, np.nan, 1)), "`y_score` must"),
    (lambda: cb.exact_auc(pd.Series(y), turned), "the same index labels in another order"),
    (lambda: cb.exact_auc(y[10:], s), "as many entries as `y_true`"),
    (lambda: cb.exact_cost(y, s, 0.5, 0.5).interval(95), "did you mean 0.95?"),
    (lambda: cb.exact_cost(y, s, 1.5, 0.5), "`w` must"),
    (lambda: cb.exact_cost(y, s, 0.5), "threshold"),
    (lambda: cb.exact_cost(y, s, 0.5, 0.5).interval(0.9, "wilson"), "must be one of"),
    (lambda: cb.calibrated_thresholds(0.5) and cb.compare(y, {"m": 10 * s}, "calibrated"), "needs probabilities in [0, 1]"),
    (lambda: cb.RocBandDisplay.from_predictions(y, s, sample_weight=np.ones(60)), "The laws count rows"),
    (lambda: cb.report({"y": y, "m": s}, label="y", score="model"), "has no column 'model'; it has 'y', 'm'"),
    (lambda: cb.report({"y": y, "m": s}, label="y", score="m", sample_weight="weight"), "The laws count rows"),
    (lambda: cb.plan_size("tpr", tpr=0.9), "Exactly one of `width` and `power`"),
    (lambda: cb.exact_expense(y, s, 0.5, prevalence=5, cost_fn=1, cost_fp=1), "`prevalence` must"),
    (lambda: cb.CostBandDisplay.from_estimator(LogisticRegression(), X, y), "not fitted"),
]
for mistake, words in MISTAKES:
    try: answer = mistake()
    except (ValueError, TypeError) as error: answer = str(error)
    assert isinstance(answer, str) and words in answer, (words, answer)
    print("-", " ".join(answer.split())[:110])

# --- and what is right is not refused: the answers agree with scikit-learn and with counting ----------------------------------
from sklearn.metrics import roc_auc_score  # noqa: E402

np.testing.assert_allclose(cb.exact_auc(text, s, pos_label="sick").mean, roc_auc_score(y, s), rtol=1e-12)
np.testing.assert_allclose(cb.exact_auc(y, s[:, None]).mean, roc_auc_score(y, s), rtol=1e-12)
np.testing.assert_allclose(cb.exact_cost(y, s, 0.5, 0.5).mean, 0.5 * (np.mean(s[:30] < 0.5) + np.mean(s[30:] >= 0.5)), rtol=1e-12)
