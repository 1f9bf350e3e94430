"""Readers of files that other tools write: one file a format, exposing `IMPORTER`."""
