__all__: list[str]

from .score_models import (
    Binormal as Binormal,
    BinormalPair as BinormalPair,
    Highleyman as Highleyman,
    Multinormal as Multinormal,
)
from .uci import (
    Dataset as Dataset,
    load_uci as load_uci,
    uci_available as uci_available,
)
