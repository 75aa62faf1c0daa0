"""Tiny worlds: probabilities, derived names and moments against other routes (the package's enumeration, NumPy, SciPy, closed forms)."""

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

pytest.importorskip("lark")

from costboot.core.enumeration import enumerate_law  # noqa: E402
from costboot.teaching.derivation_language import DerivationError, parse_expression  # noqa: E402
from costboot.teaching.tiny_worlds import (  # noqa: E402
    SETTINGS, Evaluator, Forms, Value, Work, as_fraction, as_value, compare_values, draw_worlds, find_setting, names_of, settings_table, spread_value, value_in,
)

F = Fraction


@pytest.mark.parametrize("setting", SETTINGS)
def test_probabilities_sum_to_one_and_sizes_vary(setting):
    worlds = draw_worlds(setting)
    for world in worlds:
        assert sum(world.chances) == world.total and min(world.chances) > 0
        assert len(world.draws) == len(world) == len(set(range(len(world))))
    assert len({tuple(sorted((k[0], v.top) for k, v in w.values.items() if not k[1] and not v.random)) for w in worlds}) > 2
    assert draw_worlds(setting) is worlds  # drawn once


@pytest.mark.parametrize("setting", ["stratified", "auc", "full"])
def test_degenerate_test_sets_are_no_judges(setting):
    for world in draw_worlds(setting):
        for rate in "pq": assert 0 < value_in(rate, world, setting) < 1
        assert 0 < value_in("w", world, setting) < 1


@pytest.mark.parametrize("setting", SETTINGS)
def test_conditions_hold_in_some_worlds_and_not_in_others(setting):
    names = names_of(setting)
    for text in find_setting(setting).conditions:
        node = parse_expression(f"1[{text}]", names)
        seen = {Evaluator(w, setting, Forms(), Work()).value(node, {}).top for w in draw_worlds(setting)}
        assert seen <= {0, 1} and 0 in seen, (setting, text)


def test_the_conditions_that_a_verdict_guesses_occur_often_enough():
    for text in "n_pos = n_neg", "w = 1/2":
        happens = [value_in(f"1[{text}]", w, "stratified") for w in draw_worlds("stratified")]
        assert 4 <= sum(happens) <= len(happens) - 4
    ties = [value_in("1[sum_{i=1}^{n_pos} sum_{j=1}^{n_neg} 1[x_i = y_j] = 0]", w, "auc") for w in draw_worlds("auc")]
    assert 4 <= sum(ties) <= len(ties) - 4


def labels_and_scores(world):
    return np.array([row["label"] == "+" for row in world.rows], dtype=int), np.array([row["score"] for row in world.rows], dtype=float)


@pytest.mark.parametrize("setting", ["stratified", "auc"])
def test_moments_are_those_of_the_enumerated_law(setting):
    for world in draw_worlds(setting)[:8]:
        w, t = (float(value_in(name, world, setting)) for name in "wt")
        def several(y, s):
            pos, neg = s[y == 1], s[y == 0]
            tp, fp = np.mean(pos >= t), np.mean(neg >= t)
            area = np.mean(pos[:, None] > neg) + np.mean(pos[:, None] == neg) / 2
            return tp, fp, w * (1 - tp) + (1 - w) * fp, area
        law = enumerate_law(several, *labels_and_scores(world))
        for k, name in enumerate(("TP", "FP", "C", "AUC")):
            assert float(value_in(f"E[{name}]", world, setting)) == pytest.approx(law.mean[k], abs=1e-13)
            assert float(value_in(f"V[{name}]", world, setting)) == pytest.approx(law.var[k], abs=1e-13)
            for v in (0.25, 0.5): assert float(value_in(f"P[{name} <= {v}]", world, setting)) == pytest.approx(law.cdf(v + 1e-12)[k], abs=1e-12)


def test_full_resampling_is_that_of_the_enumerated_law():
    for world in draw_worlds("full")[:5]:
        w, t, n = (float(value_in(name, world, "full")) for name in ("w", "t", "n"))
        y, s = labels_and_scores(world)
        fn, fp = w * n / y.sum(), (1 - w) * n / (n - y.sum())
        def several(y, s): return np.mean(fn * ((y == 1) & (s < t)) + fp * ((y == 0) & (s >= t))) / max(fn, fp), np.sum(y)
        law = enumerate_law(several, y, s, sampling="full")
        for k, name in enumerate(("C", "N_pos")):
            assert float(value_in(f"E[{name}]", world, "full")) == pytest.approx(law.mean[k], abs=1e-12)
            assert float(value_in(f"V[{name}]", world, "full")) == pytest.approx(law.var[k], abs=1e-12)


