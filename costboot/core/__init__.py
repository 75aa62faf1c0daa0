"""What a law is, how bad input is answered, how laws are checked and explored."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
