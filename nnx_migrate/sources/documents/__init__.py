"""Code that stands in something else: the cells of a notebook, the blocks of a page, doctests."""
