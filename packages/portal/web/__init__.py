"""Django glue: what the layers below give, as pages, cookies and templates."""
