"""Data with a known truth, and the UCI loaders: limits, bad input, and every way a download can go wrong."""

import copy
import gzip
import hashlib
import pickle
import threading
from dataclasses import FrozenInstanceError, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from scipy.special import ndtr

import costboot.data.score_models as score_models
import costboot.data.uci as uci
from costboot.data.score_models import Binormal, BinormalPair, Highleyman, Multinormal
from costboot.data.uci import Dataset, load_uci, uci_available

UCI_NAMES = ["abalone", "adult", "chess", "covertype", "credit", "digits", "telescope"]
PAIR = BinormalPair(Binormal(3.0), Binormal(5.0, 2.0, 4.0, loc_neg=-3.0), correlation=0.6)

numbers = dict(allow_nan=False, allow_infinity=False)
models = st.builds(
    Binormal, st.floats(-1e6, 1e6, **numbers), st.floats(1e-3, 1e3, **numbers), st.floats(1e-3, 1e3, **numbers),
    loc_neg=st.one_of(st.none(), st.floats(-1e6, 1e6, **numbers)))
overlapping = st.builds(
    Binormal, st.floats(-3, 3, **numbers), st.floats(0.1, 10, **numbers), st.floats(0.1, 10, **numbers),
    loc_neg=st.one_of(st.none(), st.floats(-3, 3, **numbers)))
fractions = st.one_of(st.just(0.0), st.floats(1e-300, 1, **numbers))  # below that ndtr itself is rounded to 0


# ------------------------------------------------------------------------------------------------ binormal scores

def test_binormal_is_a_frozen_value():
    model = Binormal(1.0, 2.0, 3.0)
    assert model == Binormal(1, 2, 3, loc_neg=-1) and hash(model) == hash(Binormal(1.0, 2.0, 3.0))
    assert repr(model) == "Binormal(theta=1.0, scale_pos=2.0, scale_neg=3.0, loc_neg=-1.0)"
    assert pickle.loads(pickle.dumps(model)) == copy.deepcopy(model) == replace(model) == model
    with pytest.raises(FrozenInstanceError): model.theta = 2.0
    with pytest.raises(TypeError): Binormal(1.0, 2.0, 3.0, -1.0)  # loc_neg is keyword-only


def test_a_number_in_gives_a_number_out_and_an_array_an_array():
    model, array = Binormal(1.0, 2.0, 3.0), np.array([0.25, 0.5])
    for call in (model.tpr, model.fpr, model.total_positive_rate, model.roc, model.threshold_at_fpr, model.threshold_at_tpr,
                 model.threshold_at_total_positive_rate, model.optimal_threshold, model.cost_curve):
        assert type(call(0.25)) is float, call.__name__
        assert call(array).shape == (2,) and call([0.25]).shape == (1,), call.__name__
        assert call(array)[0] == call(0.25), call.__name__
    assert type(model.density(0.25, True)) is float and type(model.auc) is float
    assert type(model.cost(0.5, 1.0)) is float and model.cost(0.5, array).shape == model.cost(array, 1.0).shape == (2,)
    assert np.array_equal(model.cost(array, model.optimal_threshold), model.cost_curve(array))
    assert type(PAIR.tpr_difference(0, 1)) is float and PAIR.fpr_difference(0, array).shape == (2,)
    assert type(PAIR.disagreement(0, 1, True).only_1) is float and PAIR.roc_difference(array).shape == (2,)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(models, st.lists(fractions, min_size=1, max_size=5), fractions)
def test_total_positive_rate_is_inverted(model, rates, prevalence):
    rates = np.array(rates)
    t = model.threshold_at_total_positive_rate(rates, prevalence)
    assert not np.isnan(t).any()
    # t is right to a few last places: a rate between those of its neighbours on either side
    step = 8 * np.finfo(float).eps * np.maximum(abs(t), max(model.scale_pos, model.scale_neg, abs(model.theta), abs(model.loc_neg)))
    step = np.where(np.isfinite(t), step, 0)
    slack = 8 * np.finfo(float).eps
    assert np.all(model.total_positive_rate(t - step, prevalence) >= rates * (1 - slack) - 5e-324)
    assert np.all(model.total_positive_rate(t + step, prevalence) <= rates * (1 + slack) + 5e-324)


