"""Signed and repeated results."""
