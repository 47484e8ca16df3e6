"""Reading a journal on the command line."""
