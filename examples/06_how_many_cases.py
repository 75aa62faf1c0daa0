"""How many test cases are needed: for an interval that is narrow enough, and to find a difference.

    python examples/06_how_many_cases.py
"""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

import costboot as cb

wide = cb.plan_size("tpr", tpr=0.85, width=0.1)
print(wide.sentence)
strong = cb.plan_size("tpr", tpr=0.85, null=0.75, power=0.8)
print(strong.sentence)
price = dict(tpr=(0.80, 0.88), fpr=(0.10, 0.10), disagreement=(0.14, 0.08), w=0.5)
cheaper = cb.plan_size("cost_difference", power=0.8, share_pos=0.5, **price)
print(cheaper.sentence)


# --- from the binomial distribution alone, and by simulation ---------------------------------------------------------------
def mid_p(count, n, tail=0.05):
    "Mid-P limits of a proportion."
    def above(p): return binom.sf(count, n, p) + binom.pmf(count, n, p) / 2 - tail
    def below(p): return binom.cdf(count - 1, n, p) + binom.pmf(count, n, p) / 2 - tail
    return brentq(above, 1e-12, 1 - 1e-12) if count else 0.0, brentq(below, 1e-12, 1 - 1e-12) if count < n else 1.0


def width(n):
    "Expected width of the interval of a rate of .85."
    counts = [k for k in range(n + 1) if binom.pmf(k, n, 0.85) > 1e-9]
    return sum(binom.pmf(k, n, 0.85) * np.diff(mid_p(k, n))[0] for k in counts)


assert width(wide.n_pos) <= 0.1 < width(wide.n_pos - 1)
np.testing.assert_allclose(wide.achieved, width(wide.n_pos), rtol=1e-5)
n = strong.n_pos
k = np.arange(n + 1)
excluded = binom.sf(k, n, 0.75) + binom.pmf(k, n, 0.75) / 2 < 0.05
np.testing.assert_allclose(strong.achieved, binom.pmf(k[excluded], n, 0.85).sum(), rtol=1e-9)
assert strong.achieved >= 0.8

rng, trials = np.random.default_rng(2), 300
y = np.repeat([1, 0], [cheaper.n_pos, cheaper.n_neg])


def decisions(both, only_1, only_2, n):
    "Decisions of two models on n cases of a class."
    kind = rng.choice(4, n, p=[both, only_1, only_2, 1 - both - only_1 - only_2])
    return np.isin(kind, (0, 1)), np.isin(kind, (0, 2))


hits = 0
for _ in range(trials):
    pos = decisions(0.77, 0.03, 0.11, cheaper.n_pos)  # TPR .80 and .88, 14 % disagreement
    neg = decisions(0.06, 0.04, 0.04, cheaper.n_neg)  # FPR .10 twice, 8 % disagreement
    one, two = (np.r_[a, b].astype(float) for a, b in zip(pos, neg))
    hits += cb.exact_cost_difference(y, one, two, 0.5, 0.5, 0.5).interval(0.9).high < 0
print(f"found in {hits} of {trials} simulated test sets")
assert abs(hits / trials - cheaper.achieved) < 4 * np.sqrt(0.16 / trials)
