"""How good results are: ground truth, and scores of what was converted against it."""
