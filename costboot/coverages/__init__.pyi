__all__: list[str]

from .cluster_study import (
    CLUSTER_TARGETS as CLUSTER_TARGETS,
    ClusterPart as ClusterPart,
    ClusterTarget as ClusterTarget,
    drawn_cells as drawn_cells,
    judged as judged,
    load_clusters as load_clusters,
    mean_rates as mean_rates,
    measure_clusters as measure_clusters,
    save_clusters as save_clusters,
    study_sizes as study_sizes,
)
from .exact import (
    Coverage as Coverage,
    Coverages as Coverages,
    exact_coverage as exact_coverage,
    explore_coverage as explore_coverage,
    fig_coverage as fig_coverage,
)
from .exact_cost import (
    explore_cost_coverage as explore_cost_coverage,
    fig_cost_coverage as fig_cost_coverage,
)
from .exact_differences import (
    difference_coverage as difference_coverage,
    explore_difference_coverage as explore_difference_coverage,
    fig_difference_coverage as fig_difference_coverage,
)
from .exact_paired import (
    empirical_coverage as empirical_coverage,
    exact_paired_coverage as exact_paired_coverage,
    explore_paired_coverage as explore_paired_coverage,
    fig_paired_coverage as fig_paired_coverage,
)
from .interval_study import (
    DRAWS as DRAWS,
    LEVELS as LEVELS,
    SEED as SEED,
    StudyPart as StudyPart,
    TARGETS as TARGETS,
    Target as Target,
    load_study as load_study,
    measure_target as measure_target,
    run_targets as run_targets,
    save_study as save_study,
    stored_results as stored_results,
    study_designs as study_designs,
    study_parser as study_parser,
)
from .measure_study import (
    FULL_DESIGNS as FULL_DESIGNS,
    MeasureDesign as MeasureDesign,
    PAIR_DESIGNS as PAIR_DESIGNS,
    PairDesign as PairDesign,
    STRATIFIED_DESIGNS as STRATIFIED_DESIGNS,
    STUDIED as STUDIED,
    STUDY_PARTS as STUDY_PARTS,
    draw_measure_study as draw_measure_study,
    full_coverage as full_coverage,
    load_measure_study as load_measure_study,
    pair_coverage as pair_coverage,
    run_measure_study as run_measure_study,
    stratified_coverage as stratified_coverage,
    worst_of_measures as worst_of_measures,
)
from .planning import (
    PLANS as PLANS,
    SizeCurve as SizeCurve,
    SizePlan as SizePlan,
    explore_plan_size as explore_plan_size,
    fig_plan_size as fig_plan_size,
    plan_size as plan_size,
)
from .populations import (
    Population as Population,
)
from .simulated import (
    coverage as coverage,
    explore_simulation_error as explore_simulation_error,
    fig_simulation_error as fig_simulation_error,
)
from .which_interval import (
    explore_interval_choice as explore_interval_choice,
    fig_interval_choice as fig_interval_choice,
    interval_table as interval_table,
)