def test_threshold_at_total_positive_rate_keeps_its_precision_near_one():
    model = Binormal(2.0, 1.0, 4.0)
    mirrored = Binormal(2.0, 4.0, 1.0)  # -score, classes exchanged: N(2, 4^2) and N(-2, 1)
    q = 2.0 ** -np.array([2.0, 20, 45, 52])
    ours = model.threshold_at_total_positive_rate(1 - q, 0.3)
    np.testing.assert_allclose(ours, -mirrored.threshold_at_total_positive_rate(q, 0.7), rtol=1e-14)


def test_extreme_rates_give_infinite_thresholds():
    model = Binormal(1.0, 2.0, 3.0)
    for call in (model.threshold_at_fpr, model.threshold_at_tpr, model.threshold_at_total_positive_rate):
        assert np.array_equal(call([0, 1]), [np.inf, -np.inf])
    assert model.total_positive_rate(np.inf) == 0 and model.total_positive_rate(-np.inf) == 1
    assert np.array_equal(model.roc([0, 1]), [0, 1])
    for prevalence, other in ((0, model.threshold_at_fpr), (1, model.threshold_at_tpr)):
        np.testing.assert_allclose(model.threshold_at_total_positive_rate(0.3, prevalence), other(0.3), rtol=1e-14)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(models, fractions, st.lists(st.floats(-12, 12), min_size=1, max_size=20))
def test_no_threshold_is_cheaper_than_the_best(model, w, places):
    best = model.cost_curve(w)
    assert not np.isnan(model.optimal_threshold(w))
    assert best <= min(w, 1 - w) * (1 + 1e-12)
    z = np.array(places)
    others = np.concatenate([model.theta + z * model.scale_pos, model.loc_neg + z * model.scale_neg])
    assert np.all(best <= model.cost(w, others) + 1e-13)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(overlapping, st.floats(1e-6, 1 - 1e-6))
def test_the_best_threshold_is_found_by_a_fine_grid(model, w):
    grid = np.linspace(-100, 100, 20_001)
    best = min(model.cost(w, grid).min(), w, 1 - w)
    assert best - 1e-3 <= model.cost_curve(w) <= best + 1e-14


def test_equal_scales_have_one_best_threshold_however_extreme_w_is():
    model = Binormal(0.75)
    w = np.array([1e-300, 1e-10, 0.3, 1 - 1e-10])
    np.testing.assert_allclose(model.optimal_threshold(w), -6 * (np.log(w) - np.log1p(-w)), rtol=1e-12)
    shifted = Binormal(1e6 + 1.5, 3.0, 3.0, loc_neg=1e6)
    np.testing.assert_allclose(shifted.optimal_threshold(0.3) - 1e6, model.optimal_threshold(0.3) + 0.75, atol=1e-9)
    far = Binormal(1e200, 1.0, 2.0)
    assert np.isfinite(far.optimal_threshold(0.3)) and far.cost_curve(0.3) == 0


def test_nearly_equal_scales_agree_with_equal_ones():
    w = np.array([0.1, 0.5, 0.9])
    for scale in (3 * (1 + 1e-14), 3 * (1 - 1e-14)):
        np.testing.assert_allclose(Binormal(2.0, scale, 3.0).optimal_threshold(w), Binormal(2.0).optimal_threshold(w), atol=1e-11)


@pytest.mark.parametrize("model, w, expected", [
    (Binormal(0.0), 0.3, np.inf), (Binormal(0.0), 0.7, -np.inf), (Binormal(0.0), 0.5, np.inf),  # no information
    (Binormal(-1.0), 0.3, np.inf), (Binormal(-1.0), 0.7, -np.inf),  # scores point the wrong way
    (Binormal(0.5, 3.0, 1.0), 0.85, -np.inf), (Binormal(0.5, 3.0, 1.0), 0.72, -np.inf),
    (Binormal(0.5, 1.0, 3.0), 0.15, np.inf), (Binormal(0.5, 1.0, 3.0), 0.28, np.inf),
    (Binormal(0.5, 1.0, 3.0), 0.0, np.inf), (Binormal(0.5, 1.0, 3.0), 1.0, -np.inf),
    (Binormal(0.5, 3.0, 1.0), 0.0, np.inf), (Binormal(0.5, 3.0, 1.0), 1.0, -np.inf),
])
def test_where_no_threshold_pays_everybody_or_nobody_is_labelled(model, w, expected):
    assert model.optimal_threshold(w) == expected
    assert model.cost_curve(w) == pytest.approx(min(w, 1 - w))


