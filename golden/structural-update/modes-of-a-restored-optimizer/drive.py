def drive(program):
    return program.main(True), program.main(False)
