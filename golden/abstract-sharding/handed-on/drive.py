def drive(program):
    return program.placements()
