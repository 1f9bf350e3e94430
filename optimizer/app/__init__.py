"""Use cases: the only place where the rooms are joined and providers are reached."""
