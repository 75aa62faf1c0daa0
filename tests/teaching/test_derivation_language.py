"""The language of derivations: what is understood, what is refused and where, and that nothing breaks the reader."""

import string
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("lark")

from costboot.teaching.derivation_language import (  # noqa: E402
    MAX_LINES, MAX_TEXT, DerivationError, Names, make_node, parse_expression, read_derivation, split_statements, substitute, to_latex,
)
from costboot.teaching.tiny_worlds import SETTINGS, names_of  # noqa: E402

NAMES = names_of("stratified")


def tree(text, names=NAMES): return shape(parse_expression(text, names))


def shape(node):
    inner = " ".join(map(shape, node.args))
    said = node.kind if node.value is None else f"{node.kind}:{node.value}"
    return f"({said} {inner})" if inner else said


def refused(text, names=NAMES):
    with pytest.raises(DerivationError) as error: read_derivation(text, names)
    return error.value


SAME = [  # every spelling of a row is the same tree
    ["w^2 V[TP]", "w**2*V(TP)", "w² Var[TP]", r"w^{2}\cdot\operatorname{Var}\left[\mathit{TP}\right]", "w^2 · V[TPR]", "w^2 × V[TP]", "w^2 \\, V\\{TP\\}"],
    ["p(1-p)/n+", "p*(1 - p)/n_pos", "p (1−p) / n⁺", "p(1-p)/n^+", "p(1-p)/n_{+}", "p(1-p)/n^{+}", "tpr(1-tpr)/n_+"],
    ["1[x_i >= t]", "1{x_i ≥ t}", "I[x_{i} >= t]", r"\mathbf 1\{x_i \ge t\}", r"\mathbf{1}_{x[i] \geq t}", "1_{x_i >= t}"],
    ["sum_{i=1}^{n+} x_i", r"\sum_{i=1}^{n^+} x_i", "Σ_{i=1}^{n_pos} x_i", "sum(i=1..n+, x_i)", "sum_i x_i"],
    ["E[C | TP = 1, FP < 1]", r"\mathbb{E}[C \mid TP = 1 \land FP < 1]", "E(C | TP = 1 and FP < 1)", "E[C | (TP = 1) ∧ (FP < 1)]"],
    ["n_t^+", "k_pos", "k+", r"n_{t}^{+}", "count_pos"],
    ["c_fn/c_fp", r"\frac{c_{-/+}}{c_{+/-}}", "cost_fn / cost_fp", "c_fn ÷ c_fp"],
    ["binom(n, 2)", r"\binom{n}{2}", "choose(n, 2)", "binom(n; 2)"],
    ["sqrt(w)", r"\sqrt{w}", "√(w)", "√w"],
    ["1/2 w", r"\frac12 w", r"\tfrac{1}{2} w", "(1/2) w"],
    ["n+ n-", "n+ * n-", "n_pos n_neg", "n⁺ n⁻", "n^+ n^-"],
    ["(n+ - 1)", "n_pos - 1", "n⁺-1", "(n+-1)"],
    ["abs(w - p)", r"\lvert w - p \rvert", r"abs{(w - p)}".replace("{", "").replace("}", "")],
    ["psi_{i,j}", "psi[i, j]", r"\psi_{i,j}", "ψ_{i,j}"],
]


@pytest.mark.parametrize("spellings", SAME, ids=lambda row: row[0])
def test_spellings_of_one_thing(spellings):
    first = tree(spellings[0])
    for other in spellings[1:]: assert tree(other) == first, other


@pytest.mark.parametrize("text, expected", [
    ("-2^2", "(neg (pow num:2 num:2))"),
    ("2^3^2", "(pow num:2 (pow num:3 num:2))"),
    ("w^-1", "(pow name:w (neg num:1))"),
    ("w/p q", "(mul (div name:w name:p) name:q)"),
    ("w p/q n", "(mul (div (mul name:w name:p) name:q) name:n)"),
    ("w - p - q", "(sub (sub name:w name:p) name:q)"),
    ("n+1", "(add name:n num:1)"),
    ("n+w", "(add name:n name:w)"),
    ("n + w", "(add name:n name:w)"),
    ("n- 1", "(sub name:n num:1)"),
    ("n-p", "(sub name:n name:p)"),
    ("n+ + n-", "(add name:n_pos name:n_neg)"),
    ("n- - n+", "(sub name:n_neg name:n_pos)"),
    ("2 sum_{i=1}^{3} i w + 1", "(add (mul num:2 (sum:i num:1 num:3 (mul name:i name:w))) num:1)"),
    ("sum_{i=1}^3 sum_{j=1}^2 i j", "(sum:i num:1 num:3 (sum:j num:1 num:2 (mul name:i name:j)))"),
    ("P[0 < TP <= 1]", "(P (and (cmp:< num:0 name:TP) (cmp:<= name:TP num:1)))"),
    ("P[TP = 1 or not FP = 0]", "(P (or (cmp:= name:TP num:1) (not (cmp:= name:FP num:0))))"),
    ("3!", "(call:fact num:3)"),
    ("0.25", "num:1/4"),
    ("D[(1 + eps)^2, eps]", "(D:eps (pow (add num:1 name:eps) num:2))"),
    ("w²p", "(mul (pow name:w num:2) name:p)"),
    ("p^n-", "(pow name:p name:n_neg)"),
])
def test_precedence(text, expected): assert tree(text) == expected


