"""Read and check everything that users give: files, settings, scenarios and policies."""
