"""Where transforms are applied, and how their results are used."""
