"""Objects: access paths, sharing, retention, what containers hold."""
