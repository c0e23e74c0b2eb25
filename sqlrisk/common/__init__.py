"""What every package may use: errors, files, texts of the project. It imports nothing
of sqlrisk.
"""
