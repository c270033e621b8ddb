def drive(program):
    return program.parameters()
