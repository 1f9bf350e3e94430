"""The contract specification of a plan: one set of records, one renderer a file, and answers held against it."""
