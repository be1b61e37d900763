"""The paid survey of a table: bounds, types and common categories, bought with a part of the cap."""