def test_many_thresholds_at_once_are_those_of_one_at_a_time():
    model, w = Binormal(1.0, 2.0, 3.0), np.linspace(0, 1, 100_000)
    for each in (model.optimal_threshold, model.threshold_at_total_positive_rate):
        many = each(w)
        np.testing.assert_allclose(many[::9_999], [each(v) for v in w[::9_999]], rtol=1e-9)


def test_samples_repeat_with_a_seed_and_have_the_sizes_asked_for():
    y_true, y_score = Binormal().sample(3, 5, rng=1)
    assert y_true.tolist() == [1, 1, 1, 0, 0, 0, 0, 0] and y_score.shape == (8,) and y_true.dtype.kind == "i"
    assert np.array_equal(y_score, Binormal().sample(3, 5, rng=np.random.default_rng(1))[1])
    assert len(Binormal().sample(4)[0]) == 8 and not np.array_equal(Binormal().sample(4)[1], Binormal().sample(4)[1])
    assert [len(part) for part in PAIR.sample(1, 2, rng=0)] == [3, 3, 3]


@pytest.mark.parametrize("call, error, message", [
    (lambda: Binormal(np.nan), ValueError, r"`theta` must be a finite number; got nan\."),
    (lambda: Binormal(-np.inf), ValueError, "`theta` must be a finite number"),
    (lambda: Binormal("3"), TypeError, "`theta` must be a finite number; got '3'"),
    (lambda: Binormal([1.0, 2.0]), TypeError, "`theta`"),
    (lambda: Binormal(3.0, 0.0), ValueError, "`scale_pos` must be a finite number above 0; got 0.0"),
    (lambda: Binormal(3.0, 1.0, -2), ValueError, "`scale_neg` must be a finite number above 0; got -2"),
    (lambda: Binormal(3.0, np.inf), ValueError, "`scale_pos`"),
    (lambda: Binormal(loc_neg=np.nan), ValueError, "`loc_neg`"),
    (lambda: Binormal().tpr(np.nan), ValueError, "`threshold` must not hold NaN"),
    (lambda: Binormal().tpr("high"), TypeError, "`threshold` must hold numbers"),
    (lambda: Binormal().fpr([[1.0]]), ValueError, "`threshold` must be one-dimensional"),
    (lambda: Binormal().fpr([]), ValueError, "`threshold` must have at least one entry"),
    (lambda: Binormal().tpr(lambda w: w), TypeError, "`threshold`.*callable"),
    (lambda: Binormal().density(np.nan, True), ValueError, "`score` must not hold NaN"),
    (lambda: Binormal().density(0.0, 1), TypeError, "`positive` must be True or False; got 1"),
    (lambda: Binormal().total_positive_rate(0.0, 1.5), ValueError, "`prevalence` must be a number from 0 to 1; got 1.5"),
    (lambda: Binormal().total_positive_rate(0.0, "half"), TypeError, "`prevalence`"),
    (lambda: Binormal().roc(-0.1), ValueError, r"`fpr` must lie in \[0, 1\]; got -0.1"),
    (lambda: Binormal().roc(np.inf), ValueError, "`fpr` must be finite"),
    (lambda: Binormal().threshold_at_fpr(2), ValueError, "`fpr`"),
    (lambda: Binormal().threshold_at_tpr(np.nan), ValueError, "`tpr`"),
    (lambda: Binormal().threshold_at_total_positive_rate(20), ValueError, "`rate`"),
    (lambda: Binormal().threshold_at_total_positive_rate(0.2, -1), ValueError, "`prevalence`"),
    (lambda: Binormal().optimal_threshold([0.5, 1.01]), ValueError, r"`w` must lie in \[0, 1\]; got 1.01"),
    (lambda: Binormal().optimal_threshold("0.5"), TypeError, "`w` must hold numbers"),
    (lambda: Binormal().cost_curve(np.nan), ValueError, "`w`"),
    (lambda: Binormal().cost(-1, 0.0), ValueError, "`w`"),
    (lambda: Binormal().cost([0.1, 0.2], [1, 2, 3]), ValueError, "`threshold` must be one number or have one entry"),
    (lambda: Binormal().sample(0), ValueError, "`n_pos` must be a whole number, at least 1; got 0"),
    (lambda: Binormal().sample(2, 0), ValueError, "`n_neg`"),
    (lambda: Binormal().sample(2.5), ValueError, "`n_pos`"),
    (lambda: Binormal().sample(True), TypeError, "`n_pos`"),
    (lambda: Binormal().sample(2, rng="seed"), TypeError, "`rng`"),
    (lambda: BinormalPair(Binormal(), "x"), TypeError, "`model_2` must be a Binormal; got 'x'"),
    (lambda: BinormalPair(None, Binormal()), TypeError, "`model_1`"),
    (lambda: BinormalPair(Binormal(), Binormal(), correlation=1.01), ValueError, "`correlation` must be a number from -1 to 1"),
    (lambda: BinormalPair(Binormal(), Binormal(), correlation=np.nan), ValueError, "`correlation`"),
    (lambda: PAIR.sample(0), ValueError, "`n_pos`"),
    (lambda: PAIR.tpr_difference([1, 2], [1, 2, 3]), ValueError, r"`threshold_2` .* `threshold_1` \(2\); got 3"),
    (lambda: PAIR.fpr_difference(np.nan, 0), ValueError, "`threshold_1` must not hold NaN"),
    (lambda: PAIR.roc_difference(1.1), ValueError, "`fpr`"),
    (lambda: PAIR.cost_difference(2, 0, 0), ValueError, "`w`"),
    (lambda: PAIR.cost_difference(0.5, [0, 1], [0, 1, 2]), ValueError, "`threshold_2`"),
    (lambda: PAIR.disagreement(0, "x", True), TypeError, "`threshold_2`"),
    (lambda: PAIR.disagreement(0, 0, None), TypeError, "`positive`"),
    (lambda: Highleyman().sample(0), ValueError, "`n_per_class`"),
    (lambda: Highleyman().sample(2, rng=-1), TypeError, "`rng`"),
    (lambda: Highleyman().log_density([[1.0, np.nan]]), ValueError, "`X` must be finite"),
    (lambda: Highleyman().log_density([[1.0, 2.0, 3.0]]), ValueError, r"`X` must have shape \(n, 2\); got \(1, 3\)"),
    (lambda: Highleyman().log_density("ab"), TypeError, "`X` must hold numbers"),
    (lambda: Multinormal(0), ValueError, "`p` must be a whole number, at least 1; got 0"),
    (lambda: Multinormal(5, np.inf), ValueError, "`mahalanobis_squared`"),
    (lambda: Multinormal(5, -1), ValueError, "`mahalanobis_squared` must be a finite number, at least 0; got -1"),
    (lambda: Multinormal(5, "far"), TypeError, "`mahalanobis_squared`"),
    (lambda: Multinormal().sample(0), ValueError, "`n_per_class`"),
    (lambda: load_uci("iris"), ValueError, "`name` must be one of 'abalone', .*; got 'iris'"),
    (lambda: load_uci(None), ValueError, "`name`"),
    (lambda: load_uci("chess", valid=True), ValueError, "`valid` must be False for 'chess'"),
    (lambda: load_uci("abalone", valid=1000), TypeError, "`valid` must be True or False; got 1000"),
    (lambda: load_uci("abalone", download="no"), TypeError, "`download`"),
    (lambda: load_uci("abalone", rng=0.5), TypeError, "`rng`"),
    (lambda: uci_available("Abalone"), ValueError, "`name`"),
    (lambda: Dataset("x", [[1.0]], [1], [[1.0]], [1, 0], ["a"], {1: "p", 0: "n"}), ValueError, "`y_test` must have 1 entries"),
    (lambda: Dataset("x", [[1.0, 2.0]], [1], [[1.0]], [1], ["a"], {1: "p"}), ValueError, "`X_train` must have 1 columns"),
])
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message): call()


