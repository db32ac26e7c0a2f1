"""Programs that are only tests."""
