"""The parts of a page: one HTML file that loads nothing, in light and dark, readable on a phone.

The pages of an evaluation, of a learning run and of a session extend `base.html`, and draw with these modules.
"""
