"""Verdicts on derivations: true steps hold, false ones are found at their line, with a counterexample that can be computed again."""

import random
import re
import subprocess
import sys
import time
from fractions import Fraction
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("lark")

from costboot.teaching.derivation_checks import check_derivation  # noqa: E402
from costboot.teaching.derivation_language import DerivationError  # noqa: E402
from costboot.teaching.tiny_worlds import SETTINGS, draw_worlds, value_in  # noqa: E402

RIGHT = {  # setting -> derivations of which every step is true
    "stratified": [
        "C = w (1 - TP) + (1-w) FP\nV[C] = w^2 V[TP] + (1-w)^2 V[FP]\n = w^2 p(1-p)/n+ + (1-w)^2 q(1-q)/n-",
        "E[C] = w E[1 - TP] + (1-w) E[FP] = w fnr + (1-w) fpr", "Cov[N_i, N_l] = 1[i = l] - 1/n+", "V[N_i] = 1 - 1/n+",
        "TP = K_pos/n+ = sum_i N_i a_i/n+", "P[K_pos = k] = b(k; n+, p) = binom(n+, k) p^k (1-p)^(n+ - k)", "E[AUC] = auc", "w fnr + (1-w) q <= 1", "0 <= V[C] <= 1/4", "SD[C] = sqrt(V[C])", "E[TP^2] >= E[TP]^2",
    ],
    "full": ["C = sum_i N_i e_i/(n c_max)", "E[C] = sum_i e_i/(n c_max)", "V[N_i] = 1 - 1/n", "V[K_fn] = E[V[K_fn]]", "E[TP | N_pos >= 1] = p", "Cov[N_pos, N_neg] = -n+ n-/n"],
    "paired": ["dC = C2 - C1", "V[dC] = V[C1] + V[C2] - 2 Cov[C1, C2]", "Cov[TP1, TP2] = (p12 - p1 p2)/n+", "E[dTP] = p2 - p1 = (c2+ - c1+)/n+", "\\Delta C = w (FN2 - FN1) + (1-w) (FP2 - FP1)"],
    "paired_full": ["dC = C2 - C1", "E[dC] = sum_i d_i/(n c_max)", "V[dC] = (sum_i d_i^2 - (sum_i d_i)^2/n)/(n c_max)^2"],
    "threshold": ["P[T >= s_k] = P[M_k >= r] = 1 - B(r-1; m, k/n-)", "E[TP] = E[p_R] = sum_{k=1}^{n-} P[T = s_k] p_k"],
    "thresholds": ["P[T1 >= s1_k, T2 >= s2_j] = P[A_{k,j} + min(B_{k,j}, C_{k,j}) >= r]", "P[T1 >= s1_k] = P[R1 <= k] = P[M1_k >= r]"],
    "budget": ["P[T >= s_i] = P[M_i >= k]", "KP = sum_{i=1}^{n} y_i min(N_i, max(0, k - M_i + N_i))"],
    "sample": ["V[Xbar] = v/n = (n-1) s2/n^2", "E[Vhat] = (n-1)/n v", "Xbar = sum_i N_i x_i/n", "(n-1)/n sum_i (jack_i - jackbar)^2 = s2/n", "P[N_i = 0] = (1 - 1/n)^n"],
    "population": ["E[Vhat] = (n-1)/n sigma^2", "V[Xbar] = sigma2/n", "E[S2] = sigma2", "Cov[X_i, X_j] = sigma2 1[i = j]"],
    "binomial": ["V[K] = n p (1-p)", "E[Phat] = p", "P[K = k] = b(k; n, p)"],
    "trinomial": ["Cov[A, B] = -n a b", "V[S] = n (a + b - (a - b)^2)", "P[A = k, B = j] = n!/(k! j! (n-k-j)!) a^k b^j c^(n-k-j)"],
    "rule": ["E[L_i | N_i = 0] = E[I_i L_i]/(1 - 1/n)^n", "E[L_i] = E[L_i | N_i = 0] P[N_i = 0] + E[L_i | N_i > 0] P[N_i > 0]"],
    "folds": ["sd2 = sa2 + sb2 - 2 sab", "t_stat = dbar sqrt(n)/sqrt(sa2 + sb2 - 2 sab)", "t_stat^2 = n dbar^2/sd2"],
    "mover": ["th2 - th1 - sqrt((th2 - l2)^2 + (u1 - th1)^2) <= th2 - th1", "sqrt((z (th1 - l1))^2) = z (th1 - l1)"],
    "auc": ["AUC = sum_i sum_j N_i M_j psi_{i,j}/(n+ n-)", "psi_{i,j} = 1[x_i > y_j] + 1/2 1[x_i = y_j]"],
}


