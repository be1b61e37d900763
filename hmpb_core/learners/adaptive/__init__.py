"""The adaptive learner: select, measure and fit in rounds."""
