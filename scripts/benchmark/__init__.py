"""The benchmark of sqlrisk. It runs whole commands as child processes, in turn with the programs
they are compared with, and checks every result.

command    the command line: which parts run, and the tables at the end
children   run a child process and measure its cost
jobs       what is run: commands of sqlrisk and other programs
results    whether their numbers are right
people     the usual files, with records like those of real people
known      files made by arithmetic, so that every figure is known without counting
figures    ratios, limits and their verdicts
tables     print them
parts/     one comparison each
programs/  the other programs; each can be read and run by itself
"""