@pytest.mark.parametrize("setting, text", [(s, t) for s, texts in RIGHT.items() for t in texts])
def test_true_steps_hold(setting, text):
    verdict = check_derivation(text, sampling=setting)
    assert verdict and verdict.first_false is None and verdict.counterexample is None, verdict.message
    assert verdict.evidence and all(step.holds and step.latex and not step.reason.startswith("neither") for step in verdict.steps)


def test_every_setting_is_tried(): assert set(RIGHT) == set(SETTINGS)


WRONG = [  # setting, text, number of the false step, words of the diagnosis
    ("stratified", "V[C] = w^2 p(1-p) + (1-w)^2 q(1-q)/n-", 0, "the first term lacks the factor 1/n+"),
    ("stratified", "V[C] = w^2 V[TP] + (1-w)^2 V[FP]\n= w^2 p(1-p) + (1-w)^2 q(1-q)", 1, "the first term lacks the factor 1/n+, the second term lacks the factor 1/n-"),
    ("stratified", "V[C] = w V[TP] + (1-w) V[FP]", 0, "the first term lacks the factor w, the second term lacks the factor (1 - w)"),
    ("stratified", "V[C] = w^2 V[TP] - (1-w)^2 V[FP]", 0, "the second term has the wrong sign"),
    ("stratified", "V[TP] = 2 p(1-p)/n+", 0, "lacks the factor 1/2"),
    ("stratified", "V[TP] = p(1-p)/n+ + w", 0, "the second term should not be there"),
    ("stratified", "V[C] = w^2 p(1-p)/n- + (1-w)^2 q(1-q)/n+", 0, "the classes are swapped"),
    ("stratified", "E[C] = w p + (1-w) q", 0, "in place of p in the first term"),
    ("stratified", "E[C] = (1-w)(1-p) + w q", 0, "w and 1 - w exchanged"),
    ("stratified", "V[TP] = p(1-p)/(n+ - 1)", 0, "n+ in place of n+ - 1"),
    ("stratified", "V[TP] = p(1-p)/n-", 0, "it is true only when n+ = n-"),
    ("stratified", "V[C] = V[TP] w (1-w) + (1-w)^2 V[FP]", 0, "it is true only when w = 1/2"),
    ("stratified", "TP = p", 0, "means only"),
    ("stratified", "P[TP > 1/2] = P[TP >= 1/2]", 0, "> in place of >="),
    ("stratified", "E[K_pos] = sum_{i=2}^{n+} a_i", 0, "starts one earlier"),
    ("stratified", "E[TP FP C] = E[TP] E[FP] E[C]", 0, "independence was assumed"),
    ("stratified", "E[TP^2] = E[TP]^2", 0, "the mean of the square"),
    ("auc", "AUC = sum_i sum_j N_i M_j 1[x_i > y_j]/(n+ n-)", 0, "no ties"),
    ("full", "V[K_pos] = n+ p (1-p)", 0, ""),
    ("full", "V[C] = w^2 p(1-p)/n+ + (1-w)^2 q(1-q)/n-", 0, "another kind of resampling"),
    ("paired", "V[dC] = V[C1] + V[C2]", 0, "covariance"),
    ("paired", "V[dC] = w^2 (V[A+] + V[B+])/n+^2 + (1-w)^2 (V[A-] + V[B-])/n-^2", 0, "covariance"),
    ("paired", "E[dC] = w (p2 - p1) + (1-w)(q2 - q1)", 0, "sign"),
    ("paired_full", "V[dC] = (c_fn^2 V[A+ - B+] + c_fp^2 V[B- - A-])/(n c_max)^2", 0, "covariance"),
    ("threshold", "P[T >= s_k] = 1 - B(r; m, k/n-)", 0, "r - 1 in place of r"),
    ("sample", "E[Vhat] = v", 0, "(n - 1)"),
    ("sample", "V[Xbar] = v", 0, "lacks the factor 1/n"),
    ("sample", "V[Xbar] = s2/n", 0, "v in place of s2"),
    ("sample", "D[(1-eps) xbar + eps x_i, eps] = x_i", 0, "the term -xbar is missing"),
    ("population", "E[Vhat] = sigma2", 0, ""),
    ("trinomial", "Cov[A, B] = n a b", 0, "wrong sign"),
    ("binomial", "P[K = k] = p^k (1-p)^(n-k)", 0, "binom(n, k)"),
    ("binomial", "P[K = k] = binom(n, k) (1-p)^k p^(n-k)", 0, "p and 1 - p exchanged"),
    ("folds", "sd2 = sa2 + sb2 - sab", 0, ""),
    ("rule", "E[L_i | N_i = 0] = E[I_i L_i]", 0, "lacks the factor 1/P[N_"),
    ("stratified", "V[C] <= 1/100", 0, ""),
]


