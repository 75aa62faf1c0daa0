__all__: list[str]

from .auc import (
    AucLaw as AucLaw,
    exact_auc as exact_auc,
    exact_auc_difference as exact_auc_difference,
    explore_auc as explore_auc,
    explore_auc_difference as explore_auc_difference,
    fig_auc as fig_auc,
    fig_auc_difference as fig_auc_difference,
)
from .budget import (
    BudgetLaw as BudgetLaw,
    RateAtBudget as RateAtBudget,
    exact_rates_at_budget as exact_rates_at_budget,
    explore_budget as explore_budget,
    fig_budget as fig_budget,
    resampled_rates_at_budget as resampled_rates_at_budget,
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
