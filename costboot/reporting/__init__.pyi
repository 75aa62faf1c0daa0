__all__: list[str]

from .command import (
    Report as Report,
    report as report,
)
from .comparison import (
    Comparison as Comparison,
    Condition as Condition,
    Example as Example,
    Judged as Judged,
    PairEvidence as PairEvidence,
    compare as compare,
    condition_table as condition_table,
    example_scores as example_scores,
    explore_own_condition as explore_own_condition,
    fig_comparison as fig_comparison,
    fig_costs as fig_costs,
    fig_difference as fig_difference,
    fig_dominance as fig_dominance,
    fig_own_condition as fig_own_condition,
    fig_regions as fig_regions,
    fig_rocs as fig_rocs,
    trained_example as trained_example,
)
from .cost_display import (
    CostBandDisplay as CostBandDisplay,
)
from .page import (
    comparison_table as comparison_table,
)
from .plan_command import (
    PLAN_SCHEMA as PLAN_SCHEMA,
    plan_dict as plan_dict,
    plan_main as plan_main,
)
from .records import (
    report_changes as report_changes,
)
from .score_tables import (
    ScoreTable as ScoreTable,
    read_scores as read_scores,
)
