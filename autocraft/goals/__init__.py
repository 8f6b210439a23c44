"""What a run pursues: goals, the sentences that they are read from, and changes of them in a person's words."""

from autocraft.goals.faults import check_goals as check_goals
from autocraft.goals.goal import Deed as Deed
from autocraft.goals.goal import Goal as Goal
from autocraft.goals.goal import held as held
