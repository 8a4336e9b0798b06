"""The models of Livathinos et al. 2021 (arXiv:2102.09395), table 2, built to be compared with the project's own."""
