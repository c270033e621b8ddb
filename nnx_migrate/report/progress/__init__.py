"""The bar that moves while a run goes on."""
