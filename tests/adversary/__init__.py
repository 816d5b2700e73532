"""An adversary on every build: optimizers look for two neighboring inputs that are worse than an audit states.

A family of mechanisms has a *domain*, which is written from an audit's words `domain` and `neighbors` alone: numbers in
[-1, 1] become the data of two users, or of two rounds, and their messages without noise. The adversary takes amounts of
noise from the release of a cell, and nothing else: no worst pair, sensitivity or divergence of the package. What it
finds is exact or a lower bound for the pair that it found, so that it must never exceed the stated upper end.

`families.py` says which family attacks which audit. A new published paper adds its audits there.
"""
