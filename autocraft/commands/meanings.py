"""What models mean by the names of commands that other agents have, such as Auto-GPT, Voyager and Mindcraft."""

from __future__ import annotations

from collections.abc import Collection

_MEANINGS = {
    "ask_human": "ask_user ask_player wait_for_user_input request_user_input get_user_input ask_question human_input",
    "task_complete": "finish finish_task goal_complete complete_task done end_task goals_accomplished exit quit",
    "impossible": "give_up cannot_do fail report_impossible",
    "do_nothing": "noop no_op none null idle pass skip think",
    "wait": "pause delay stay",
    "read_file": "open_file cat view_file analyze_code_file load_file ingest_file",
    "write_to_file": "create_file save_file make_directory create_directory mkdir write_file new_file",
    "append_to_file": "append_file add_to_file",
    "list_files": "ls dir list_directory search_files list_folder",
    "search_text": "grep find_text search_in_files",
    "memory_add": "remember add_memory save_memory store_memory note take_note",
    "memory_search": "recall search_memory query_memory retrieve_memory",
    "google": "web_search search_web search internet_search bing duckduckgo search_internet",
    "browse_website": "browse open_url visit_website read_webpage fetch_url get_url",
    "craft_item": "craft craftitem craft_recipe make_item make crafting craftrecipe",
    "smelt_item": "smeltitem smelt_recipe cook furnace smeltrecipe",
    "search_recipe": "get_recipe recipe show_recipe craftable getcraftingplan lookup_recipe find_recipe",
    "show_inventory": "inventory check_inventory view_inventory get_inventory list_inventory",
    "plan_item": "plan make_plan plan_recipe",
    "next_steps": "next_step suggest_steps what_next",
    "observe": "look get_state stats nearby_blocks nearbyblocks observe_world check_surroundings",
    "goto": "move_to go_to walk_to go_to_position gotoposition goto_position travel navigate moveto",
    "follow": "follow_player followplayer come_to_player gotoplayer go_to_player come",
    "mine_block": "mine dig mineblock collect_blocks collectblocks collect_block break_block breakblock gather",
    "place_item": "place placeitem place_block placehere place_here putdown put_block",
    "kill_mob": "killmob hunt fight attack_mob",
    "eat": "consume eat_food eatfood",
    "explore_until": "exploreuntil explore wander searchforblock",
    "sleep": "gotobed go_to_bed use_bed sleep_in_bed",
    "chat": "say send_message talk whisper",
    "search_skills": "find_skill find_skills query_skills retrieve_skills",
    "list_agents": "show_agents agents",
    "start_agent": "create_agent spawn_agent delegate gpt_agent",
}
"""Command of autocraft -> the names that mean it. No command that destroys is among them."""
_COMMANDS = {name: command for command, names in _MEANINGS.items() for name in names.split()}
_NOWHERE = {
    "There is no shell.": "execute_shell execute_shell_popen shell bash run_shell run_command execute_command cmd",
    "There is no version control.": "git clone_repository clone git_clone",
    "Nothing can be posted or mailed.": "send_tweet tweet send_email email",
}
"""Why no command means a name -> the names."""
_REASONS = {name: why for why, names in _NOWHERE.items() for name in names.split()}


def meant_by(name: str, names: Collection[str]) -> str:
    """Return a question with the command among `names` that this name means, or say why there is none.

    Return '' if the name is unknown.
    """
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in _REASONS:
        return f" {_REASONS[plain]}"
    command = _COMMANDS.get(plain) or _COMMANDS.get(plain.replace("_", ""))
    return f" Did you mean '{command}'?" if command in names else ""
