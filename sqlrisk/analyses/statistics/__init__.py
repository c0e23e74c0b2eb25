"""What statistics Python computes, of counts that SQL made: tests, lines, models of a population,
random tables.
"""