@pytest.mark.parametrize("text, column, words", [
    ("w +", 4, "ends too early"), ("w = (p", 5, "never closed"), ("w = p)", 6, "never opened"), ("w = (p]", 7, "cannot close"),
    ("w = foo", 5, "not known"), ("w = Tp", 5, "did you mean TP"), ("w = 1/wp", 7, "two ways"), ("E C = 1", 1, "brackets"),
    ("w = x", 5, "one index"), ("w = x_{i,j}", 5, "one index"), ("w = w_i", 5, "no index"), ("w = ?", 5, "not understood"),
    (r"w = \int p", 5, r"\int"), ("w = sqrt(1, 2)", 5, "takes 1 argument;"), ("w = = p", 4, "missing"), ("= p", 1, "nothing stands before"),
    ("w =", 4, "missing"), ("let 3 = w", 5, "needs a name"), ("let E = w", 5, "meaning of its own"), ("let a", 1, "needs an ="),
    ("w = sum_{i=1} i", 5, "must end somewhere"), ("w = sum_{u} u", 5, "range of u"), ("P[w] = 1", 4, "comparison"), ("w = " + "9" * 40, 5, "digits"), ("w = 2 3", 7, "side by side"),
])
def test_refusals_point_at_the_place(text, column, words):
    error = refused(text)
    assert (error.line, error.column) == (1, column)
    assert words in str(error)
    shown = str(error).splitlines()
    assert shown[-2].strip() == text and shown[-1].index("^") == column + 3


def test_the_line_of_an_error_is_that_of_the_text():
    error = refused("# first\n\nw = w\n  = q\n  = nonsense")
    assert (error.line, error.column) == (5, 5)


@pytest.mark.parametrize("text, chains", [
    ("V[C] = w = p", [["V[C]", "w", "p"]]),
    ("V[C] = w\n = p\n = q", [["V[C]", "w", "p", "q"]]),
    ("V[C]\n = w\nE[C] = p", [["V[C]", "w"], ["E[C]", "p"]]),
    ("w = p\n  + q", [["w", "p + q"]]),
    ("w = p +\n q", [["w", "p + q"]]),
    ("w = p\n  - q", [["w", "p - q"]]),
    ("w = p\n- q = w", [["w", "p"], ["- q", "w"]]),
    ("w = p/n+\n = q", [["w", "p/n+", "q"]]),
    ("w = (p\n + q\n)", [["w", "(p + q )"]]),
    ("# nothing\nw = p # since\n\n # so\n= q", [["w", "p", "q"]]),
    ("$$\\begin{aligned} w &= p \\\\ &= q \\end{aligned}$$", [["w", "p", "q"]]),
    ("w <= p\n ≤ q\n \\ge w", [["w", "p", "q", "w"]]),
])
def test_lines(text, chains):
    read, _ = read_derivation(text, NAMES)
    assert [[" ".join(p.text.split()) for p in c.parts] for c in read] == chains


def test_definitions():
    (first, second, third, last), known = read_derivation("let Y = TP + FP\nf_i := x_i^2\nlet g(u, v) = u + v^2\ng(Y, f_2) = Y + x_2^4", NAMES)
    assert [c.defined.value for c in (first, second, third)] == ["Y", "f", "g"] and set(known) == {"Y", "f", "g"}
    assert shape(last.parts[0].expanded) == "(add (add name:TP name:FP) (pow (pow (index:x num:2) num:2) num:2))"
    (one, *_), _ = read_derivation("Y = TP", NAMES)
    assert "taken as its definition" in one.note
    (step,), known = read_derivation("let w = p", NAMES)
    assert step.defined is None and step.relations == ("=",) and known == {}


def test_a_definition_cannot_use_itself_or_be_made_twice():
    assert "cannot use its own name" in str(refused("let u = u + 1")) and "cannot use its own name" in str(refused("let f(x) = f(x)"))
    chains, _ = read_derivation("let u = 1\nu = 2", NAMES)
    assert chains[1].defined is None  # a step, to be judged


def test_indices_step_out_of_the_way():
    chains, _ = read_derivation("let f(u) = sum_{i=1}^{3} u i\nf(i) = f(w)", NAMES)
    body = shape(chains[1].parts[0].expanded)
    assert body == "(sum:i' num:1 num:3 (mul name:i name:i'))"
    node = parse_expression("sum_{i=1}^{3} w i", NAMES)
    assert shape(substitute(node, {"i": make_node("name", "j")})) == shape(node)  # a bound name stays


