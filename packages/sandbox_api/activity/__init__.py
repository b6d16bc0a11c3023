"""The history of rows: who has created, changed, deleted and restored them, and the notes that people write on them."""
