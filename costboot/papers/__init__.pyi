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
    empirical as empirical,
    fig2 as fig2,
    fig3 as fig3,
    fig4 as fig4,
    fig5 as fig5,
    fig6 as fig6,
    slides as slides,
    uci as uci,
    validation as validation,
    which_interval as which_interval,
)
from .registry import (
    EXPERIMENTS as EXPERIMENTS,
    Experiment as Experiment,
    load_result as load_result,
    run_experiment as run_experiment,
    save_result as save_result,
)
from .roc_paper import (
    UCI_SETS as UCI_SETS,
    figure_10 as figure_10,
    figure_11 as figure_11,
    figure_2 as figure_2,
    figure_3 as figure_3,
    figure_4 as figure_4,
    figure_5 as figure_5,
    figure_6 as figure_6,
    figure_7 as figure_7,
    figure_8 as figure_8,
    figure_9 as figure_9,
    table_1 as table_1,
    table_3 as table_3,
)
