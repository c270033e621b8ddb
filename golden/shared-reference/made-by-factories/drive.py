def drive(program):
    return program.both()
