__all__: list[str]

from .auc import (
    AucLaw as AucLaw,
    ClusterAucLaw as ClusterAucLaw,
    FreeAucLaw as FreeAucLaw,
    exact_auc as exact_auc,
    exact_auc_difference as exact_auc_difference,
    explore_auc as explore_auc,
    explore_auc_difference as explore_auc_difference,
    explore_auc_law as explore_auc_law,
    fig_auc as fig_auc,
    fig_auc_difference as fig_auc_difference,
    fig_auc_law as fig_auc_law,
)
from .auc_law import (
    exact_partial_auc as exact_partial_auc,
)
from .bands import (
    CountChain as CountChain,
    NestedProportion as NestedProportion,
    PairedDifference as PairedDifference,
    accepted_counts as accepted_counts,
    chain_of as chain_of,
    cost_band as cost_band,
    cost_difference_band as cost_difference_band,
    differences_bands as differences_bands,
    explore_bands as explore_bands,
    fig_bands as fig_bands,
    free_tail as free_tail,
    joint_coverage as joint_coverage,
    local_tail as local_tail,
    rates_bands as rates_bands,
    with_scores as with_scores,
)
from .budget import (
    BudgetLaw as BudgetLaw,
    RateAtBudget as RateAtBudget,
    exact_rates_at_budget as exact_rates_at_budget,
    explore_budget as explore_budget,
    fig_budget as fig_budget,
    resampled_rates_at_budget as resampled_rates_at_budget,
)
from .budget_difference import (
    BudgetDifferenceLaw as BudgetDifferenceLaw,
    RateDifferenceAtBudget as RateDifferenceAtBudget,
    exact_rates_at_budget_difference as exact_rates_at_budget_difference,
    explore_budget_difference as explore_budget_difference,
    fig_budget_difference as fig_budget_difference,
)
from .clusters import (
    CLUSTER_SAMPLING as CLUSTER_SAMPLING,
    ClusterArea as ClusterArea,
    ClusterCost as ClusterCost,
    ClusterCostDifference as ClusterCostDifference,
    ClusterRatio as ClusterRatio,
    ClusterSpread as ClusterSpread,
    ClusterSum as ClusterSum,
    DOUBT as DOUBT,
    FullClusterCost as FullClusterCost,
    FullClusterDifference as FullClusterDifference,
    GroupedClasses as GroupedClasses,
    area_covariance as area_covariance,
    area_moments as area_moments,
    area_residuals as area_residuals,
    check_one_class as check_one_class,
    cluster_area as cluster_area,
    cluster_area_limits as cluster_area_limits,
    cluster_area_variance as cluster_area_variance,
    cluster_cost as cluster_cost,
    cluster_degrees as cluster_degrees,
    cluster_form_limits as cluster_form_limits,
    cluster_limits as cluster_limits,
    cluster_spread as cluster_spread,
    conservative_cluster_area_limits as conservative_cluster_area_limits,
    counts_by_cluster as counts_by_cluster,
    design_effect as design_effect,
    distinct_rows as distinct_rows,
    effective_clusters as effective_clusters,
    explore_clusters as explore_clusters,
    fig_clusters as fig_clusters,
    full_clusters as full_clusters,
    grouped_classes as grouped_classes,
    joint_signs as joint_signs,
    kernel_by_cluster as kernel_by_cluster,
    mistakes_by_cluster as mistakes_by_cluster,
    resampled_cluster_areas as resampled_cluster_areas,
    sampled_clusters as sampled_clusters,
    stratified_clusters as stratified_clusters,
    student_factor as student_factor,
)
from .cost import (
    exact_cost as exact_cost,
    exact_cost_difference as exact_cost_difference,
    explore_cost_difference as explore_cost_difference,
    explore_cost_law as explore_cost_law,
    explore_sampling as explore_sampling,
    fig_cost_difference as fig_cost_difference,
    fig_cost_law as fig_cost_law,
    fig_sampling as fig_sampling,
)
from .cost_full import (
    FullCostDifferenceLaw as FullCostDifferenceLaw,
    FullCostLaw as FullCostLaw,
    PrevalenceMixture as PrevalenceMixture,
    TrinomialForm as TrinomialForm,
)
from .cost_stratified import (
    CostDifferenceLaw as CostDifferenceLaw,
    CostLaw as CostLaw,
)
from .expense import (
    ExpenseDifferenceLaw as ExpenseDifferenceLaw,
    ExpenseLaw as ExpenseLaw,
    exact_expense as exact_expense,
    exact_expense_difference as exact_expense_difference,
    explore_expense as explore_expense,
    fig_expense as fig_expense,
)
from .fixed_fpr import (
    VerticalLaw as VerticalLaw,
    exact_tpr as exact_tpr,
    explore_vertical_band as explore_vertical_band,
    fig_vertical_band as fig_vertical_band,
    resampled_tpr as resampled_tpr,
)
from .fixed_fpr_paired import (
    VerticalDifferenceLaw as VerticalDifferenceLaw,
    exact_tpr_difference as exact_tpr_difference,
    explore_tpr_difference as explore_tpr_difference,
    fig_tpr_difference as fig_tpr_difference,
    gaussian_joint_error as gaussian_joint_error,
    resampled_tpr_difference as resampled_tpr_difference,
)
from .large_tables import (
    PairedTableCounts as PairedTableCounts,
    TableCounts as TableCounts,
    counts_from as counts_from,
)
from .measures import (
    Counted as Counted,
    LinearMeasureFullLaw as LinearMeasureFullLaw,
    LinearMeasureLaw as LinearMeasureLaw,
    MEASURES as MEASURES,
    Measure as Measure,
    MeasureDifferenceLaw as MeasureDifferenceLaw,
    MeasureLaw as MeasureLaw,
    as_measure as as_measure,
    counted_thresholds as counted_thresholds,
    exact_measure as exact_measure,
    exact_measure_difference as exact_measure_difference,
    explore_measure as explore_measure,
    explore_measure_difference as explore_measure_difference,
    fig_measure as fig_measure,
    fig_measure_difference as fig_measure_difference,
    linear_difference_law as linear_difference_law,
    linear_full_law as linear_full_law,
    linear_measure_law as linear_measure_law,
    measure_at as measure_at,
    measure_of_counts as measure_of_counts,
)
from .net_benefit import (
    NetBenefitFullLaw as NetBenefitFullLaw,
    NetBenefitLaw as NetBenefitLaw,
    exact_net_benefit as exact_net_benefit,
    exact_net_benefit_difference as exact_net_benefit_difference,
    explore_decision_curve as explore_decision_curve,
    fig_decision_curve as fig_decision_curve,
)
from .precision_recall import (
    PrecisionAtRecallLaw as PrecisionAtRecallLaw,
    PrecisionRecallLaw as PrecisionRecallLaw,
    RecallRegion as RecallRegion,
    exact_precision_at_recall as exact_precision_at_recall,
    exact_precision_recall as exact_precision_recall,
    explore_precision_recall as explore_precision_recall,
    fig_precision_recall as fig_precision_recall,
)
from .roc_full import (
    FreeHeight as FreeHeight,
    FreeRate as FreeRate,
    explore_free_sizes as explore_free_sizes,
    fig_free_sizes as fig_free_sizes,
)
from .smoothed_tpr import (
    KernelTpr as KernelTpr,
    explore_kernel_band as explore_kernel_band,
    fig_kernel_band as fig_kernel_band,
    kernel_tpr as kernel_tpr,
)
from .thresholds import (
    Dominance as Dominance,
    Quadrants as Quadrants,
    Region as Region,
    RocDifferenceLaw as RocDifferenceLaw,
    RocLaw as RocLaw,
    exact_roc as exact_roc,
    exact_roc_difference as exact_roc_difference,
    explore_roc_difference as explore_roc_difference,
    explore_roc_regions as explore_roc_regions,
    fig_roc_difference as fig_roc_difference,
    fig_roc_regions as fig_roc_regions,
    resampled_roc as resampled_roc,
)
