__all__: list[str]

from .assessment_chapter import (
    explore_training_size as explore_training_size,
    explore_weak_correlation as explore_weak_correlation,
    fig_training_size as fig_training_size,
    fig_weak_correlation as fig_weak_correlation,
    intervals as intervals,
    simulate_auc as simulate_auc,
    table1 as table1,
    table2 as table2,
    table4 as table4,
)
from .cost_paper import (
    COST_EXPERIMENTS as COST_EXPERIMENTS,
    empirical as empirical,
    one_classifier as one_classifier,
    slides as slides,
    two_classifiers as two_classifiers,
    uci as uci,
    validation as validation,
)
from .operating_points import (
    alike_points as alike_points,
    digit_surface as digit_surface,
    point_levels as point_levels,
)
from .registry import (
    EXPERIMENTS as EXPERIMENTS,
    Experiment as Experiment,
    load_result as load_result,
    run_experiment as run_experiment,
    save_result as save_result,
)
from .roc_paper import (
    ROC_EXPERIMENTS as ROC_EXPERIMENTS,
    UCI_SETS as UCI_SETS,
    algorithm_times as algorithm_times,
    data_set_sizes as data_set_sizes,
    declared_dominance as declared_dominance,
    paired_regions as paired_regions,
    paired_vertical_intervals as paired_vertical_intervals,
    random_class_sizes as random_class_sizes,
    threshold_regions as threshold_regions,
    vertical_intervals as vertical_intervals,
)
from .rule_benchmark import (
    BenchmarkDesign as BenchmarkDesign,
    VariantDesign as VariantDesign,
    benchmark_rules as benchmark_rules,
    cv_variants as cv_variants,
    two_sets as two_sets,
)
from .rule_studies import (
    PairDesign as PairDesign,
    RuleDesign as RuleDesign,
    rule_families as rule_families,
    rule_intervals as rule_intervals,
    rule_intervals_real as rule_intervals_real,
    rule_tests as rule_tests,
)
