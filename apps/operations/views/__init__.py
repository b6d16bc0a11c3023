"""The operations app's views. A view calls a hook, presents what the hook returns, and renders a template."""
