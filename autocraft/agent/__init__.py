"""One agent: the loop of turns, who decides, what is carried out, and the state that the journal folds into."""
