def drive(program):
    return program.results, program.weights
