def drive(program):
    return program.run()
