"""Who meets whom, and what the results are worth. Pure: results in, tables out."""