# ---------------------------------------------------------------------------------------------- two models, classes

@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.floats(-6, 6), st.floats(-6, 6), st.floats(-1, 1))
def test_disagreement_is_a_probability_and_adds_up(h, k, rho):
    only_1, only_2 = (p[0] for p in score_models._only_one(np.array([h]), np.array([k]), rho))
    assert 0 <= only_1 <= 1 and 0 <= only_2 <= 1
    assert only_1 - only_2 == pytest.approx(ndtr(h) - ndtr(k), abs=1e-15)
    both = ndtr(h) - only_1
    assert -1e-15 <= both <= min(ndtr(h), ndtr(k)) + 1e-15
    swapped = score_models._only_one(np.array([k]), np.array([h]), rho)
    assert swapped[1][0] == pytest.approx(only_1, abs=1e-15)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.floats(-4, 4), st.floats(-4, 4), st.floats(-0.95, 0.95))
def test_disagreement_agrees_with_an_integral(h, k, rho):
    def inside(x): return stats.norm.pdf(x) * ndtr((rho * x - k) / np.sqrt(1 - rho**2))
    truth = integrate.quad(inside, -12, h, epsabs=1e-14, epsrel=1e-12, limit=500)[0]
    assert score_models._only_one(np.array([h]), np.array([k]), rho)[0][0] == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_disagreement_at_the_means(zero):
    pair = BinormalPair(Binormal(1.0), Binormal(1.0), correlation=0.6)
    only_1, only_2 = pair.disagreement(1.0, 1.0, True)
    assert only_1 == only_2 == pytest.approx(0.25 - np.arcsin(0.6) / (2 * np.pi), rel=1e-14)
    h = np.array([zero])
    for k in (-1.0, 1.0):  # by symmetry P(Z1 <= 0, Z2 > k) needs one integral only
        truth = integrate.quad(lambda x, k=k: stats.norm.pdf(x) * ndtr((0.6 * x - k) / 0.8), -12, 0, epsabs=1e-15)[0]
        assert score_models._only_one(h, np.array([k]), 0.6)[0][0] == pytest.approx(truth, abs=1e-14)


