"""The registry of commands: names, words, values and who may use them. Pure data, derived from everywhere else."""
