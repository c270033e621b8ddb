from nets import forward as fwd
