"""Cache partitions."""
