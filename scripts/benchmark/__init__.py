"""The benchmark of sqlrisk: whole commands as child processes, by turns with what they are compared
with, every result checked.

command    the command line: which parts run, and the tables at the end
children   how a child process is run, and its cost taken
jobs       what is run: commands of sqlrisk, and programs of others
results    whether their numbers are right
people     files of records as people are; the usual ones
known      files made by arithmetic, of which every figure is known without counting
figures    ratios, limits and their verdicts
tables     how they are printed
parts/     one comparison each
programs/  what the child processes run that is not sqlrisk; each can be read, and run, by itself
"""
