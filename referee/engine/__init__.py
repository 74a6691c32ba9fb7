"""Where matches run: here so far, on a server of this process, with bots that are launched for it."""
