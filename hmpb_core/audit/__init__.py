"""Audits: what could be learned, measured, beside what is claimed; and attacks on real releases."""
