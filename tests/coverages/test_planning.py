"Plans: smallest sizes by exact sums against scipy and brute force, drawn ones against fresh draws, and what is refused."
import json

import numpy as np
import pytest
from scipy.stats import binom, multinomial, norm

import costboot as cb
from costboot.coverages.planning import PLANS, SizePlan, _Goal, _cost_difference_value, _cost_value, _rate_difference_value, _rate_value, _smallest
from costboot.reporting.plan_command import plan_dict, plan_main
from costboot.teaching.command import main


def mid_p_power(n, truth, null, tail):
    "Power of the mid-P test against a smaller rate, without any interval."
    k = np.arange(n + 1)
    return binom.pmf(k[binom.sf(k, n, null) + binom.pmf(k, n, null) / 2 < tail], n, truth).sum()


@pytest.mark.parametrize("truth, null, power", [(0.85, 0.75, 0.8), (0.3, 0.2, 0.9), (0.95, 0.9, 0.5)])
def test_a_rate_has_the_size_that_scipy_finds_by_looking_at_every_n(truth, null, power):
    plan = cb.plan_size("tpr", tpr=truth, null=null, power=power)
    every = np.array([mid_p_power(n, truth, null, 0.05) for n in range(1, 2 * plan.n_pos + 200)])
    assert plan.n_pos == np.flatnonzero(every < power)[-1] + 2
    assert plan.achieved == pytest.approx(every[plan.n_pos - 1], abs=1e-12) and plan.se == 0


def test_the_other_side_is_the_mirror():
    up, down = cb.plan_size("tpr", tpr=0.8, null=0.7, power=0.8), cb.plan_size("fpr", fpr=0.2, null=0.3, power=0.8)
    assert up.n_pos == down.n_neg and up.achieved == pytest.approx(down.achieved, abs=1e-12)


@pytest.mark.parametrize("of, assumed", [
    ("tpr", dict(tpr=0.9)), ("fpr", dict(fpr=0.05)), ("cost", dict(tpr=0.9, fpr=0.1, w=0.3)), ("tpr_difference", dict(tpr=(0.8, 0.9), disagreement=0.14)),
    ("cost_difference", dict(tpr=(0.8, 0.9), fpr=(0.1, 0.12), disagreement=(0.14, 0.06), w=0.3)),
])
def test_one_case_fewer_is_not_enough_and_one_more_is(of, assumed):
    plan = cb.plan_size(of, width=0.12, share_pos=0.4, **assumed)
    frame = plan.to_frame()
    assert plan.achieved <= 0.12 and (frame["width"][frame["n"] > plan.n] <= 0.12).all() and (frame["width"][frame["n"] < plan.n] > 0.12).all()
    wider = cb.plan_size(of, width=plan.achieved * 1.02, share_pos=0.4, **assumed)
    assert wider.n <= plan.n < cb.plan_size(of, width=0.06, share_pos=0.4, **assumed).n


def test_a_cost_at_the_ends_of_w_is_a_rate():
    for w, of, rates in ((1.0, "fpr", dict(fpr=0.15)), (0.0, "fpr", dict(fpr=0.1))):
        cost = cb.plan_size("cost", tpr=0.85, fpr=0.1, w=w, width=0.1)
        rate = cb.plan_size(of, width=0.1, **rates)
        assert abs((cost.n_pos if w else cost.n_neg) - rate.n_neg) <= 1


def test_sums_of_pairs_against_draws():
    rng, sizes = np.random.default_rng(1), (90, 140)
    for kind in ("width", "power"):
        goal = _Goal(kind, 0.5, 0.4 * 0.2 + 0.6 * 0.1, 0.25, 0.05, "recommended")
        fn, fp = rng.binomial(90, 0.2, 4000), rng.binomial(140, 0.1, 4000)
        from costboot.core.intervals import rates_sum_limits
        low, high = rates_sum_limits([[0.4], [0.6]], [fn, fp], [[90], [140]], 0.05)
        each = high - low if kind == "width" else high < 0.25
        assert abs(_cost_value((0.2, 0.1), 0.4, sizes, goal) - each.mean()) < 4 * each.std() / np.sqrt(4000)


def test_a_paired_difference_against_the_law_of_every_outcome():
    n, up, down = 14, 0.3, 0.1
    for kind in ("width", "power"):
        goal, total = _Goal(kind, 0.5, 0.2, 0.0, 0.05, "conservative"), 0.0
        for a in range(n + 1):
            for b in range(n + 1 - a):
                one, two = np.zeros(n + 1), np.zeros(n + 1)
                one[:b], two[b:a + b] = 1, 1
                low, high = cb.exact_roc_difference([1] * n + [0], one, two, [0.5], [0.5]).tpr.interval(0.9, "conservative")
                total += goal.mean(multinomial.pmf([a, b, n - a - b], n, [up, down, 1 - up - down]), low, high)
        assert _rate_difference_value((up, down), n, goal) == pytest.approx(total, abs=1e-7)
    both = _cost_difference_value(((up, down), (0.5, 0.1)), 1.0, (n, 9), goal)  # w = 1: the positives alone
    assert both == pytest.approx(total, abs=1e-7)


