"""Every figure and every explorer of the book, and the application that serves them."""

from importlib import import_module

_PLACES = {
    "core.explorer_tool": (
        "check_explorer",
        "explore",
    ),
    "core.lattice_laws": (
        "explore_weighted_sum",
        "fig_weighted_sum",
    ),
    "curves.cost": (
        "explore_cost_construction",
        "explore_threshold_choice",
        "fig_cost_construction",
        "fig_threshold_choice",
    ),
    "curves.roc": (
        "explore_roc_point",
        "fig_roc_point",
    ),
    "laws.auc": (
        "explore_auc",
        "explore_auc_difference",
        "explore_auc_law",
        "fig_auc",
        "fig_auc_difference",
        "fig_auc_law",
    ),
    "laws.bands": (
        "explore_bands",
        "fig_bands",
    ),
    "laws.beyond_scores": (
        "explore_beyond_scores",
        "fig_beyond_scores",
    ),
    "laws.budget": (
        "explore_budget",
        "fig_budget",
    ),
    "laws.budget_difference": (
        "explore_budget_difference",
        "fig_budget_difference",
    ),
    "laws.calibration": (
        "explore_aligned_thresholds",
        "fig_aligned_thresholds",
    ),
    "laws.clusters": (
        "explore_clusters",
        "fig_clusters",
    ),
    "laws.cost": (
        "explore_cost_difference",
        "explore_cost_law",
        "explore_sampling",
        "fig_cost_difference",
        "fig_cost_law",
        "fig_sampling",
    ),
    "laws.expense": (
        "explore_expense",
        "fig_expense",
    ),
    "laws.fixed_fpr": (
        "explore_vertical_band",
        "fig_vertical_band",
    ),
    "laws.fixed_fpr_paired": (
        "explore_tpr_difference",
        "fig_tpr_difference",
    ),
    "laws.measures": (
        "explore_measure",
        "explore_measure_difference",
        "fig_measure",
        "fig_measure_difference",
    ),
    "laws.net_benefit": (
        "explore_decision_curve",
        "fig_decision_curve",
    ),
    "laws.partial_auc": (
        "explore_partial_auc",
        "fig_partial_auc",
    ),
    "laws.precision_recall": (
        "explore_precision_recall",
        "fig_precision_recall",
    ),
    "laws.roc_full": (
        "explore_free_sizes",
        "fig_free_sizes",
    ),
    "laws.smoothed_tpr": (
        "explore_kernel_band",
        "fig_kernel_band",
    ),
    "laws.thresholds": (
        "explore_roc_difference",
        "explore_roc_regions",
        "fig_roc_difference",
        "fig_roc_regions",
    ),
    "comparisons.honest_thresholds": (
        "explore_optimism",
        "fig_optimism",
    ),
    "comparisons.several_models": (
        "explore_family",
        "fig_family",
    ),
    "coverages.exact": (
        "explore_coverage",
        "fig_coverage",
    ),
    "coverages.exact_cost": (
        "explore_cost_coverage",
        "fig_cost_coverage",
    ),
    "coverages.exact_differences": (
        "explore_difference_coverage",
        "fig_difference_coverage",
    ),
    "coverages.exact_paired": (
        "explore_paired_coverage",
        "fig_paired_coverage",
    ),
    "coverages.planning": (
        "explore_plan_size",
        "fig_plan_size",
    ),
    "coverages.simulated": (
        "explore_simulation_error",
        "fig_simulation_error",
    ),
    "coverages.which_interval": (
        "explore_interval_choice",
        "fig_interval_choice",
    ),
    "folds.fold_bands": (
        "explore_two_bands",
        "fig_two_bands",
    ),
    "folds.operating_points": (
        "explore_indistinguishable",
        "fig_indistinguishable",
    ),
    "folds.other_methods": (
        "explore_ten_classes",
        "explore_threshold_average",
        "fig_ten_classes",
        "fig_threshold_average",
    ),
    "folds.three_classes": (
        "explore_three_class",
        "fig_three_class",
    ),
    "folds.weight_search": (
        "explore_weight_search",
        "fig_weight_search",
    ),
    "retrained.assessment": (
        "explore_pair_influence",
        "explore_rule_optimism",
        "fig_pair_influence",
        "fig_rule_optimism",
    ),
    "retrained.cv_variants": (
        "explore_two_sets",
        "fig_two_sets",
    ),
    "retrained.statistics": (
        "explore_statistic",
        "fig_statistic",
    ),
    "reporting.comparison": (
        "explore_own_condition",
        "fig_comparison",
        "fig_costs",
        "fig_difference",
        "fig_dominance",
        "fig_own_condition",
        "fig_regions",
        "fig_rocs",
    ),
    "explorers.direct_handling": (
        "drag_budget",
        "drag_condition",
        "drag_expense",
        "drag_rate",
        "drag_threshold",
    ),
    "teaching.derivation_explorer": (
        "explore_derivation",
        "fig_derivation",
    ),
    "papers.assessment_chapter": (
        "explore_training_size",
        "explore_weak_correlation",
        "fig_training_size",
        "fig_weak_correlation",
    ),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}
__all__ = sorted(_MODULES)


def __getattr__(name):
    if name not in _MODULES: raise AttributeError(f"No costboot.explorers attribute {name}")
    found = getattr(import_module(f"costboot.{_MODULES[name]}"), name)
    if not name.startswith("fig_"): return found
    from costboot.core.checks import checked_figure
    drawn = checked_figure(found)
    drawn.__module__ = __name__  # where a worker process finds it again
    return drawn


def __dir__(): return __all__.copy()
