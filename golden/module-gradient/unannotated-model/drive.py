def drive(program):
    return program.main(3)
