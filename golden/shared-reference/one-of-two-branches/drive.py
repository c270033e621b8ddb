def drive(program):
    return (
        program.added(),
        program.added_twice(),
        program.in_turn(),
        program.behind(),
        program.own(),
        program.put_in_two_calls(),
    )
