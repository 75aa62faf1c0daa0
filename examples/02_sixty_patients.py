"""Sixty patients and two markers with ties: sensitivity at a specificity of .9, areas and their difference, beside pROC's answers.

    python examples/02_sixty_patients.py
"""

import numpy as np

import costboot as cb

sick = np.repeat([1, 0], [24, 36])
marker = {
    "a": np.array([int(v) for v in """4 6 8 4 4 9 9 10 6 8 8 7 8 7 10 8 6 8 8 3 7 7 7 4
        1 7 7 7 3 2 4 5 6 5 5 4 3 6 1 7 3 0 5 5 6 6 3 6 3 5 1 3 4 2 6 9 3 3 1 4""".split()]),
    "b": np.array([int(v) for v in """3 5 4 3 3 9 4 8 5 5 4 7 5 8 10 3 5 5 3 1 6 8 6 6
        4 8 4 3 5 0 1 4 6 4 5 3 7 4 2 5 7 4 6 3 6 9 4 2 5 5 3 5 2 5 6 9 1 3 4 5""".split()]),
}

# R 4.2.2, pROC 1.18.0: ra <- roc(sick, a, direction = "<"); rb <- roc(sick, b, direction = "<")
# auc(ra); var(ra, method = "delong"); cov(ra, rb, method = "delong"); roc.test(ra, rb, method = "delong", paired = TRUE)
# coords(ra, x = 0.9, input = "specificity", ret = "sensitivity")
PROC = dict(
    auc=dict(a=0.828703703703704, b=0.599537037037037), var=dict(a=0.00294338461923506, b=0.00558334584728506), cov=0.00189709012015524,
    z=3.331223962742771, p=0.000864650065444991, sensitivity=dict(a=0.59375, b=0.220833333333333),
)

area = {name: cb.exact_auc(sick, s) for name, s in marker.items()}
sensitivity = {name: cb.exact_tpr(sick, s, fpr=0.1) for name, s in marker.items()}
for name in marker:
    law, at = area[name], sensitivity[name]
    print(f"marker {name}: AUC {law.mean:.3f} ({law.interval(0.9).low:.3f} to {law.interval(0.9).high:.3f}); sensitivity at specificity .9:"
          f" {at.mean:.3f} ({at.interval(0.9).low:.3f} to {at.interval(0.9).high:.3f})")
areas = cb.exact_auc_difference(sick, marker["a"], marker["b"])
rates = cb.exact_tpr_difference(sick, marker["a"], marker["b"], fpr=0.1)
for what, law in (("AUC", areas), ("sensitivity at specificity .9", rates)):
    low, high = law.interval(0.9)
    print(f"{what}, b minus a: {law.mean:.3f} ({low:.3f} to {high:.3f}), p = {law.p_value():.2g}")
print(f"DeLong's test by pROC: p = {PROC['p']:.2g}")

# --- beside pROC -----------------------------------------------------------------------------------------------------------
for name, s in marker.items():
    np.testing.assert_allclose(area[name].mean, PROC["auc"][name], rtol=1e-12)
    np.testing.assert_allclose(area[name].var, PROC["var"][name], rtol=0.06)  # DeLong divides by n - 1, resamples do not
    curve = cb.roc_curve_points(sick, s)
    np.testing.assert_allclose(np.interp(0.1, curve.fpr, curve.tpr), PROC["sensitivity"][name], rtol=1e-12)
np.testing.assert_allclose(areas.mean, PROC["auc"]["b"] - PROC["auc"]["a"], rtol=1e-12)
np.testing.assert_allclose(areas.mean / areas.std, -PROC["z"], rtol=0.04)
assert PROC["p"] / 4 < areas.p_value() < PROC["p"] * 4

# --- and without the laws: 4,000 stratified resamples -------------------------------------------------------------------------
rng, found = np.random.default_rng(1), {"auc": [], "tpr": []}
for _ in range(4000):
    rows = np.r_[rng.integers(0, 24, 24), 24 + rng.integers(0, 36, 36)]
    pair = {"auc": [], "tpr": []}
    for s in marker.values():
        pos, neg = s[rows[:24]], s[rows[24:]]
        pair["auc"].append(np.mean((pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)))
        cuts = np.r_[np.inf, np.unique(np.r_[pos, neg])[::-1]]
        pair["tpr"].append(np.interp(0.1, *[(side[:, None] >= cuts).mean(axis=0) for side in (neg, pos)]))
    for key, values in pair.items(): found[key].append(values)
for key, laws, law in (("auc", area, areas), ("tpr", sensitivity, rates)):
    drawn = np.array(found[key])
    for k, name in enumerate(marker):
        assert abs(drawn[:, k].mean() - laws[name].mean) < 4 * drawn[:, k].std() / np.sqrt(4000), (key, name)
        np.testing.assert_allclose(drawn[:, k].std(), laws[name].std, rtol=0.06)
    np.testing.assert_allclose((drawn[:, 1] - drawn[:, 0]).std(), law.std, rtol=0.06)
