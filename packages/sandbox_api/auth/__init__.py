"""Accounts, sign-ins and their tokens: who is calling, and what they may do."""
