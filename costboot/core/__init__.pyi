__all__: list[str]

from .enumeration import (
    enumerate_law as enumerate_law,
)
from .explorer_tool import (
    check_explorer as check_explorer,
    explore as explore,
)
from .lattice_laws import (
    BinomialProportion as BinomialProportion,
    LatticeLaw as LatticeLaw,
    Mixture as Mixture,
    TrinomialDifference as TrinomialDifference,
    WeightedSum as WeightedSum,
    explore_weighted_sum as explore_weighted_sum,
    fig_weighted_sum as fig_weighted_sum,
)
from .law import (
    DiscreteLaw as DiscreteLaw,
    Interval as Interval,
    Law as Law,
    PALETTE as PALETTE,
)
