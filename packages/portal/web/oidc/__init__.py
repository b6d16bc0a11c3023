"""Sign-in, sign-out and the end of a sign-in where an OpenID provider stands in place of the password form."""
