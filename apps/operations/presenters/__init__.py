"""From records to what the operations app's templates show. Pure: a record in, a frozen value out."""
