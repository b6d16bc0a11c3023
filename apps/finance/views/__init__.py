"""The finance app's pages: one module for each resource, with its words, its form and its pages."""
