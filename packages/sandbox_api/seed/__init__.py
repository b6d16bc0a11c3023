"""Seed data that looks real, the same each time.

Names, places and figures follow from fixed random seeds; only the times move with the hour that the data ends at.
"""
