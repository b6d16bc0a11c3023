"""Identity and access: accounts for those who administer them, and everybody's own sign-ins."""
