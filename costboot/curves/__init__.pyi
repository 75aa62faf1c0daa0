__all__: list[str]

from .cost import (
    CostCurve as CostCurve,
    CostLines as CostLines,
    binormal_thresholds as binormal_thresholds,
    calibrated_thresholds as calibrated_thresholds,
    cost_curve as cost_curve,
    cost_lines as cost_lines,
    explore_cost_construction as explore_cost_construction,
    explore_threshold_choice as explore_threshold_choice,
    fig_cost_construction as fig_cost_construction,
    fig_threshold_choice as fig_threshold_choice,
    operating_condition as operating_condition,
    optimal_thresholds as optimal_thresholds,
)
from .disagreements import (
    paired_counts as paired_counts,
)
from .roc import (
    RocCurve as RocCurve,
    count_at_least as count_at_least,
    explore_roc_point as explore_roc_point,
    fig_roc_point as fig_roc_point,
    roc_auc as roc_auc,
    roc_curve_points as roc_curve_points,
    roc_hull as roc_hull,
)
