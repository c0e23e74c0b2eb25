"""What users hand over: files, settings, scenarios, policies; read and checked."""
