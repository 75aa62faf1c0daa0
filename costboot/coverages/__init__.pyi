__all__: list[str]

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
    save_study as save_study,
    study_designs as study_designs,
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
