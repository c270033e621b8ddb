from encoders.linear import Encoder, look

__all__ = ["Encoder", "look"]
