from encoders.linear import Encoder
