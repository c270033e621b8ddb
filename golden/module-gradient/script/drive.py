def drive(program):
    return program.losses, program.prediction, program.grads, program.model, program.optimizer
