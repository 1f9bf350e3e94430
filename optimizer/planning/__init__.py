"""From a workload file and a catalog to a plan: reading, configurations, the problem, and the plan's lines."""
