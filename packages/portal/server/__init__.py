"""The production server of one project, and the local run of all of them."""
