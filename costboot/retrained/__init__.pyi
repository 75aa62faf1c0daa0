__all__: list[str]

from .auc import (
    RuleComparison as RuleComparison,
    compare_rules as compare_rules,
    explore_pair_influence as explore_pair_influence,
    fig_pair_influence as fig_pair_influence,
)
from .error_rate import (
    Assessment as Assessment,
    assess as assess,
    explore_rule_optimism as explore_rule_optimism,
    fig_rule_optimism as fig_rule_optimism,
)
from .statistics import (
    StatisticEstimate as StatisticEstimate,
    bootstrap_estimate as bootstrap_estimate,
    explore_statistic as explore_statistic,
    fig_statistic as fig_statistic,
    influence_estimate as influence_estimate,
    jackknife_estimate as jackknife_estimate,
)
