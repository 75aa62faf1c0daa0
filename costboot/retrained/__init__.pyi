__all__: list[str]

from .assessment import (
    Assessment as Assessment,
    RuleComparison as RuleComparison,
    assess as assess,
    compare_rules as compare_rules,
    explore_pair_influence as explore_pair_influence,
    explore_rule_optimism as explore_rule_optimism,
    fig_pair_influence as fig_pair_influence,
    fig_rule_optimism as fig_rule_optimism,
)
from .cv_variants import (
    TestedRule as TestedRule,
    assess_on_test_set as assess_on_test_set,
    explore_two_sets as explore_two_sets,
    fig_two_sets as fig_two_sets,
    split_standard_error as split_standard_error,
)
from .rule_comparisons import (
    FiveByTwo as FiveByTwo,
    RuleTable as RuleTable,
    compare_all_rules as compare_all_rules,
    five_by_two as five_by_two,
)
from .rule_intervals import (
    RuleError as RuleError,
)
from .statistics import (
    StatisticEstimate as StatisticEstimate,
    bootstrap_estimate as bootstrap_estimate,
    explore_statistic as explore_statistic,
    fig_statistic as fig_statistic,
    influence_estimate as influence_estimate,
    jackknife_estimate as jackknife_estimate,
)
