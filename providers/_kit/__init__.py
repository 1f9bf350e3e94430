"""What every adapter shares: its contract, the network, the reading of rows, names and prices."""
