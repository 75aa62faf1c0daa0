# The front door, written by hand: a name stands here when a user would type it.
__version__: str
__all__: list[str]

# Laws
from .laws.cost import exact_cost as exact_cost, exact_cost_difference as exact_cost_difference
from .laws.thresholds import exact_roc as exact_roc, exact_roc_difference as exact_roc_difference
from .laws.fixed_fpr import exact_tpr as exact_tpr
from .laws.fixed_fpr_paired import exact_tpr_difference as exact_tpr_difference
from .laws.auc import exact_auc as exact_auc, exact_auc_difference as exact_auc_difference
from .laws.budget import exact_rates_at_budget as exact_rates_at_budget
from .laws.budget_difference import (
    exact_rates_at_budget_difference as exact_rates_at_budget_difference,
)
from .laws.measures import (
    exact_measure as exact_measure,
    exact_measure_difference as exact_measure_difference,
)
from .laws.net_benefit import (
    exact_net_benefit as exact_net_benefit,
    exact_net_benefit_difference as exact_net_benefit_difference,
)
from .laws.expense import exact_expense as exact_expense
from .laws.smoothed_tpr import kernel_tpr as kernel_tpr
from .laws.large_tables import counts_from as counts_from
from .core.intervals import Interval as Interval
from .core.enumeration import enumerate_law as enumerate_law

# Curves and thresholds
from .curves.roc import (
    roc_auc as roc_auc,
    roc_curve_points as roc_curve_points,
    roc_hull as roc_hull,
)
from .curves.cost import (
    binormal_thresholds as binormal_thresholds,
    calibrated_thresholds as calibrated_thresholds,
    cost_curve as cost_curve,
    cost_lines as cost_lines,
    operating_condition as operating_condition,
    optimal_thresholds as optimal_thresholds,
)

# Comparisons, reports
from .comparisons.significance import significant_ranges as significant_ranges
from .comparisons.unpaired import independent_difference as independent_difference
from .comparisons.several_models import compare_costs as compare_costs
from .comparisons.honest_thresholds import (
    cross_fit as cross_fit,
    split_validation as split_validation,
)
from .comparisons.displays import RocBandDisplay as RocBandDisplay
from .reporting.score_tables import read_scores as read_scores
from .reporting.comparison import compare as compare, condition_table as condition_table
from .reporting.command import report as report
from .reporting.cost_display import CostBandDisplay as CostBandDisplay

# Coverage
from .coverages.exact import exact_coverage as exact_coverage
from .coverages.simulated import coverage as coverage
from .coverages.planning import plan_size as plan_size

# Operating points and retrained rules
from .folds.operating_points import average_operating_points as average_operating_points
from .folds.weight_search import search_weights as search_weights
from .retrained.assessment import assess as assess, compare_rules as compare_rules
from .retrained.statistics import (
    bootstrap_estimate as bootstrap_estimate,
    influence_estimate as influence_estimate,
    jackknife_estimate as jackknife_estimate,
)

# Data with a known truth, and the data of the papers
from .data.score_models import (
    Binormal as Binormal,
    BinormalPair as BinormalPair,
    Highleyman as Highleyman,
    Multinormal as Multinormal,
)
from .data.uci import load_uci as load_uci

# The rooms
from . import (
    comparisons as comparisons,
    core as core,
    coverages as coverages,
    curves as curves,
    data as data,
    explorers as explorers,
    folds as folds,
    laws as laws,
    papers as papers,
    reporting as reporting,
    retrained as retrained,
    teaching as teaching,
)