def test_the_search_stands_behind_the_last_tooth():
    teeth = {30: 0.1, 33: 0.1, 47: 0.1}  # sizes that fail behind the first that holds
    goal = _Goal("power", 0.5, 1.0, 0.0, 0.05, "recommended")
    def saw(n): return teeth.get(n, 1.0 if n >= 28 else 0.0)
    assert [_smallest(saw, goal, guess, 20) for guess in (2, 25, 40, 900)] == [48] * 4
    assert _smallest(saw, goal, 25, 10) == 34  # a short run does not see the tooth at 47: the run must be long enough
    assert _smallest(lambda n: 1.0, goal, 500, 20) == 2
    with pytest.raises(ValueError, match="`power` must be within reach of 100 instances; got 0.5, and 100 give 0.1"): _smallest(lambda n: 0.1, goal, 5, 5, 2, 100)


@pytest.mark.parametrize("goal", [dict(width=0.12), dict(power=0.8, null=0.7)])
def test_a_drawn_plan_holds_on_fresh_draws_of_another_seed(goal):
    model, rng = cb.Binormal(norm.ppf(0.8) / np.sqrt(2), 1.0, 1.0), np.random.default_rng(77)
    plan = cb.plan_size("auc", model=model, share_pos=0.3, rng=3, **goal)
    assert plan.truth == pytest.approx(0.8) and 0 < plan.se < 0.02 and plan.n_draws == 400
    sets = [cb.exact_auc(*model.sample(plan.n_pos, plan.n_neg, rng=rng)).interval(0.9) for _ in range(500)]
    each = np.array([i.high - i.low if "width" in goal else i.low > 0.7 for i in sets], float)
    assert abs(each.mean() - plan.achieved) < 4 * np.hypot(each.std() / np.sqrt(500), plan.se)
    same = cb.plan_size("auc", auc=0.8, share_pos=0.3, rng=3, **goal)  # rates and model: the same assumption
    assert abs(same.n - plan.n) <= 0.02 * plan.n
    assert cb.plan_size("auc", model=model, share_pos=0.3, rng=3, **goal).n == plan.n


def test_a_pilot_is_taken_at_its_word():
    y, one, two = cb.BinormalPair(cb.Binormal(1.0), cb.Binormal(2.0)).sample(30, 70, rng=1)
    hit, alarm = (one[y == k] >= 0.2 for k in (1, 0))
    pilot = cb.plan_size("cost", pilot=(y, one), threshold=0.2, w=0.3, width=0.1)
    given = cb.plan_size("cost", tpr=hit.mean(), fpr=alarm.mean(), w=0.3, width=0.1, share_pos=0.3)
    assert (pilot.n_pos, pilot.n_neg, pilot.achieved) == (given.n_pos, given.n_neg, given.achieved) and "pilot of 100" in pilot.assumed
    words = np.where(y == 1, "ill", "well")
    assert cb.plan_size("cost", pilot=(words, one), threshold=0.2, w=0.3, width=0.1, pos_label="ill").n == pilot.n
    area = cb.plan_size("auc_difference", pilot=(y, one, two), width=0.15, n_draws=100)
    assert area.truth == pytest.approx(cb.roc_auc(y, two) - cb.roc_auc(y, one)) and area.n_pos / area.n == pytest.approx(0.3, abs=0.02)


def test_the_result_is_frozen_and_shows_itself():
    plan = cb.plan_size("tpr_difference", tpr=(0.8, 0.88), disagreement=0.12, power=0.8)
    assert isinstance(plan, SizePlan) and plan.n == plan.n_pos + plan.n_neg and plan.truth == pytest.approx(0.08)
    with pytest.raises(AttributeError): plan.n_pos = 3
    with pytest.raises(ValueError): plan.curve.value[0] = 2.0
    assert repr(plan).startswith(f"SizePlan({plan.n:,} cases") and "<table" in plan._repr_html_()
    from matplotlib import pyplot as plt
    ax = plan.plot(label="x")
    assert ax.lines[0].get_xdata().tolist() == plan.curve.n.tolist() and plan.plot(ax) is ax
    plt.close(ax.figure)


