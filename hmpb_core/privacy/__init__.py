"""Guarantee, budget, sensitivities, noise, accountant and bill."""
