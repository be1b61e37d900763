"""What is added to Streamlit's server."""
