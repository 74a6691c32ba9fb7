"""The formats of tournaments: pure, lazy schedules of who meets whom."""