@pytest.mark.parametrize("setting, text, step, words", WRONG)
def test_false_steps_are_found_and_diagnosed(setting, text, step, words):
    verdict = check_derivation(text, sampling=setting)
    assert not verdict and verdict.first_false == step
    assert words in verdict.diagnosis, verdict.message
    assert verdict.steps[step].text in verdict.message and f"Step {step + 1}" in verdict.message
    assert verdict.counterexample is not None and verdict.counterexample.left != verdict.counterexample.right


def test_the_counterexample_can_be_computed_again():
    example = check_derivation("V[C] = w^2 p(1-p) + (1-w)^2 q(1-q)").counterexample
    rows = example.resamples
    assert sum(row["probability"] for row in rows) == 1 and len(rows) == 9
    mean = sum(row["probability"] * row["C"] for row in rows)
    assert sum(row["probability"] * (row["C"] - mean) ** 2 for row in rows) == example.left
    w, p, q = (example.constants[name] for name in "wpq")
    assert w**2 * p * (1 - p) + (1 - w) ** 2 * q * (1 - q) == example.right
    positives = [row["score"] >= 4 for row in example.test_set if row["label"] == "+"]
    assert Fraction(sum(positives), len(positives)) == p
    for row in rows:  # each resample by hand
        first, second = (part.split() for part in row["resample"].split("|"))
        score = {r["instance"]: r["score"] for r in example.test_set}
        cost = w * Fraction(sum(score[x] < 4 for x in first), 2) + (1 - w) * Fraction(sum(score[x] >= 4 for x in second), 2)
        assert cost == row["C"]


def test_the_counterexample_of_random_sides_names_a_resample():
    example = check_derivation("TP = p").counterexample
    row = next(r for r in example.resamples if r["resample"] == example.where)
    assert (row["left side"], row["right side"]) == (example.left, example.right) and example.left != example.right


def test_the_counterexample_names_free_indices():
    example = check_derivation("P[T >= s_k] = k/n-", sampling="threshold").counterexample
    assert set(example.indices) == {"k"} and "k = " in repr(example)


def test_conditions_are_no_accident():
    "A step that is true just where the classes are of the same size is told so; one that is true in other worlds is not."
    assert "only when" not in check_derivation("V[TP] = p(1-p)").diagnosis
    verdict = check_derivation("n = 2 n+")
    assert "n+ = n-" in verdict.diagnosis


