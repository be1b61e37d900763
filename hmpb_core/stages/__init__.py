"""The boxes of the paper's figure, one module a stage."""
