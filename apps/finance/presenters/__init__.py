"""From records to what the finance app's templates show. Pure: a record in, a frozen value out."""
