"""Derivations that check themselves: any text is judged quickly and kindly, and never run."""

import io
import re
import string
import time

import matplotlib
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from costboot.teaching.derivations import (  # noqa: E402
    _NAMES, _RIGHT, FormulaError, check_formula, explore_formula_checker, fig_formula_check, parse_formula,
)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


LIMIT = 0.2  # seconds


def judged(text, **options):
    "The verdict or the documented error, within the time limit (once more if the machine was busy)."
    for _ in range(3):
        start = time.process_time()
        try: answer = check_formula(text, **options)
        except FormulaError as error: answer = error
        if time.process_time() - start < LIMIT: return answer
    raise AssertionError(f"took longer than {LIMIT} s three times: {text!r}")


@pytest.fixture(autouse=True, scope="module")
def warm():
    "List the resamples once, so that the time limit is about the formula."
    for quantity, of, sampling in _RIGHT: check_formula("w", quantity=quantity, of=of, sampling=sampling)


WORDS = [*_NAMES["difference"], "p", "q", *"+-*/^(),. ", "**", "//", "sqrt(", "max(", "min(", "abs(", "1", "2", "0.5", "1e9", "9**9**", "lambda", "if", "else", "and", "not", "await", "yield", "__class__", "0x", "1_0", "1j", "\t", "\n"]


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=400), st.text(alphabet=string.printable, max_size=320), st.lists(st.sampled_from(WORDS), max_size=80).map("".join)), st.sampled_from(list(_RIGHT)))
def test_no_text_does_harm(text, key):
    quantity, of, sampling = key
    answer = judged(text, quantity=quantity, of=of, sampling=sampling)
    assert isinstance(answer, FormulaError) or isinstance(answer.matches, bool)
    assert str(answer)


@st.composite
def formulas(draw, depth=4):
    if depth == 0 or draw(st.booleans()): return draw(st.one_of(st.sampled_from(_NAMES["cost"]), st.integers(0, 9).map(str), st.floats(0, 9, allow_nan=False).map(repr)))
    kind = draw(st.sampled_from(["+", "-", "*", "/", "neg", "sqrt", "min"]))
    a = draw(formulas(depth=depth - 1))
    if kind == "neg": return f"(-{a})"
    if kind == "sqrt": return f"sqrt({a})"
    b = draw(formulas(depth=depth - 1))
    return f"min({a}, {b})" if kind == "min" else f"({a} {kind} {b})"


@settings(max_examples=150, deadline=None)
@given(formulas(), st.integers(0, 10**6))
def test_the_value_is_that_of_python(text, seed):
    "Harmless formulas, made here, may be given to Python itself for comparison."
    assume(len(text) <= 300)
    values = dict(zip(_NAMES["cost"], np.random.default_rng(seed).random(len(_NAMES["cost"]))))
    try: formula = parse_formula(text)
    except FormulaError as error:
        assert "nested" in str(error)
        return
    ours = formula(**values)
    with np.errstate(all="ignore"):
        try: theirs = eval(text, {"__builtins__": {}, "sqrt": lambda x: np.sqrt(x) if x >= 0 else np.nan, "min": np.minimum}, values)
        except ZeroDivisionError: theirs = np.nan
    if np.isnan(ours): assert not np.isfinite(theirs) or re.search("/|sqrt", text)  # undefined parts stay undefined here, Python may forget them: 1/(1/0) = 0
    else: np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("key", _RIGHT)
def test_the_right_formulas_match_and_only_for_their_quantity(key):
    quantity, of, sampling = key
    assert check_formula(_RIGHT[key], quantity=quantity, of=of, sampling=sampling).matches
    other = "mean" if quantity == "variance" else "variance"
    assert not check_formula(_RIGHT[key], quantity=other, of=of, sampling=sampling).matches
    swapped = "full" if sampling == "stratified" else "stratified"
    assert not check_formula(_RIGHT[key], quantity=quantity, of=of, sampling=swapped).matches
    assert not check_formula(f"({_RIGHT[key]})*1.000001", quantity=quantity, of=of, sampling=sampling).matches


