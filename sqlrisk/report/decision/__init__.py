"""Page one of a report, on which a release is decided: findings, sentences and numbers."""
