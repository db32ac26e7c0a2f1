"""Tests of the package: python3 -m unittest discover -s tests -t ., in the folder above.

They are unittest's, as the front end's are: a fresh environment needs nothing beside numpy to run them.
"""
