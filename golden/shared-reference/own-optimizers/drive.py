def drive(program):
    return program.plain(), program.constructed(), program.ordinary()
