def drive(program):
    net, tied, other, listed = program.results
    assert len(program.untied.flat_state()) == len(program.at_once.flat_state()) == 4
    assert len(program.tied.flat_state()) == len(other.flat_state()) == 2
    assert len(listed.flat_state()) == 2
    assert len(program.half_tied.flat_state()) == 3
    assert net.two.bias is not net.one.bias
    assert tied.two.bias is tied.one.bias
    return program.untied, program.at_once, program.results, program.tied, program.half_tied
