"""What developers use beside the applications."""
