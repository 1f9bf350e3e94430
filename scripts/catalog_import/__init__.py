"""Turning raw price lists and data sheets into the project's own snapshots and fact tables."""