def test_pair_differences_have_the_papers_signs():
    better = BinormalPair(Binormal(1.0), Binormal(3.0), correlation=0.3)
    assert better.cost_difference(0.5) < 0  # model 2 minus model 1: the better second model costs less
    assert better.roc_difference(0.2) > 0  # model 2 minus model 1
    assert better.fpr_difference(0.0, 0.0) < 0 < better.tpr_difference(0.0, 0.0)
    w = np.linspace(0, 1, 11)
    np.testing.assert_array_equal(better.cost_difference(w), better.model_2.cost_curve(w) - better.model_1.cost_curve(w))
    np.testing.assert_array_equal(better.cost_difference(w, better.model_1.optimal_threshold, better.model_2.optimal_threshold),
                                  better.cost_difference(w))


@pytest.mark.parametrize("rho", [-1.0, 0.0, 1.0])
def test_pair_samples_have_their_correlation_in_each_class(rho):
    pair = replace(PAIR, correlation=rho)
    y_true, y_score_1, y_score_2 = pair.sample(20_000, 10_000, rng=2)
    for label, n in ((1, 20_000), (0, 10_000)):
        seen = np.corrcoef(y_score_1[y_true == label], y_score_2[y_true == label])[0, 1]
        assert abs(seen - rho) < (1e-9 if abs(rho) == 1 else 4 / n**0.5)
    second = y_score_2[y_true == 0]
    assert abs(second.mean() + 3) < 4 * 4 / 100 and abs(second.std() - 4) < 4 * 4 / np.sqrt(2 * 10_000)


def test_highleyman_and_multinormal_shapes():
    X, y = Highleyman().sample(3, 1)
    assert X.shape == (6, 2) and y.tolist() == [1, 1, 1, 0, 0, 0]
    assert np.array_equal(X, Highleyman().sample(3, rng=1)[0])
    X, y = Multinormal(7, 2.0).sample(2, rng=1)
    assert X.shape == (4, 7) and y.tolist() == [1, 1, 0, 0]
    assert Multinormal(7, 2.0).shift == pytest.approx((2 / 7) ** 0.5)


