"""What users give: files, settings, scenarios and policies, read and checked."""