@pytest.mark.parametrize("text, words", [
    ("1/(w - w) = 1", "no value"), ("1/(w - w) = 1/(p - p)", "neither side"), ("E[1/TP] = 1", "no value"),
])
def test_sides_without_a_value(text, words):
    verdict = check_derivation(text)
    assert not verdict and words in verdict.steps[0].reason.lower()


def test_holes_are_forgiven_and_told():
    verdict = check_derivation("binom(n, k) = n/k binom(n-1, k-1)", sampling="binomial")
    assert verdict and verdict.steps[0].reason == "one side has no value for k = 0"
    assert check_derivation("(w^2 - p^2)/(w - p) = w + p")


def test_evidence_says_what_it_rests_on():
    assert check_derivation("E[TP] = p").evidence.startswith("listed every resample (9 to 350) of 24 test sets")
    identity = check_derivation("(w + p)^2 = w^2 + 2 w p + p^2").evidence
    assert "SymPy normal form" in identity and re.search(r"Schwartz-Zippel: wrong with probability below \de-3\d", identity)
    assert "60 digits" in check_derivation("sqrt(w) sqrt(p) = sqrt(w p)").evidence
    assert "SymPy" not in check_derivation("E[TP] = p").evidence
    assert "computed in" in check_derivation("sd2 = sa2 + sb2 - 2 sab", sampling="folds").evidence


def test_without_sympy_points_decide(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)
    monkeypatch.setitem(sys.modules, "sympy.polys.fields", None)
    evidence = check_derivation("w (p + q) = w p + w q").evidence
    assert "SymPy" not in evidence and "Schwartz-Zippel" in evidence


def rational(draw, depth):
    "A random rational function of constants, as text."
    if depth == 0: return draw(st.sampled_from(["w", "p", "q", "n+", "n", "2", "1", "c_fn", "fnr"]))
    a, b = rational(draw, depth - 1), rational(draw, depth - 1)
    return draw(st.sampled_from([f"({a} + {b})", f"({a} - {b})", f"({a})*({b})", f"({a})/({b})", f"({a})^2"]))


@st.composite
def pairs(draw): return rational(draw, draw(st.integers(1, 3))), rational(draw, draw(st.integers(1, 3)))


@settings(max_examples=60, deadline=None)
@given(pairs())
def test_worlds_and_normal_forms_agree(pair):
    "Where they do not, check_derivation raises: that would be a mistake of ours."
    a, b = pair
    check_derivation(f"{a} = {b}")
    same = check_derivation(f"{a} = ({a}) + ({b}) - ({b})")
    assert same or any("no value" in step.reason or "neither" in step.reason for step in same.steps)


STRATIFIED = SimpleNamespace(setting="stratified", start="V[C]", goal="w^2 p(1-p)/n+ + (1-w)^2 q(1-q)/n-")


@pytest.mark.parametrize("text, reached", [
    ("V[C] = w^2 p(1-p)/n+ + (1-w)^2 q(1-q)/n-", True),
    ("Var[C] = w^2 fnr(1-fnr)/n+ + (1-w)^2 q(1-q)/n-", True),
    ("E[C] = w fnr + (1-w) q\nV[C] = w^2 V[TP] + (1-w)^2 V[FP] = w^2 p(1-p)/n_pos + (1-w)^2 q(1-q)/n_neg", True),
    ("let s = p(1-p)\nV[C] = w^2 s/n+ + (1-w)^2 q(1-q)/n-", True),
    ("V[C] = V[C]", False), ("V[C] = w^2 V[TP] + (1-w)^2 V[FP]", False), ("let S = V[C]\nV[C] = S", False), ("let S = V[C]\nlet R = S\nV[C] = 2 R - S", False),
    ("w^2 V[TP] + (1-w)^2 V[FP] = w^2 p(1-p)/n+ + (1-w)^2 q(1-q)/n-", False), ("V[C] <= 1/4", False), ("V[C]", False), ("E[C] = w fnr + (1-w) q", False),
    ("V[C] = sum_{i=1}^{1} (w^2 p(1-p)/n+ + (1-w)^2 q(1-q)/n-)", False),
])
def test_goals(text, reached):
    verdict = check_derivation(text, STRATIFIED)
    assert verdict.first_false is None and verdict.reached is reached and bool(verdict) is reached
    assert ("goal is reached" in verdict.message) is reached


