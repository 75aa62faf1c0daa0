"""Numbers near the ends of the range: the right answer, or an error that names the argument and the limit."""

import threading

import numpy as np
import pytest

import costboot as cb

Y = np.tile([0, 1, 0, 0, 1], 8)
S = Y + np.random.default_rng(0).normal(size=40)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sampling", ["stratified", "full"])
@pytest.mark.parametrize("size", [1e308, 1.7e308, 1e200, 1e-200, 1e-300])
def test_only_the_ratio_of_costs_matters(sampling, size):
    for fn, fp in ((1.0, 1.0), (1.0, 0.25), (0.5, 1.0)):
        law, plain = (cb.exact_cost(Y, S, threshold=0.5, cost_fn=fn * c, cost_fp=fp * c, sampling=sampling) for c in (size, 1.0))
        np.testing.assert_allclose([law.mean, law.std, *law.interval()], [plain.mean, plain.std, *plain.interval()], rtol=1e-12)
        law, plain = (cb.exact_cost_difference(Y, S, -S, threshold_1=0.5, threshold_2=0.5, cost_fn=fn * c, cost_fp=fp * c, sampling=sampling) for c in (size, 1.0))
        np.testing.assert_allclose([law.mean, law.std], [plain.mean, plain.std], rtol=1e-12)
        assert plain.mean > 0.1


@pytest.mark.parametrize("options", [{"theta": 1e308}, {"theta": 2.0, "scale_pos": 1e-300}, {"theta": 2.0, "scale_neg": 1e300}, {"theta": 2.0, "loc_neg": -1e300}])
def test_models_too_extreme_for_numbers_are_refused(options):
    name = list(options)[-1]
    with pytest.raises(ValueError, match=f"`{name}` must be a number from .* to 1e\\+(50|250); got"): cb.Binormal(**options)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("options", [{"theta": 1e50}, {"theta": 2.0, "scale_pos": 1e-50}, {"theta": 2.0, "scale_neg": 1e50}])
def test_models_at_the_limit_answer(options):
    model = cb.Binormal(**options)
    values = np.r_[model.auc, model.cost([0.2, 0.4], 0.5)]
    assert np.isfinite(values).all() and (values >= 0).all() and (values <= 1).all()


@pytest.mark.parametrize("answer", [1e308, -1e308, 10**400, float("inf"), [1e308, 1e308]])
@pytest.mark.filterwarnings("error")
def test_huge_answers_get_a_verdict(answer):
    from costboot.teaching.exercises import _tutorial_exercises
    for name in _tutorial_exercises(): assert not cb.teaching.check_answer(name, answer)


def test_reports_made_in_threads_are_the_same():
    table = {"y": Y, "a": S, "b": -S}
    made = cb.report(table, label="y", score=["a", "b"], thresholds=0.5)
    alone, pages = made.html(), [None] * 4
    def draw(i): pages[i] = made.html()
    threads = [threading.Thread(target=draw, args=(i,)) for i in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert pages == [alone] * 4
