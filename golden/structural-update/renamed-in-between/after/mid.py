from nets import forward as fwd
from nets import thrice as three_times
from nets import twice as two_times
