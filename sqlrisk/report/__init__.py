"""What was found, and every form that it takes."""
