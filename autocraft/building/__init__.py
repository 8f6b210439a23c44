"""Buildings: blueprints as values, how they are written and checked, and the commands that plan and build them."""