# ---------------------------------------------------------------------------------------------- finding and fetching

CONTENT = b"1,2,3\n" * 40_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Archive(BaseHTTPRequestHandler):
    "An archive that misbehaves on request."

    def do_GET(self):
        self.server.asked.append(self.path)
        name = self.path.rsplit("/", 1)[1]
        if name == "missing": return self.send_error(404)
        if name == "broken": return self.send_error(503)
        body = gzip.compress(CONTENT) if name.endswith(".gz") else CONTENT
        length = len(body)
        if name == "wrong": body = body[:-2] + b"X\n"
        if name.startswith("truncated"): body = body[: len(body) // 2]
        if name == "truncated.unannounced.gz": length = len(body)
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_): pass


@pytest.fixture
def archive(monkeypatch):
    "A server on the loopback interface."
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"): monkeypatch.delenv(name, raising=False)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Archive)
    server.asked = []
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    server.address = f"http://127.0.0.1:{server.server_address[1]}"
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    "A machine with an empty cache, no data folder, and one small file known to the loaders."
    monkeypatch.delenv("COSTBOOT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "costboot"


def know(monkeypatch, server, served):
    "Make a file of the test server known under the name small.data."
    monkeypatch.setattr(uci, "_ARCHIVE", server.address)
    monkeypatch.setitem(uci._FILES, "small.data", (f"folder/{served}", SHA256))


@pytest.mark.parametrize("served", ["small.data", "small.data.gz"])
def test_a_download_is_stored_verified_and_not_repeated(archive, nowhere, monkeypatch, served, capsys):
    know(monkeypatch, archive, served)
    assert uci._obtain("small.data") == CONTENT
    assert [path.name for path in nowhere.iterdir()] == [served] and archive.asked == [f"/folder/{served}"]
    assert served in capsys.readouterr().err  # the progress bar
    assert uci._obtain("small.data") == uci._obtain("small.data", download=False) == CONTENT
    assert len(archive.asked) == 1


@pytest.mark.parametrize("served, error, message", [
    ("wrong", ValueError, "delivered must have the SHA-256 sum"),
    ("truncated", FileNotFoundError, "broke off after 120000 of 240000 bytes"),
    ("truncated.unannounced.gz", ValueError, "delivered must be a complete gzip file"),
    ("missing", FileNotFoundError, "HTTP Error 404"),
    ("broken", FileNotFoundError, "HTTP Error 503"),
])
def test_a_failed_download_leaves_nothing_behind(archive, nowhere, monkeypatch, served, error, message):
    know(monkeypatch, archive, served)
    with pytest.raises(error, match=message) as caught: uci._obtain("small.data")
    assert archive.asked and list(nowhere.iterdir()) == []
    assert f"{archive.address}/folder/{served}" in str(caught.value)


def test_an_interrupted_download_leaves_nothing_behind(archive, nowhere, monkeypatch):
    import tqdm

    know(monkeypatch, archive, "small.data")

    def interrupt(self, n=1): raise KeyboardInterrupt
    monkeypatch.setattr(tqdm.tqdm, "update", interrupt)
    with pytest.raises(KeyboardInterrupt): uci._obtain("small.data")
    assert archive.asked and list(nowhere.iterdir()) == []


def test_offline_says_what_to_download_and_where_to_put_it(nowhere, monkeypatch):
    def no_network(*_, **__): raise OSError("network is unreachable")
    monkeypatch.setattr("urllib.request.urlopen", no_network)
    with pytest.raises(FileNotFoundError) as caught: load_uci("covertype")
    message = str(caught.value)
    assert "https://archive.ics.uci.edu/ml/machine-learning-databases/covtype/covtype.data.gz" in message
    assert str(nowhere) in message and "COSTBOOT_DATA (not set)" in message and "network is unreachable" in message
    assert not uci_available("covertype")
    with pytest.raises(FileNotFoundError, match="`download` is False"): load_uci("covertype", download=False)


def test_a_cache_that_cannot_be_written_is_named(archive, monkeypatch, tmp_path):
    know(monkeypatch, archive, "small.data")
    monkeypatch.delenv("COSTBOOT_DATA", raising=False)
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(FileNotFoundError, match="in neither, and the download failed: NotADirectoryError"):
        uci._obtain("small.data")
    assert archive.asked == []  # noticed before anything was transferred

    def forbidden(*_, **__): raise PermissionError("not yours")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("tempfile.mkstemp", forbidden)
    with pytest.raises(FileNotFoundError, match="PermissionError: not yours"): uci._obtain("small.data")


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_the_data_folder_comes_first_and_is_never_written(nowhere, archive, monkeypatch, tmp_path, ending):
    know(monkeypatch, archive, "small.data")
    monkeypatch.setenv("COSTBOOT_DATA", str(tmp_path / "data"))  # a folder that does not exist is passed over
    assert uci._local_file("small.data") is None
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / f"small.data{ending}").write_bytes(gzip.compress(CONTENT) if ending else CONTENT)
    nowhere.mkdir(parents=True)
    (nowhere / "small.data").write_bytes(b"never read")
    assert uci._obtain("small.data") == CONTENT and archive.asked == []
    assert [path.name for path in (tmp_path / "data").iterdir()] == [f"small.data{ending}"]


