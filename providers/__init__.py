"""Adapters that turn a source of prices into offers, one file a source."""
