"""Paths and what they mean: route tables, sites, redirect targets."""
