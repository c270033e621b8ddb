def drive(program):
    return program.main()