def test_goals_with_options():
    problem = SimpleNamespace(setting="sample", start="V[Xbar]", goal="u/n", given="let u = v", forbidden="v s2", relation="=")
    assert check_derivation("V[Xbar] = u/n", problem) and not check_derivation("V[Xbar] = v/n", problem)
    problem = SimpleNamespace(setting="rule", start="E[L_1 | N_1 = 0]", goal="E[L_1 1[N_1 = 0]]/(1-1/n)^n", forbidden="|", required="n")
    assert check_derivation("E[L_1 | N_1 = 0] = E[L_1 I_1]/(1-1/n)^n", SimpleNamespace(**vars(problem), allowed="I"))
    assert "should use" in check_derivation("E[L_1 | N_1 = 0] = E[L_1 1[N_1 = 0]]/P[N_1 = 0]", SimpleNamespace(**vars(problem), allowed="P")).message
    problem = SimpleNamespace(setting="stratified", start="V[TP]", goal="1/(4 n+)", relation="<=")
    assert check_derivation("V[TP] = p(1-p)/n+ <= 1/(4 n+)", problem) and not check_derivation("V[TP] <= 1/4", problem)
    assert not check_derivation("V[TP] >= 0", problem)


def test_what_is_defined_is_told():
    verdict = check_derivation("Y = (TP + 1 - FP)/2\nE[Y] = (p + 1 - q)/2")
    assert verdict and len(verdict.definitions) == 1 and "taken as its definition" in verdict.message
    assert not check_derivation("let w = 1/2")  # a known name is not redefined: the line is a step
    assert not check_derivation("let u = 1\nu = 2")


def test_lines_are_those_of_the_text():
    verdict = check_derivation("\n# start\nV[C]\n\n  = w^2 V[TP] + (1-w)^2 V[FP]\n  = w^2 V[TP]\n")
    assert [step.line for step in verdict.steps] == [5, 6] and "(line 6)" in verdict.message


def test_no_step_no_verdict():
    verdict = check_derivation("V[C]")
    assert verdict.steps == () and "no step" in verdict.message and not verdict


@pytest.mark.parametrize("options, words", [(dict(sampling="odd"), "`sampling` must be"), (dict(problem="no-such-problem"), "no-such-problem")])
def test_bad_arguments(options, words):
    with pytest.raises(ValueError, match=words): check_derivation("w = w", **options)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.open = set(), []
    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.open.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
    def handle_endtag(self, tag): assert self.open.pop() == tag


@pytest.mark.parametrize("text", ["TP <= p", "V[C] = w^2 V[TP]", "P[TP < 1] = 1[w < p]", "Y = TP  # <script>alert(1)</script>\nY = p", "w <= 2 w"])
def test_html_is_closed_and_escaped(text):
    html = check_derivation(text)._repr_html_()
    tags = Tags()
    tags.feed(html)
    assert tags.open == [] and tags.seen <= {"table", "thead", "tbody", "tr", "td", "th", "p", "b", "small", "details", "summary"}
    assert "script" not in html


