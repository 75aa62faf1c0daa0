__all__: list[str]

from .curve_intervals import (
    Area as Area,
    CurvePoints as CurvePoints,
    area_limits as area_limits,
    area_variance as area_variance,
    conservative_area_limits as conservative_area_limits,
    hanley_variance as hanley_variance,
    hilgers_limits as hilgers_limits,
    newcombe_area_limits as newcombe_area_limits,
    threshold_ranks as threshold_ranks,
    vertical_limits as vertical_limits,
)
from .enumeration import (
    enumerate_law as enumerate_law,
)
from .explorer_tool import (
    check_explorer as check_explorer,
    control_label as control_label,
    explore as explore,
)
from .intervals import (
    ALTERNATIVES as ALTERNATIVES,
    Estimate as Estimate,
    Interval as Interval,
    LARGEST_GUARANTEED as LARGEST_GUARANTEED,
    RATE_LIMITS as RATE_LIMITS,
    Term as Term,
    agresti_coull_limits as agresti_coull_limits,
    cells_sum_limits as cells_sum_limits,
    clopper_pearson_limits as clopper_pearson_limits,
    difference_limits as difference_limits,
    effective_limits as effective_limits,
    guaranteed_limits as guaranteed_limits,
    interval_p_value as interval_p_value,
    mid_p_limits as mid_p_limits,
    multinomial_limits as multinomial_limits,
    paired_limits as paired_limits,
    price_bonett_limits as price_bonett_limits,
    rate_coverage as rate_coverage,
    rate_interval as rate_interval,
    rates_sum_limits as rates_sum_limits,
    release_tail as release_tail,
    stretched_limits as stretched_limits,
    sum_limits as sum_limits,
    wald_limits as wald_limits,
    wilson_limits as wilson_limits,
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
    Band as Band,
    DiscreteLaw as DiscreteLaw,
    Law as Law,
    METHOD_COLORS as METHOD_COLORS,
    PALETTE as PALETTE,
    PointLaw as PointLaw,
    draw_limits as draw_limits,
)
