"""Tour: ten stops over the pages."""
