"""Networks: each cluster's network as a graph."""
