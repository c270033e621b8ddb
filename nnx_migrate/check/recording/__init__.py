"""Records the calls that the user's own program makes, to be made again on both sides.

`command.record` runs it, `store` keeps the calls, `replaying.recorded_call` gives one back. In the
user's process `hook/sitecustomize.py` comes first, `instrument` puts a boundary around every
touched function, and `boundary` and `call_recorder` do the recording. Importing this imports
nothing.
"""
