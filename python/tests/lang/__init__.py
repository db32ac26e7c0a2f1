"""Tests of the front end: python3 -m unittest discover -s tests/lang -t ."""