@pytest.mark.parametrize("setting", ["paired", "paired_full"])
def test_two_classifiers(setting):
    for world in draw_worlds(setting)[:8]:
        marks = Counter((row["label"], row["classifier 1"], row["classifier 2"]) for row in world.rows)
        for sign, name in ("+", "pos"), ("-", "neg"):
            for cell, pair in ("c12", "++"), ("c1", "+-"), ("c2", "-+"), ("c0", "--"):
                assert value_in(f"{cell}_{name}", world, setting) == marks[(sign, *pair)]
        lists = {name: value_in(name, world, setting) for name in ("dC", "C1", "C2")}
        assert lists["dC"] == [b - a for a, b in zip(lists["C1"], lists["C2"])]
        assert value_in("E[A_pos]", world, setting) == value_in("c1_pos", world, setting)


def test_order_statistics_by_sorting():
    for world in draw_worlds("threshold")[:6]:
        r, drawn = int(value_in("r", world, "threshold")), value_in("T", world, "threshold")
        scores = {row["instance"]: row["score"] for row in world.rows}
        for text, threshold in zip(world.draws, drawn):
            negatives = sorted((scores[x] for x in text.split("|")[1].split()), reverse=True)
            assert negatives[r - 1] == threshold
    for world in draw_worlds("budget")[:6]:
        k, marks = int(value_in("k", world, "budget")), [row["label"] for row in world.rows]
        for text, count in zip(world.draws, value_in("KP", world, "budget")):
            treated = sorted(map(int, text.split()))[:k]
            assert sum(marks[i - 1] == "+" for i in treated) == count


def test_two_thresholds_by_sorting():
    for world in draw_worlds("thresholds"):
        n, r = (int(value_in(x, world, "thresholds")) for x in "nr")
        other = [row["rank by model 2"] for row in world.rows]
        t1, t2 = value_in("T1", world, "thresholds"), value_in("T2", world, "thresholds")
        for text, a, b in zip(world.draws, t1, t2):
            drawn = list(map(int, text.split()))
            assert a == n + 1 - sorted(drawn)[r - 1] and b == n + 1 - sorted(other[i - 1] for i in drawn)[r - 1]


def test_draws_in_order():
    for world in draw_worlds("sample")[:4]:
        x = [row["x"] for row in world.rows]
        means = [F(sum(d), len(d)) for d in product(x, repeat=len(x))]
        assert value_in("E[Xbar]", world, "sample") == sum(means) / len(means)
        assert float(value_in("V[Xbar]", world, "sample")) == pytest.approx(float(np.var([float(m) for m in means])))
        assert float(value_in("v", world, "sample")) == pytest.approx(np.var(x)) and float(value_in("s2", world, "sample")) == pytest.approx(np.var(x, ddof=1))
    world = draw_worlds("population")[3]
    assert value_in("E[S2]", world, "population") == value_in("sigma2", world, "population")


def test_trials():
    for world in draw_worlds("binomial"):
        n, p = int(value_in("n", world, "binomial")), value_in("p", world, "binomial")
        for k in range(n + 1):
            assert float(value_in("P[K = k]", world, "binomial", k=k)) == pytest.approx(stats.binom.pmf(k, n, float(p)))
            assert float(value_in("B(k; n, p)", world, "binomial", k=k)) == pytest.approx(stats.binom.cdf(k, n, float(p)))
    for world in draw_worlds("trinomial"):
        n, a, b = (value_in(x, world, "trinomial") for x in ("n", "a", "b"))
        law = stats.multinomial(int(n), [float(a), float(b), float(1 - a - b)])
        assert float(value_in("P[A = 1, B = 1]", world, "trinomial")) == pytest.approx(law.pmf([1, 1, int(n) - 2]))


WORLD = draw_worlds("stratified")[3]


@pytest.mark.parametrize("text, expected", [
    ("1/0", None), ("0^(-1)", None), ("0^0", 1), ("sqrt(-1)", None), ("sqrt(9/4)", F(3, 2)), ("x_0", None), ("x_{1/2}", None), ("sum_{i=2}^{1} 1/0", 0), ("prod_{i=1}^{0} 5", 1), ("sum_{i=1}^{4} i^2", 30),
    ("prod_{i=1}^{4} i", 24), ("5!", 120), ("(-1)!", None), ("binom(4, 2) + binom(4, 5) + binom(4, -1)", 6), ("min(3, 1, 2)", 1), ("max(3, 1, 2)", 3), ("abs(-2)", 2), ("largest(2; 5, 1, 3)", 3), ("smallest(1; 5, 1)", 1),
    ("floor(-3/2) + ceil(3/2)", 0), ("2^(-2)", F(1, 4)), ("4^(1/2)", 2), ("sqrt(2)^2", 2), ("E[1/0]", None), ("P[TP > 2]", 0), ("E[C | TP > 2]", None), ("V[3]", 0), ("Cov[TP, 2]", 0), ("1[1 < 2 < 3] + 1[1 > 2 or 3 > 2] + 1[not 1 = 1]", 2),
    ("D[(2 + eps)^3, eps]", 12), ("D[1/(1 + eps), eps]", -1), ("D[E[(TP + eps)^2], eps] - 2 E[TP]", 0), ("D[V[TP + eps FP], eps]", 0), ("D[sqrt(4 + eps), eps]", F(1, 4)), ("D[D[(1 + u)^2 (2 + v)^3, u], v]", 24),
])
def test_values_with_an_answer_by_hand(text, expected): assert value_in(text, WORLD, "stratified") == expected


