"""Sown values: where they are sown, where they are collected, what becomes a result."""
