"""What more runs say where a test is about something else: enough of them have been seen, and none is large."""

from dpbandits.numerics.tails import Tail


def calm(_):
    return Tail(0.0, 0.0, 10**6)