def test_definitions_of_moments():
    assert value_in("V[C] - E[C^2] + E[C]^2", WORLD, "stratified") == 0
    assert value_in("Cov[C, TP] - E[C TP] + E[C] E[TP]", WORLD, "stratified") == 0
    assert value_in("E[C] - E[C | TP <= 1/2] P[TP <= 1/2] - E[C | TP > 1/2] P[TP > 1/2]", WORLD, "stratified") == 0
    assert value_in("P[TP = 1 | FP = 0] - P[TP = 1]", WORLD, "stratified") == 0
    deviation = value_in("SD[TP]", WORLD, "stratified")
    assert abs(deviation**2 - value_in("V[TP]", WORLD, "stratified").numerator / Decimal(value_in("V[TP]", WORLD, "stratified").denominator)) < Decimal(10) ** -25


@pytest.mark.parametrize("text, words", [
    ("9^9^9", "exponent"), ("2^(1/3)", "whole number"), ("sum_{i=1}^{100} i", "terms"), ("sum_{i=1}^{K_pos} i", "random"), ("300!", "factorial"), ("((9^60)^60)^60", "binary digits"),
    ("D[max(eps, 1), eps]", "derivative"), ("sum_{i=1}^{60} sum_{j=1}^{60} sum_{k=1}^{60} i j k", "work"),
])
def test_bounds_of_work(text, words):
    with pytest.raises(DerivationError, match=words): value_in(text, WORLD, "stratified")


fractions = st.fractions(min_value=-3, max_value=3, max_denominator=9)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(fractions, fractions), min_size=1, max_size=6))
def test_arithmetic_on_lists_is_that_of_fractions(pairs):
    from costboot.teaching.tiny_worlds import _add, _divide, _multiply, _subtract
    a, b = ([row[k] for row in pairs] for k in (0, 1))
    x, y, count = as_value(a), as_value(b), len(pairs)
    assert spread_value(_add(x, y), count) == [u + v for u, v in pairs]
    assert spread_value(_subtract(x, y), count) == [u - v for u, v in pairs]
    assert spread_value(_multiply(x, y), count) == [u * v for u, v in pairs]
    assert spread_value(_divide(x, y), count) == [u / v if v else None for u, v in pairs]
    for sign, test in {"<": lambda u, v: u < v, "<=": lambda u, v: u <= v, "=": lambda u, v: u == v, "!=": lambda u, v: u != v}.items():
        happens, bad = compare_values(sign, x, y)
        assert happens.tolist() == [test(u, v) for u, v in pairs] and bad is False


def test_roots_have_sixty_digits_and_are_equal_when_they_should_be():
    with localcontext() as context:
        context.prec = 60
        forms = Forms()
        def value(text): return Evaluator(WORLD, "stratified", forms, Work()).value(parse_expression(text, names_of("stratified")), {})
        left, right = value("sqrt(2) sqrt(3)"), value("sqrt(6)")
        assert left.real and compare_values("=", left, right) == (True, False)
        assert compare_values("=", left, value("sqrt(6) + 1/10^30"))[0] is False
    assert as_fraction(Value(3, 4)) == F(3, 4) and as_fraction(Value(0, 1, True)) is None


def test_the_table_of_names():
    for setting in SETTINGS:
        rows = settings_table(setting)
        assert len({row.name for row in rows}) == len(rows) == len(find_setting(setting).symbols)
        assert all(row.meaning and row.latex for row in rows)
    kinds = {row.name: row.kind for row in settings_table("stratified")}
    assert kinds["w"] == kinds["x_i"] == kinds["auc"] == "constant" and kinds["TP"] == kinds["N_i"] == kinds["AUC"] == "random"
    with pytest.raises(ValueError, match="`setting` must be"): settings_table("nowhere")


def test_a_spelling_means_one_thing():
    for setting in SETTINGS:
        typed = [s for symbol in find_setting(setting).symbols for s in (symbol.name, *symbol.spellings)]
        assert [s for s, count in Counter(typed).items() if count > 1] == [], setting
        assert not {"E", "V", "P", "SD", "Cov"} & set(typed)


def test_multisets():
    from costboot.teaching.tiny_worlds import _multisets
    counts, ways, total = _multisets(3, 2)
    ordered = Counter(tuple(sorted(d)) for d in product(range(3), repeat=2))
    assert {tuple(i for i, c in enumerate(row) for _ in range(c)): w for row, w in zip(counts, ways)} == ordered and total == 9
    assert len(counts) == math.comb(4, 2)
