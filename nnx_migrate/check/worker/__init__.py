"""The worker process of one column: loads, traces, runs, observes."""
