def drive(program):
    return program.fit()
