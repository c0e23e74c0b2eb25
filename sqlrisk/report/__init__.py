"""The results of runs, and every form in which they are shown or written."""
