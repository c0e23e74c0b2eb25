"""The texts behind init, sql, compile and schema."""
