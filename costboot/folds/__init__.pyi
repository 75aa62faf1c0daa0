__all__: list[str]

from .fold_bands import (
    explore_two_bands as explore_two_bands,
    fig_two_bands as fig_two_bands,
)
from .operating_points import (
    OperatingPoints as OperatingPoints,
    PointComparison as PointComparison,
    average_operating_points as average_operating_points,
    explore_indistinguishable as explore_indistinguishable,
    fig_indistinguishable as fig_indistinguishable,
)
from .other_methods import (
    average_thresholds as average_thresholds,
    decompose_weights as decompose_weights,
    explore_ten_classes as explore_ten_classes,
    explore_threshold_average as explore_threshold_average,
    fig_ten_classes as fig_ten_classes,
    fig_threshold_average as fig_threshold_average,
)
from .outputs import (
    FoldOutputs as FoldOutputs,
    GaussianDetector as GaussianDetector,
    expected_cost as expected_cost,
    fold_outputs as fold_outputs,
)
from .three_classes import (
    explore_three_class as explore_three_class,
    fig_three_class as fig_three_class,
)
from .weight_search import (
    WeightSearch as WeightSearch,
    explore_weight_search as explore_weight_search,
    fig_weight_search as fig_weight_search,
    search_weights as search_weights,
)
