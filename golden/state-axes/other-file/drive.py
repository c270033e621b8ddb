def drive(program):
    return program.generations(0, 3)
