"""The Portal: one shared package for every application of the product family.

One folder for each part of docs/reference/requirements.md. A layer imports only what stands below it:

    web > services > query > (api | edge) > store > identity > config > errors

`docs/explanation/architecture.md` draws the house; import contracts in `pyproject.toml` keep it.
"""
