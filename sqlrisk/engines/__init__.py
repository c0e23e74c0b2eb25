"""The databases that can run a question's SQL, one module or package each."""
