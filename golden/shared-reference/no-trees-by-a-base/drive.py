def drive(program):
    net = program.Net()
    copies = net.copy().scale[...], program.copied(), program.Tree().copy().scale[...]
    return copies, program.params_of(net)
