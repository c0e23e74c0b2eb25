"""The texts behind init, sql and compile."""
