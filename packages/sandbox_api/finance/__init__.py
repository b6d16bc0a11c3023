"""The finance platform: invoices."""
