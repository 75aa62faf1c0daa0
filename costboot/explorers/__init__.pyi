__all__: list[str]

from costboot.core.explorer_tool import (
    check_explorer as check_explorer,
    explore as explore,
)
from costboot.core.lattice_laws import (
    explore_weighted_sum as explore_weighted_sum,
    fig_weighted_sum as fig_weighted_sum,
)
from costboot.curves.cost import (
    explore_cost_construction as explore_cost_construction,
    explore_threshold_choice as explore_threshold_choice,
    fig_cost_construction as fig_cost_construction,
    fig_threshold_choice as fig_threshold_choice,
)
from costboot.curves.roc import (
    explore_roc_point as explore_roc_point,
    fig_roc_point as fig_roc_point,
)
from costboot.laws.auc import (
    explore_auc as explore_auc,
    explore_auc_difference as explore_auc_difference,
    explore_auc_law as explore_auc_law,
    fig_auc as fig_auc,
    fig_auc_difference as fig_auc_difference,
    fig_auc_law as fig_auc_law,
)
from costboot.laws.bands import (
    explore_bands as explore_bands,
    fig_bands as fig_bands,
)
from costboot.laws.beyond_scores import (
    explore_beyond_scores as explore_beyond_scores,
    fig_beyond_scores as fig_beyond_scores,
)
from costboot.laws.budget import (
    explore_budget as explore_budget,
    fig_budget as fig_budget,
)
from costboot.laws.budget_difference import (
    explore_budget_difference as explore_budget_difference,
    fig_budget_difference as fig_budget_difference,
)
from costboot.laws.calibration import (
    explore_aligned_thresholds as explore_aligned_thresholds,
    fig_aligned_thresholds as fig_aligned_thresholds,
)
from costboot.laws.clusters import (
    explore_clusters as explore_clusters,
    fig_clusters as fig_clusters,
)
from costboot.laws.cost import (
    explore_cost_difference as explore_cost_difference,
    explore_cost_law as explore_cost_law,
    explore_sampling as explore_sampling,
    fig_cost_difference as fig_cost_difference,
    fig_cost_law as fig_cost_law,
    fig_sampling as fig_sampling,
)
from costboot.laws.expense import (
    explore_expense as explore_expense,
    fig_expense as fig_expense,
)
from costboot.laws.fixed_fpr import (
    explore_vertical_band as explore_vertical_band,
    fig_vertical_band as fig_vertical_band,
)
from costboot.laws.fixed_fpr_paired import (
    explore_tpr_difference as explore_tpr_difference,
    fig_tpr_difference as fig_tpr_difference,
)
from costboot.laws.measures import (
    explore_measure as explore_measure,
    explore_measure_difference as explore_measure_difference,
    fig_measure as fig_measure,
    fig_measure_difference as fig_measure_difference,
)
from costboot.laws.net_benefit import (
    explore_decision_curve as explore_decision_curve,
    fig_decision_curve as fig_decision_curve,
)
from costboot.laws.partial_auc import (
    explore_partial_auc as explore_partial_auc,
    fig_partial_auc as fig_partial_auc,
)
from costboot.laws.precision_recall import (
    explore_precision_recall as explore_precision_recall,
    fig_precision_recall as fig_precision_recall,
)
from costboot.laws.roc_full import (
    explore_free_sizes as explore_free_sizes,
    fig_free_sizes as fig_free_sizes,
)
from costboot.laws.smoothed_tpr import (
    explore_kernel_band as explore_kernel_band,
    fig_kernel_band as fig_kernel_band,
)
from costboot.laws.thresholds import (
    explore_roc_difference as explore_roc_difference,
    explore_roc_regions as explore_roc_regions,
    fig_roc_difference as fig_roc_difference,
    fig_roc_regions as fig_roc_regions,
)
from costboot.comparisons.honest_thresholds import (
    explore_optimism as explore_optimism,
    fig_optimism as fig_optimism,
)
from costboot.comparisons.several_models import (
    explore_family as explore_family,
    fig_family as fig_family,
)
from costboot.coverages.exact import (
    explore_coverage as explore_coverage,
    fig_coverage as fig_coverage,
)
from costboot.coverages.exact_cost import (
    explore_cost_coverage as explore_cost_coverage,
    fig_cost_coverage as fig_cost_coverage,
)
from costboot.coverages.exact_differences import (
    explore_difference_coverage as explore_difference_coverage,
    fig_difference_coverage as fig_difference_coverage,
)
from costboot.coverages.exact_paired import (
    explore_paired_coverage as explore_paired_coverage,
    fig_paired_coverage as fig_paired_coverage,
)
from costboot.coverages.planning import (
    explore_plan_size as explore_plan_size,
    fig_plan_size as fig_plan_size,
)
from costboot.coverages.simulated import (
    explore_simulation_error as explore_simulation_error,
    fig_simulation_error as fig_simulation_error,
)
from costboot.coverages.which_interval import (
    explore_interval_choice as explore_interval_choice,
    fig_interval_choice as fig_interval_choice,
)
from costboot.folds.fold_bands import (
    explore_two_bands as explore_two_bands,
    fig_two_bands as fig_two_bands,
)
from costboot.folds.operating_points import (
    explore_indistinguishable as explore_indistinguishable,
    fig_indistinguishable as fig_indistinguishable,
)
from costboot.folds.other_methods import (
    explore_ten_classes as explore_ten_classes,
    explore_threshold_average as explore_threshold_average,
    fig_ten_classes as fig_ten_classes,
    fig_threshold_average as fig_threshold_average,
)
from costboot.folds.three_classes import (
    explore_three_class as explore_three_class,
    fig_three_class as fig_three_class,
)
from costboot.folds.weight_search import (
    explore_weight_search as explore_weight_search,
    fig_weight_search as fig_weight_search,
)
from costboot.retrained.assessment import (
    explore_pair_influence as explore_pair_influence,
    explore_rule_optimism as explore_rule_optimism,
    fig_pair_influence as fig_pair_influence,
    fig_rule_optimism as fig_rule_optimism,
)
from costboot.retrained.cv_variants import (
    explore_two_sets as explore_two_sets,
    fig_two_sets as fig_two_sets,
)
from costboot.retrained.statistics import (
    explore_statistic as explore_statistic,
    fig_statistic as fig_statistic,
)
from costboot.reporting.comparison import (
    explore_own_condition as explore_own_condition,
    fig_comparison as fig_comparison,
    fig_costs as fig_costs,
    fig_difference as fig_difference,
    fig_dominance as fig_dominance,
    fig_own_condition as fig_own_condition,
    fig_regions as fig_regions,
    fig_rocs as fig_rocs,
)
from costboot.explorers.direct_handling import (
    drag_budget as drag_budget,
    drag_condition as drag_condition,
    drag_expense as drag_expense,
    drag_rate as drag_rate,
    drag_threshold as drag_threshold,
)
from costboot.teaching.derivation_explorer import (
    explore_derivation as explore_derivation,
    fig_derivation as fig_derivation,
)
from costboot.papers.assessment_chapter import (
    explore_training_size as explore_training_size,
    explore_weak_correlation as explore_weak_correlation,
    fig_training_size as fig_training_size,
    fig_weak_correlation as fig_weak_correlation,
)
