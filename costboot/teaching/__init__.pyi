__all__: list[str]

from .derivations import (
    Formula as Formula,
    FormulaCheck as FormulaCheck,
    FormulaError as FormulaError,
    check_formula as check_formula,
    explore_formula_checker as explore_formula_checker,
    fig_formula_check as fig_formula_check,
    parse_formula as parse_formula,
)
from .exercises import (
    Exercise as Exercise,
    Verdict as Verdict,
    check_answer as check_answer,
    exercise_record as exercise_record,
    load_exercises as load_exercises,
    seal_answer as seal_answer,
)
