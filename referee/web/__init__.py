"""The web site: pages rendered here, in the process of the server that they tell of."""
