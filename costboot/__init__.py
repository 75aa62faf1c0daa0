"""Honest uncertainty for classifier performance: exact bootstrap laws of cost and ROC curves.

`import costboot as cb` gives every public name. The modules themselves are generated from the notebooks in `nbs/`;
this list is written by hand.
"""

__version__ = "0.1.0"

from costboot.answers import check_answer
from costboot.auc import RuleComparison, compare_rules, explore_pair_influence, fig_pair_influence
from costboot.auc_laws import (
    AucLaw,
    exact_auc,
    exact_auc_difference,
    explore_auc,
    explore_auc_difference,
    fig_auc,
    fig_auc_difference,
)
from costboot.big_tables import PairedTableCounts, TableCounts, counts_from
from costboot.budget_laws import BudgetLaw, exact_rates_at_budget, explore_budget, fig_budget, resampled_rates_at_budget
from costboot.comparisons import (
    CostComparison,
    IndependentDifference,
    compare_costs,
    explore_family,
    fig_family,
    independent_difference,
)
from costboot.core import PALETTE, DiscreteLaw, Interval, Law, enumerate_law
from costboot.cost import (
    CostCurve,
    CostLines,
    binormal_thresholds,
    calibrated_thresholds,
    cost_curve,
    cost_lines,
    explore_cost_construction,
    explore_threshold_choice,
    fig_cost_construction,
    fig_threshold_choice,
    operating_condition,
    optimal_thresholds,
)
from costboot.cost_coverage import explore_cost_coverage, fig_cost_coverage
from costboot.cost_experiments import difference_coverage, explore_difference_coverage, fig_difference_coverage
from costboot.cost_full import (
    FullCostDifferenceLaw,
    FullCostLaw,
    PrevalenceMixture,
    TrinomialForm,
    explore_cost_law,
    explore_sampling,
    fig_cost_law,
    fig_sampling,
)
from costboot.cost_laws import (
    CostDifferenceLaw,
    CostLaw,
    exact_cost,
    exact_cost_difference,
    explore_cost_difference,
    fig_cost_difference,
    significant_ranges,
)
from costboot.coverage_lab import coverage, explore_simulation_error, fig_simulation_error
from costboot.coverage_sums import Coverage, Coverages, exact_coverage, explore_coverage, fig_coverage
from costboot.data import Binormal, BinormalPair, Dataset, Highleyman, Multinormal, load_uci, uci_available
from costboot.error_rate import Assessment, assess, explore_rule_optimism, fig_rule_optimism
from costboot.evidence import (
    Comparison,
    Condition,
    Example,
    PairEvidence,
    compare,
    condition_table,
    example_scores,
    explore_own_condition,
    fig_comparison,
    fig_costs,
    fig_difference,
    fig_dominance,
    fig_own_condition,
    fig_regions,
    fig_rocs,
)
from costboot.explore import check_explorer, explore
from costboot.fold_bands import explore_two_bands, fig_two_bands
from costboot.formula_checker import (
    Formula,
    FormulaCheck,
    FormulaError,
    check_formula,
    explore_formula_checker,
    fig_formula_check,
    parse_formula,
)
from costboot.honest_thresholds import (
    Split,
    explore_optimism,
    fig_optimism,
    split_validation,
    validated_cost,
    validated_cost_difference,
)
from costboot.kernel_intervals import KernelTpr, explore_kernel_band, fig_kernel_band, kernel_tpr
from costboot.lattice import (
    BinomialProportion,
    LatticeLaw,
    Mixture,
    TrinomialDifference,
    WeightedSum,
    explore_weighted_sum,
    fig_weighted_sum,
)
from costboot.operating_points import (
    OperatingPoints,
    PointComparison,
    average_operating_points,
    explore_indistinguishable,
    fig_indistinguishable,
)
from costboot.paired_counts import paired_counts
from costboot.paired_coverage import empirical_coverage, exact_paired_coverage, explore_paired_coverage, fig_paired_coverage
from costboot.population import Population
from costboot.report import Report, report
from costboot.report_page import comparison_table
from costboot.roc import (
    RocCurve,
    count_at_least,
    explore_roc_point,
    fig_roc_point,
    roc_auc,
    roc_curve_points,
    roc_hull,
)
from costboot.roc_display import RocBandDisplay
from costboot.rotation import FoldOutputs, GaussianDetector, expected_cost, fold_outputs
from costboot.rule_simulation import (
    explore_training_size,
    explore_weak_correlation,
    fig_training_size,
    fig_weak_correlation,
    simulate_auc,
)
from costboot.statistics import (
    StatisticEstimate,
    bootstrap_estimate,
    explore_statistic,
    fig_statistic,
    influence_estimate,
    jackknife_estimate,
)
from costboot.tables import ScoreTable, read_scores
from costboot.three_class import explore_three_class, fig_three_class
from costboot.threshold_laws import (
    Dominance,
    Quadrants,
    Region,
    RocDifferenceLaw,
    RocLaw,
    clopper_pearson_interval,
    exact_roc,
    exact_roc_difference,
    explore_roc_difference,
    explore_roc_regions,
    fig_roc_difference,
    fig_roc_regions,
    resampled_roc,
    wilson_interval,
)
from costboot.vertical_laws import VerticalLaw, exact_tpr, explore_vertical_band, fig_vertical_band, resampled_tpr
from costboot.vertical_paired import (
    VerticalDifferenceLaw,
    exact_tpr_difference,
    explore_tpr_difference,
    fig_tpr_difference,
    gaussian_joint_error,
    resampled_tpr_difference,
)
from costboot.weight_search import WeightSearch, explore_weight_search, fig_weight_search, search_weights
from costboot.which_interval import agresti_caffo_interval, explore_interval_choice, fig_interval_choice, interval_table

__all__ = sorted(name for name, value in globals().items() if not name.startswith("_") and not hasattr(value, "__path__") and type(value).__name__ != "module")
