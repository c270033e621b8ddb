def drive(program):
    counter = program.Counter()
    return [program.twice(counter, 3.0) for _ in range(2)], counter
