"""What one process has: time, deadlines, threads, single flights, circuit breakers. No Django."""
