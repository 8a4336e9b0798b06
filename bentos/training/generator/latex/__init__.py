"""Documents as LaTeX source in the classes that TeX Live has."""
