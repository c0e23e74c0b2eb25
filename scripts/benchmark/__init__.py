"""The benchmark of sqlrisk: run sqlrisk and comparable programs in turn, each as a child process,
and check every result.

command    the command line: which parts run, and the tables at the end
children   run a child process and measure its cost
jobs       the commands to run: sqlrisk and other programs
results    check the numbers that they give
people     the usual files, with records that resemble real people
known      files made by arithmetic, so that every figure is known without counting
figures    ratios, limits and their verdicts
tables     print them
spark      sessions of Spark and their event logs
parts/     one comparison each
programs/  the other programs, each of which can be read and run by itself
"""