def test_names_of_a_setting_are_all_readable():
    for setting in SETTINGS:
        names = names_of(setting)
        for spelling, name in names.spellings.items():
            index = ["", "_{1}", "_{1,1}"][names.indexed.get(name, 0)]
            base, _, rest = spelling.partition("_")
            typed = spelling if spelling.isidentifier() else f"{base}_{{{rest}}}"
            assert parse_expression(typed + index, names).value == name, (setting, spelling)


@pytest.mark.parametrize("text", ["w^2 (1-w)/n+", "-(w - (p - q))", "(w + p)^2 (w/p)^3", "E[C | TP = 1]", "sum_{i=1}^{n+} (x_i - w)", "2*3", "P[TP >= 1/2 or C < 1]",
                                  "Cov[TP, FP]/binom(n, 2)", "1[x_i > y_j] + psi_{i,j}", "sqrt(w) abs(p) min(w, p) 3!", "D[w eps, eps]", "K+^2", "prod_{i=1}^{3} i", "b(2; n, p)", "0.125 w"])
def test_latex_is_balanced_and_drawn_by_matplotlib(text):
    from matplotlib.mathtext import MathTextParser

    from costboot.teaching.tiny_worlds import find_setting
    latex = to_latex(parse_expression(text, NAMES), {s.name: s.latex for s in find_setting("stratified").symbols})
    assert latex.count("{") == latex.count("}") and latex.count(r"\left") == latex.count(r"\right")
    MathTextParser("path").parse(f"${latex}$")


@pytest.mark.parametrize("text, latex", [
    ("w - (p + q)", r"w - \left(p + q\right)"), ("w - p + q", "w - p + q"), ("w (p + q)", r"w\, \left(p + q\right)"), ("(w/p)^2", r"\left(\frac{w}{p}\right)^{2}"),
    ("-(w + p)", r"-\left(w + p\right)"), ("2*3", r"2 \cdot 3"), ("w^(p^q)", "w^{p^{q}}"), ("(w^p)^q", r"\left(w^{p}\right)^{q}"), ("n_t^+", "n_t^+"), ("1/3", r"\frac{1}{3}"), ("0.2", "0.2"),
])
def test_latex(text, latex):
    assert to_latex(parse_expression(text, NAMES), {"k_pos": "n_t^+"}) == latex


def test_bounds():
    assert f"at most {MAX_TEXT}" in str(refused("w" * (MAX_TEXT + 1)))
    assert f"at most {MAX_LINES} lines" in str(refused("\n".join(["w = w"] * (MAX_LINES + 1))))
    assert "words" in str(refused("w = " + "+".join(["w"] * 1000)))
    assert "nested" in str(refused("w = " + "-" * 400 + "w"))
    doubled = "\n".join(["let a0 = w + 1"] + [f"let a{i} = a{i - 1} a{i - 1}" for i in range(1, 40)])
    assert "parts" in str(refused(doubled))
    for wrong in (3, None, b"w = w"): assert "must be a string" in str(refused(wrong))
    assert "must hold a derivation" in str(refused("# only a comment\n\n"))
    with pytest.raises(DerivationError): make_node("num", Fraction(1), [make_node("num", Fraction(1))] * 20_001)


WORDS = [*"()[]{}+-*/^=<>|,;!_#&$\\.:?@%~'\"` \n", "w", "n+", "n-", "n^+", "TP", "V[", "E[", "P[", "Cov[", "D[", "1[", "]", ")", "}", "1/2", "let ", ":=", "sum_{i=1}^{n}", "sum_i ", "i=1..n,", "x_i",
         "sqrt(", "binom(", "\\frac{", "}{", "\\left(", "\\mathbb{E}", "\\bar{x}", "\\Delta ", "²", "ⁿ", "·", "≤", "⁺", "⁻", "Σ", "θ", " and ", " or ", " not ", "eps", "\n= ", "foo", "f_i", "g(x)", "__import__('os')", "0x", "1e9", "\x00", "ｗ"]


@settings(max_examples=1500, deadline=None)
@given(st.one_of(st.text(max_size=300), st.text(alphabet=string.printable, max_size=300), st.lists(st.sampled_from(WORDS), max_size=60).map("".join)), st.sampled_from(["stratified", "thresholds", "sample"]))
def test_any_text_is_read_or_refused(text, setting):
    names = names_of(setting)
    try: chains, _ = read_derivation(text, names)
    except DerivationError as error:
        assert str(error) and 0 <= error.line <= len(text.splitlines()) + 1
        return
    for chain in chains:
        assert len(chain.relations) == len(chain.parts) - 1
        for part in chain.parts: assert to_latex(part.node)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_no_line_is_lost(text):
    try: statements = split_statements(text)
    except DerivationError: return
    numbers = [n for lines in statements for n, _ in lines]
    assert numbers == sorted(numbers)


def test_names_without_a_setting():
    names = Names({"a": "a", "b": "b"}, {"b": 1})
    assert tree("a + b_1", names) == "(add name:a (index:b num:1))"
