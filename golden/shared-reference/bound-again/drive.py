def drive(program):
    return program.y1, program.y2, program.y3, program.y4, program.paths
