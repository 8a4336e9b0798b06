"""Documents made by the project itself: the demo's samples, and labelled pages for training."""
