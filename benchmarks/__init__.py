"""What the referee costs, measured side by side with something known in the same run."""
