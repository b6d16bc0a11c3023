"""What things cost, as tables. Figures are compared as ratios within one run: machines are noisy."""