@pytest.mark.parametrize("body", [b"something else", gzip.compress(CONTENT)[:-20], gzip.compress(b"other"), b""], ids=["plain", "cut off", "packed", "empty"])
def test_a_damaged_file_is_refused_and_kept(nowhere, archive, monkeypatch, body):
    know(monkeypatch, archive, "small.data")
    nowhere.mkdir(parents=True)
    path = nowhere / "small.data"
    path.write_bytes(body)
    with pytest.raises(ValueError, match="small.data must (have the SHA-256 sum|be a complete gzip file)"):
        uci._obtain("small.data")
    assert path.read_bytes() == body and archive.asked == []


@pytest.mark.parametrize("platform, variables, expected", [
    ("linux", {}, ".cache/costboot"), ("linux", {"XDG_CACHE_HOME": "relative"}, ".cache/costboot"),
    ("darwin", {}, "Library/Caches/costboot"), ("win32", {"LOCALAPPDATA": "HOME/local"}, "local/costboot/Cache"),
    ("linux", {"XDG_CACHE_HOME": "HOME/xdg"}, "xdg/costboot"),
])
def test_the_cache_is_where_the_system_wants_it(monkeypatch, tmp_path, platform, variables, expected):
    monkeypatch.setattr(uci.sys, "platform", platform)
    monkeypatch.setattr(uci.Path, "home", lambda: tmp_path)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"): monkeypatch.delenv(name, raising=False)
    for name, value in variables.items(): monkeypatch.setenv(name, value.replace("HOME", str(tmp_path)))
    assert uci._cache_folder() == tmp_path / expected


# -------------------------------------------------------------------------------------------------------- the loaders

TABLE_3 = dict(abalone=[410, 590, 1686, 1491], adult=[7841, 24720, 3846, 12435], chess=[4505, 495, 20755, 2301],
               covertype=[2739, 2261, 280562, 209579], credit=[364, 136, 336, 164], telescope=[672, 328, 11660, 6360])


def needs(name):
    if not uci_available(name): pytest.skip(f"{name} is not on this machine")


@pytest.mark.parametrize("name", UCI_NAMES)
def test_loaders(name):
    needs(name)
    data = load_uci(name, download=False)
    assert data.X_train.dtype == data.X_test.dtype == float and data.X_train.flags.c_contiguous
    assert data.X_train.shape[1] == data.X_test.shape[1] == len(data.feature_names) == len(set(data.feature_names))
    assert np.isfinite(data.X_train).all() and np.isfinite(data.X_test).all()
    assert data.X_valid is None and repr(data).startswith(f"Dataset({name!r}: {len(data.y_train)} train, {len(data.y_test)} test;")
    for array in (data.X_train, data.y_train, data.X_test, data.y_test):
        with pytest.raises(ValueError, match="read-only"): array[:1] = 0
    counts = data.counts().to_numpy()
    if name == "digits": return np.testing.assert_array_equal(counts, np.full((2, 10), 100))
    assert set(data.y_train) == {0, 1}
    paper = np.reshape(TABLE_3[name], (2, 2))
    if name in ("chess", "telescope"):
        np.testing.assert_array_equal(counts.sum(axis=0), paper.sum(axis=0))
        np.testing.assert_array_equal(counts.sum(axis=1), paper.sum(axis=1))
    else: np.testing.assert_array_equal(counts, paper)


