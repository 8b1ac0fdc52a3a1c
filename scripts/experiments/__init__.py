"""What `experiment.py` runs: rows of tables, run by run, and what is made of them."""