HOSTILE = [
    "w = 9^9^9^9", "w = (((9^64)^64)^64)^64", "w = " + "(" * 400 + "w" + ")" * 400, "w = " + "+".join(["w"] * 400), "w = sum_{i=1}^{60} sum_{j=1}^{60} sum_{k=1}^{60} i j k",
    "w = sum_{i=1}^{60} sum_{j=1}^{60} E[TP^i FP^j]", "w = ((20!)!)!", "w = binom(10^20, 10^10)", "w = " + "sqrt(" * 100 + "w" + ")" * 100, "x_i y_j N_l k = 1", "w = " + "E[" * 110 + "TP" + "]" * 110,
    "let f(x) = x x x x\nlet g(x) = f(f(x))\nlet h(x) = g(g(x))\nh(TP) = 1", "w = 1/TP + 1/(TP - 1/3) + 1/(FP - 1/7) + 1/(C - 1/11)", "w = (TP + FP + C + AUC + 1/97)^64 (TP/89 + FP/83)^64",
    "w = prod_{i=1}^{60} prod_{j=1}^{60} (TP + i j w)", "\n".join(f"E[(TP + FP + C)^{i}] = 1" for i in range(1, 60)), "w = x_{10^25}", "w = D[D[(w + u)^9/(1 + v u)^9, u]^5, v]", "\n".join(["let a0 = TP"] + [f"let a{i} = a{i - 1} a{i - 1}" for i in range(1, 13)] + ["a12 = 1"]),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda t: t[:30])
def test_hostile_texts_are_answered_soon(text):
    "Seconds of the processor, with much room for a busy machine; the bound itself counts operations."
    start = time.process_time()
    try: assert check_derivation(text).message
    except DerivationError as error: assert str(error)
    assert time.process_time() - start < 10


def test_work_is_bounded_by_a_count():
    from costboot.teaching.tiny_worlds import Work
    work = Work(10)
    work.spend(10)
    with pytest.raises(DerivationError, match="too much work"): work.spend(1)


def grown(rng, depth):
    "A random expression with moments, sums and events."
    if depth <= 0: return rng.choice(["w", "p", "q", "n+", "n-", "1", "2", "TP", "FP", "C", "x_1", "N_2", "K+", "fnr", "auc", "AUC"])
    a, b = grown(rng, depth - 1), grown(rng, depth - 1)
    return rng.choice([f"({a} + {b})", f"({a} - {b})", f"({a})({b})", f"({a})/({b})", f"({a})^2", f"E[{a}]", f"V[{a}]", f"Cov[{a}, {b}]", f"P[{a} >= {b}]", f"E[{a} | {b} <= {a}]",
                       f"sum_{{i=1}}^{{n+}} N_i ({a})", f"1[{a} < {b}]", f"max({a}, {b})", f"sqrt({a})", f"SD[{a}]", f"\\frac{{{a}}}{{{b}}}"])


@pytest.mark.parametrize("seed", range(15))
def test_grown_texts_are_answered(seed):
    rng = random.Random(seed)
    for _ in range(4):
        a, b = grown(rng, rng.randint(1, 3)), grown(rng, rng.randint(1, 3))
        for text in f"{a} = {b}", f"{a} = {a}":
            try: verdict = check_derivation(text)
            except DerivationError: continue
            assert isinstance(bool(verdict), bool) and verdict._repr_html_()
            if text == f"{a} = {a}": assert verdict or "value" in verdict.message


def test_verdicts_agree_with_values():
    "A step holds exactly if both sides have the same value in every world."
    for left, right in ("V[TP]", "p(1-p)/n+"), ("E[TP^2]", "p^2"), ("P[TP = 1]", "p^n+"), ("Cov[C, TP]", "w V[TP]"):
        same = all(value_in(left, w, "stratified") == value_in(right, w, "stratified") for w in draw_worlds("stratified"))
        assert bool(check_derivation(f"{left} = {right}")) is same


def test_importing_the_room_loads_neither_lark_nor_sympy():
    code = "import sys, costboot.teaching as t; t.check_derivation; import costboot.teaching.derivation_checks; print([m for m in ('lark', 'sympy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_without_lark_the_message_says_what_to_install():
    code = "import sys; sys.modules['lark'] = None\nfrom costboot.teaching import check_derivation\ntry: check_derivation('w = w')\nexcept ImportError as error: print(error)"
    assert "costboot[teach]" in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
