"""Sums of positive terms, linear forms, order statistics: the numbers under the laws."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
