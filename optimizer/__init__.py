"""Cloud offer comparison and cost optimizer for GPU training."""

__version__ = "0.1.0"
