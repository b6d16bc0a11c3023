"""Where Django looks for the developers' commands."""
