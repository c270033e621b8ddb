def drive(program):
    return program.count_up(), program.accumulate()
