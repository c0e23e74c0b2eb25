"""Make the texts that the commands init, sql, compile and schema write."""
