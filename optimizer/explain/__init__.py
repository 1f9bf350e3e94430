"""Questions about a plan: why not this offer, where terms break even, what would change the answer."""
