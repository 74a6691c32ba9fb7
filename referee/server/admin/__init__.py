"""What an operator may ask of a running server, on a socket of its own."""
