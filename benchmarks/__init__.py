"""What trio_tools costs, beside the same work done in bare Trio: `python -m benchmarks NAME...`."""