def test_the_misprint_of_the_paper_does_not_match():
    printed = check_formula("w**2 * p*(1-p) + (1-w)**2 * q*(1-q)")
    assert not printed and printed.counterexample["n_pos"] + printed.counterexample["n_neg"] > 2
    example = printed.counterexample
    w, p, q, n_pos, n_neg = (example[name] for name in ("w", "p", "q", "n_pos", "n_neg"))
    np.testing.assert_allclose(example["formula"], w**2 * p * (1 - p) + (1 - w) ** 2 * q * (1 - q), rtol=1e-12)
    np.testing.assert_allclose(example["variance"], w**2 * p * (1 - p) / n_pos + (1 - w) ** 2 * q * (1 - q) / n_neg, rtol=1e-12)


@pytest.mark.parametrize(("text", "hint"), [("-(w*(1-p) + (1-w)*q)", "wrong sign"), ("(w*(1-p) + (1-w)*q)*n", "It is n times"), ("(w*(1-p) + (1-w)*q)/n_pos", "It is 1/n_pos times"), ("3*(w*(1-p) + (1-w)*q)", "It is 3 times")])
def test_hints(text, hint): assert hint in check_formula(text, quantity="mean").message


@pytest.mark.parametrize(("text", "message"), [
    ("p(1-p)", "A product needs its \\*"), ("v + w", "must use the names w, p, q"), ("w.real", "an attribute"), ("", "got nothing"), ("   ", "got nothing"), ("w +", "must be a complete formula"),
    ("2 ** 99", "exponents of at most 16"), ("w" * 301, "at most 300 characters; got 301"), ("1j", "ordinary numbers"), ("True", "must hold ordinary numbers"), ("1e300", "ordinary numbers"), ("w // p", "operator //"),
    ("sqrt", "followed by its argument"), ("sqrt(1, 2)", "`sqrt` must have 1 argument; got 2"), ("max(w)", "`max` must have 2 to 8 arguments; got 1"), ("'w'", "must consist of names"), ("w\x00", "must consist of names"),
    ("ｗ", "must consist of names"), ("p1", "must use the names"), ("-" * 60 + "w", "nested at most 40 deep"), ("+".join("w" * 80), "at most 150 parts|nested"),
])
def test_what_is_refused_and_why(text, message):
    with pytest.raises(FormulaError, match=message):
        check_formula(text)
        raise FormulaError("nothing was refused")


@pytest.mark.parametrize("text", [None, 3, b"w", ["w"], np.array("w")])
def test_a_formula_is_a_text(text):
    with pytest.raises(FormulaError, match="`text` must be a string"): check_formula(text)


def test_the_other_arguments_are_checked():
    with pytest.raises(ValueError, match="`quantity` must be one of 'mean', 'variance'; got 'median'"): check_formula("w", quantity="median")
    with pytest.raises(ValueError, match="`of` must be one of 'cost', 'difference'; got 'auc'"): check_formula("w", of="auc")
    with pytest.raises(ValueError, match="`sampling` must be one of 'full', 'stratified'; got 1"): check_formula("w", sampling=1)
    with pytest.raises(TypeError, match="`w` must be given"): parse_formula("w")()


def test_undefined_is_said_kindly():
    answer = check_formula("w / (q - q)", quantity="mean")
    assert not answer.matches and "is not defined" in answer.message


def test_the_formula_box_takes_what_is_typed():
    widget = explore_formula_checker()
    box = widget.children[0]
    for text in ("w $ \\frac{", "p(1-p)", "w*(1-p) + (1-w)*q", "<script>alert(1)</script>"): box.value = text  # drawn at once; errors would be swallowed
    for text in ("w $ \\frac{", "p(1-p)", "$\\undefined$", "<script>"):
        fig_formula_check(text).savefig(io.BytesIO(), format="png")
