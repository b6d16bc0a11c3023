"""From records to what the gateway's templates show. Pure."""
