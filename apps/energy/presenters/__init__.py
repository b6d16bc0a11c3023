"""From records to what the energy app's templates show. Pure: a record in, a frozen value out."""
