"""The reference pages that are made from the code. Each module has `PAGE`, its path, and `markdown()`, its text."""
