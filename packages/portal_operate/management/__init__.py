"""Where Django looks for the commands."""
