"""The novice: a brain that knows the names of things and learns the rest. It joins as a brain of an installed package.

``PYTHONPATH=.:benchmarks/novice autocraft learn --brain novice`` plays it: the folder ``novice-1.0.dist-info`` beside
this file has its entry point, as an installed package has one.
"""
