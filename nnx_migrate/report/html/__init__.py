"""The review page: one HTML file that shows a run to whoever has to approve it.

`file_pages` makes the data of each file, `page.html.jinja` is the frame, and `scripts/` puts on the
screen what is looked at. Whatever comes from the user's tree reaches the page as data only, and the
page may load nothing and run nothing but its own script.
"""
