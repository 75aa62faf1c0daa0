__all__: list[str]

from .displays import (
    BandGroup as BandGroup,
    RocBandDisplay as RocBandDisplay,
)
from .honest_thresholds import (
    CrossFit as CrossFit,
    INFLATION as INFLATION,
    LARGEST_INFLATION as LARGEST_INFLATION,
    Part as Part,
    SMALLEST_INFLATION as SMALLEST_INFLATION,
    Split as Split,
    cross_fit as cross_fit,
    explore_optimism as explore_optimism,
    fig_optimism as fig_optimism,
    split_validation as split_validation,
    validated_cost as validated_cost,
    validated_cost_difference as validated_cost_difference,
)
from .several_models import (
    CostComparison as CostComparison,
    compare_costs as compare_costs,
    explore_family as explore_family,
    fig_family as fig_family,
)
from .significance import (
    significant_ranges as significant_ranges,
)
from .unpaired import (
    AreaVariable as AreaVariable,
    IndependentAreas as IndependentAreas,
    IndependentDifference as IndependentDifference,
    UnpairedRates as UnpairedRates,
    independent_difference as independent_difference,
)
