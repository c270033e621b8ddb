def drive(program):
    return program.main()[1:2]
