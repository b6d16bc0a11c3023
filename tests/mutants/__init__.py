"""One-line changes of the code that each break a rule, and the runner that shows whether a test fails for each."""
