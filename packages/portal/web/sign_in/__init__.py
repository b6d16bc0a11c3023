"""Sign-in and sign-out."""
