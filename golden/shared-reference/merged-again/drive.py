def drive(program):
    return program.stepped, program.read_either(), program.again(program.Tied()), program.read_free()
