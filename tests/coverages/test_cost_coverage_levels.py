"""The coverage of a cost: a bad level is refused by name."""

import numpy as np
import pytest

from costboot.coverages.exact_cost import _cost_coverage
from costboot.data.score_models import Binormal

LEVELS = [(0, ValueError), (1, ValueError), (-0.1, ValueError), (90, ValueError), (np.nan, ValueError), ("0.9", TypeError), (None, TypeError), (True, TypeError)]


@pytest.mark.parametrize(("level", "error"), LEVELS)
def test_bad_levels(level, error):
    with pytest.raises(error, match="`confidence_level` must be a number strictly between 0 and 1"):
        _cost_coverage(Binormal(1.0), 5, 5, np.array([0.2, 0.5, 0.9]), level)