@pytest.mark.parametrize("message, of, given", [
    ("`of` must be one of 'auc', 'auc_difference'", "recall", dict(width=0.1)),
    ("`of` must be one of", None, dict(width=0.1)),
    ("Exactly one of `width` and `power` must be given", "tpr", dict(tpr=0.9)),
    ("Exactly one of `width` and `power` must be given", "tpr", dict(tpr=0.9, width=0.1, power=0.8)),
    ("`width` must be a finite number above 0; got -1", "tpr", dict(tpr=0.9, width=-1)),
    ("`power` must be a number strictly between 0 and 1; got 80", "tpr", dict(tpr=0.9, power=80, null=0.5)),
    ("`null` must be given with `power`", "tpr", dict(tpr=0.9, power=0.8)),
    ("`null` must be None with `width`; got 0.5", "tpr", dict(tpr=0.9, width=0.1, null=0.5)),
    ("`null` must differ from the assumed value; got 0.9", "tpr", dict(tpr=0.9, power=0.8, null=0.9)),
    ("`tpr` must lie in .0, 1.; got 90", "tpr", dict(tpr=90, width=0.1)),
    ("`tpr` must be given for of='cost'", "cost", dict(fpr=0.1, w=0.5, width=0.1)),
    ("`tpr` must hold two numbers", "tpr_difference", dict(tpr=0.9, width=0.1)),
    ("`w` must be given for of='cost'", "cost", dict(tpr=0.9, fpr=0.1, width=0.1)),
    ("`w` must be None for of='tpr'; got 0.5", "tpr", dict(tpr=0.9, w=0.5, width=0.1)),
    ("`auc` must lie strictly between 0 and 1; got 1", "auc", dict(auc=1, width=0.1)),
    ("`disagreement` must lie between 0.1 and 0.3", "tpr_difference", dict(tpr=(0.8, 0.9), disagreement=0.05, width=0.1)),
    ("One of rates, `model` and `pilot` must say what is assumed; got none", "tpr", dict(width=0.1)),
    ("got `model` and `tpr`", "tpr", dict(width=0.1, tpr=0.5, model=cb.Binormal(1.0))),
    ("`model` must be a BinormalPair", "auc_difference", dict(width=0.1, model=cb.Binormal(1.0))),
    ("`threshold` must be given for of='tpr'", "tpr", dict(width=0.1, model=cb.Binormal(1.0))),
    ("`threshold` must be None with rates", "tpr", dict(width=0.1, tpr=0.5, threshold=1.0)),
    ("`pilot` must be .y_true, y_score. for of='tpr'", "tpr", dict(width=0.1, pilot=[1], threshold=0)),
    ("`share_pos` must be a number strictly between 0 and 1; got 20 - did you mean 0.2", "tpr", dict(width=0.1, tpr=0.5, share_pos=20)),
    ("`n_draws` must be a whole number, at least 50; got 3", "auc", dict(width=0.1, auc=0.8, n_draws=3)),
    ("`method` must be one of 'conservative', 'recommended'; got 'wald'", "tpr", dict(width=0.1, tpr=0.5, method="wald")),
    ("`width` must be within reach of 1,000,000 instances", "tpr", dict(width=1e-5, tpr=0.5)),
    ("`width` must be within reach of 50,000 instances", "auc", dict(width=1e-4, auc=0.7)),
])
def test_what_is_refused(message, of, given):
    with pytest.raises((ValueError, TypeError), match=message): cb.plan_size(of, **given)


@pytest.mark.parametrize("of", PLANS)
def test_every_kind_has_a_name_and_a_conservative_interval_needs_no_fewer(of):
    pair = cb.BinormalPair(cb.Binormal(1.5), cb.Binormal(3.0))
    given = dict(model=pair if of.endswith("difference") else pair.model_1, width=0.25, n_draws=100)
    if "cost" in of: given["w"] = 0.4
    elif "auc" not in of: given["threshold"] = 0.0
    plans = [cb.plan_size(of, **given, method=method) for method in ("recommended", "conservative")]
    assert plans[0].n <= plans[1].n * 1.03 and PLANS[of] in plans[0].sentence


def test_the_command(capsys, tmp_path):
    assert main(["plan", "tpr", "--tpr", "0.85", "--width", "0.1", "--share-pos", "0.2", "--json", str(tmp_path / "p.json")]) == 0
    out, plan = capsys.readouterr().out, cb.plan_size("tpr", tpr=0.85, width=0.1, share_pos=0.2)
    assert f"{plan.n:,} cases, {plan.n_pos:,} positive" in out and max(map(len, out.splitlines())) <= 100
    read = json.loads((tmp_path / "p.json").read_text())
    assert read == json.loads(json.dumps(plan_dict(plan))) and read["schema"] == "costboot plan" and read["version"] == 1
    assert plan_main(["tpr", "--tpr", "95", "--width", "0.1"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err == "costboot: --tpr must lie in [0, 1]; got 95.0.\n"
    assert plan_main(["tpr", "--tpr", "0.9", "--width", "0.1", "--json", str(tmp_path / "no" / "p.json")]) == 2
    assert "--json must lie in a folder that exists" in capsys.readouterr().err


def test_rate_values_agree_with_a_plain_sum():
    low, high = cb.exact_roc([1] * 20 + [0], [*range(20), 0], np.arange(21) - 0.5).tpr.interval(0.9)  # every count
    goal = _Goal("width", 0.1, 0.7, np.nan, 0.05, "recommended")
    assert _rate_value(0.7, 20, goal) == pytest.approx(binom.pmf(np.arange(20, -1, -1), 20, 0.7) @ (high - low), rel=1e-9)


def test_a_reader_that_goes_away_is_no_error():
    import subprocess
    import sys
    line = f"{sys.executable} -c 'import sys; from costboot.teaching.command import main; sys.exit(main())' plan tpr --tpr 0.9 --width 0.2"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {line} | true"], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