@pytest.mark.parametrize("name", ["chess", "telescope"])
def test_the_shuffle_follows_its_seed_and_loses_no_row(name):
    needs(name)
    first, again, other = (load_uci(name, download=False, rng=seed) for seed in (0, 0, 1))
    assert np.array_equal(first.X_train, again.X_train) and not np.array_equal(first.X_train, other.X_train)

    def rows(data): return np.vstack([np.column_stack([data.X_train, data.y_train]), np.column_stack([data.X_test, data.y_test])])
    a, b = rows(first), rows(other)
    np.testing.assert_array_equal(a[np.lexsort(a.T)], b[np.lexsort(b.T)])


@pytest.mark.parametrize("name, sizes", [("abalone", (1000, 1000, 2177)), ("covertype", (5000, 5000, 485141)),
                                         ("credit", (500, 250, 250)), ("telescope", (1000, 1000, 17020))])
def test_the_split_of_the_slides(name, sizes):
    needs(name)
    data, plain = load_uci(name, valid=True, download=False), load_uci(name, download=False)
    assert (len(data.y_train), len(data.y_valid), len(data.y_test)) == sizes
    np.testing.assert_array_equal(data.X_train, plain.X_train)
    np.testing.assert_array_equal(np.concatenate([data.y_valid, data.y_test]), plain.y_test)
    assert list(data.counts().index) == ["train", "valid", "test"]
    assert not data.X_valid.flags.writeable


def test_abalone_is_encoded_as_in_the_file():
    needs("abalone")
    data = load_uci("abalone", download=False)
    assert data.feature_names[:3] == ("sex=I", "sex=M", "length")
    np.testing.assert_array_equal(data.X_train[0], [0, 1, 0.455, 0.365, 0.095, 0.514, 0.2245, 0.101, 0.15])  # M, 15 rings
    assert data.y_train[:3].tolist() == [0, 1, 1]  # 15, 7 and 9 rings
    assert set(map(tuple, data.X_train[:, :2])) == {(0, 0), (0, 1), (1, 0)}


def test_adult_keeps_unknown_values_as_a_category():
    needs("adult")
    data = load_uci("adult", download=False)
    assert data.X_train.shape == (32561, 100)
    # '?' sorts first, so it is the base category of the three attributes that have it
    assert not any(name.endswith("=?") for name in data.feature_names)
    at = [i for i, name in enumerate(data.feature_names) if name.startswith("occupation=")]
    assert len(at) == 14 and int((data.X_train[:, at].sum(axis=1) == 0).sum()) == 1843
    assert data.X_train[:, at].sum(axis=1).max() == 1
    assert data.X_train[0, 0] == 39 and data.X_test[0, 0] == 25


def test_chess_positions_have_one_place_for_each_piece():
    needs("chess")
    data = load_uci("chess", download=False)
    assert data.X_train.shape[1] == 34 and set(np.unique(data.X_train)) == {0, 1}
    for piece in ("white_rook_file", "black_king_rank"):
        at = [i for i, name in enumerate(data.feature_names) if name.startswith(piece)]
        assert len(at) == 7 and data.X_test[:, at].sum(axis=1).max() == 1


def test_digits_match_the_file_rows():
    needs("digits")
    data = load_uci("digits", download=False)
    np.testing.assert_allclose(data.X_train[0], [1, 0, 0, 133.15086140, 1.31169276, 1620.22177892])
    assert data.y_train[[0, 99, 100, 999]].tolist() == [0, 0, 1, 9]


def test_dataset_is_a_copy():
    X = np.ones((2, 1))
    data = Dataset("x", X, [1, 0], X, [1, 0], ["a"], {1: "p", 0: "n"})
    X[0] = 5
    assert data.X_train[0, 0] == 1 and repr(data) == "Dataset('x': 2 train, 2 test; 1 features; p / n)"
    assert data.counts().loc["test"].to_dict() == {"p": 1, "n": 1}
