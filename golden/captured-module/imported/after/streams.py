from state import rngs as streams

__all__ = ["streams"]
