"""What reading order is made of: gutters between columns, and the order of lines within one."""
