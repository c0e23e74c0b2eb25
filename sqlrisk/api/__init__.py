"""The functions users call, by what they are about. They only put a question together
and run it.
"""
