from lib import counted as deeper


def twice(x):
    return deeper(deeper(x))
