"""Plain records and arithmetic that everything else speaks in: no input or output, no policy."""
