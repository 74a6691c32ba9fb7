"""The ladder: bots come and go, and are matched for as long as the server runs."""
