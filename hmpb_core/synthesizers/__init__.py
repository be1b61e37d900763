"""The methods: settings of one pipeline, and what it leaves behind."""
