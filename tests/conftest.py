"""Settings of all tests."""

from hypothesis import settings

# A machine under load is slow, not wrong. Everything else stays as the current profile (CI's, in CI) has it.
settings.register_profile("patient", parent=settings(), deadline=None)
settings.load_profile("patient")
