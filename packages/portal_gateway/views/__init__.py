"""The gateway's views, one module for each flow."""
