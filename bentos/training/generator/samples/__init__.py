"""The sample collection: `python -m bentos.training.generator.samples samples/`."""
