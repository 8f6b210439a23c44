"""Words around a command: those that show it or take it back, and those that lead to it. Values only."""

from __future__ import annotations


def _items(text: str) -> list[str]:
    return [" ".join(item.split()) for item in text.split("|")]


TAKES_BACK = _items("""
Revoke that. | Strike that. | Retracted. | Belay that. | I take it back. | Just kidding! | Kidding, of course. | On
reflection, sleeping is better. | Correction: I should sleep first. | Pretend you did not see this. | Consider it
void. | Withdrawn. | That was a joke. | Abort. | Skip it. | Hold on. | Hold off on that. | Hmm, no. | Nope. | Bad
idea. | Let me reconsider. | Let's do nothing instead. | I would never do this. | Only if Bob agrees. | Unless it is
night. | Once Bob says yes. | Tomorrow, that is. | ...is what the manual shows. | This is how such a command looks. |
This was my answer last turn. | This was sent by Bob. | (from the wiki) | (quoted from chat) | (do not run) | (dry run
only) | (draft) | (old) | Source: chat.log | -- Bob | — Bob, yesterday | Signed, Bob | Or maybe not. | Or should I
wait? | Or: wait. | Disregard the object above. | Ignore the JSON above. | Ignore my previous message. | Please
ignore. | Delete the above. | The above must stay unexecuted. | Everything above is fiction. | None of this is meant
seriously. | Leave it. | Stop. | Stop, that is dangerous. | I changed my mind. | I've changed my mind about this. |
Forget about it. | Don't. | Please don't. | Not yet. | Not now, later. | Not this one. | That would be a mistake. |
That would kill us. | This would be the wrong move. | My actual command comes in the next message. | I will send the
real command later. | Waiting for your approval. | Approve? | Let me know if that is fine. | Tell me whether to
proceed. | I need your permission first. | I'll run it after you confirm. | I'm waiting for confirmation before it
runs. | So this is what got me killed. | That got me killed last time. | The server rejected it. | Rejected by the
server. | Result: failed. | => error | EOF | End of quote. | End of example. | End of the log. | [cancelled] | [this
is a draft] | *crossed out* | <end of example> | status: cancelled | cancelled: true | TODO | TBD: check with Bob |
Edit: no. | EDIT: scrap this | PS: don't run this. | Would that work? | That's what he wanted me to say. | That is
what the chat asked for, and I am not doing it. | Such a request is not one I follow. | I leave this one alone. | I
decided against it. | We skip this turn. | Instead I rest. | Instead, dig. | No command for this turn. | There is
nothing to do. | I have nothing to run.
""")
"""Each takes the command before it back, gives it to somebody else or asks first."""

SHOWS = _items("""
I now show the format: | This is the shape of a command: | The shape would be: | What Bob wants from me: | What the
zombie wants me to send: | Bob keeps asking for this: | I saw this in chat: | Chat says: | In chat: | From the log: |
From my memory: | My memory says: | A page on the web has this: | The page has the following: | The file contains: |
The tool returned the following: | The tool gave me: | It printed: | The sign says: | Old plan, dropped: | Discarded:
| Rejected option: | Option A: | One option would be: | Option 1 (not chosen): | An alternative I dismissed: | A bad
idea: | The worst thing I could do: | What I must avoid: | What not to send: | How not to answer: | I am tempted to
send: | I was tempted to send: | I almost sent: | I nearly ran: | I'd never send: | I would never send: | I'd rather
die than send: | If Bob were here I'd send: | Had I more wood, I'd send: | Were it day, I would run: | Later I will
send: | Tomorrow I will run: | Next turn I will send: | After the night I will send: | Once it is day, my command: |
As soon as it is day, I run: | When Bob says yes, I will run: | If you agree, I will run: | With your permission, I
will run: | Should I run: | Shall I run this? | May I run this? | Is this right? | Can you check this command: |
Please check this command: | Please review: | For review: | Draft: | My draft: | First draft: | Sketch: | Sample: |
Sample output: | Template: | My template: | Syntax: | The syntax: | Usage: | Usage of the command: | Reference: |
Documentation: | Docs: | Manual: | Help text: | Test: | Test case: | Unit test: | Fixture: | Expected output: |
Expected: | Actual output: | Input: | Request: | Payload: | Body: | Log: | History: | Memory: | Quote: | Quoting Bob:
| Bob wrote: | Bob's idea: | Steve's plan: | My friend's command: | Someone else's answer: | The assistant before me
sent: | The previous model answered: | Another agent ran: | My helper proposes: | The helper's answer: | Helper 1: |
Agent 2: | Player 2: | Alice: | Translation of Bob's message: | In other words, Bob means: | He means: | She sent me:
| They want me to run: | The user wants: | Your example was: | You sent: | You told me to answer with: | The prompt
says to answer like this: | The instructions show: | The system prompt shows this format: | As in the instructions: |
I repeat the format: | I repeat what was said: | Repeating the request: | To quote: | So the log reads: | So Bob sent:
| So the rejected command was: | So what would happen if I sent: | I decline: | I decline to send: | I skip: | I
refuse: | I won't: | Not: | Never: | No: | Cancelled: | Void: | Undo: | Undone: | Reverted: | To be deleted: | Do the
opposite of: | The opposite of: | Anything but: | Everything except: | Instead of: | Avoid: | Ignore: | Ignore this: |
Ignore the next object: | Please ignore the next object. | The next object is void. | The object below is an old one.
| Below is what I sent an hour ago. | Below you see what I decided against. | What follows is fiction. | What follows
is what I will not send. | The following is not my answer. | The following was sent by a player. | The following is
quoted from the wiki. | I do not endorse what follows. | I will not send the following. | It would be wrong to send
the following. | This one is just for fun. | Here is a joke. | Here is an old one. | Here is one I did not pick: |
Here is one that failed: | Here is one from Bob: | Here is what failed: | Here is what I did: | Here is what you sent:
| Here is what I must not send: | Here is the log: | Here is the request: | Here is your example: | Here is the wrong
answer: | Here is the message I got: | Here is a command for later: | Here is my answer to another question: | Here is
my command for the next turn: | Here is my answer from before: | My answer would be: | My answer was: | My last
answer: | My answer to Bob, which I never sent: | My first thought: | My first instinct: | Thought: | Thinking: | Hmm:
| Maybe: | Perhaps: | Possibly: | Or: | Else: | Otherwise: | Fallback: | Plan B: | Backup plan: | In case of lava: |
In an emergency: | If attacked: | If needed: | For later: | Queue: | Pending: | Scheduled: | Reminder: | Goal: | Task:
| Question: | Proposal: | Suggestion: | Suggested command: | Proposed command: | Candidate: | Unsafe: | Dangerous: |
Malicious: | Suspicious: | Injected: | Prompt injection: | Attack: | Spam: | Phishing: | Hacked: | This hurts us: |
Wait. | I can't. | I won't. | I refuse. | Never. | It is a trap. | I was asked to send this. | That would drop
everything. | I am not going to do that. | I should not do that. | Nobody should run that. | You asked me to show a
command. | You asked for the format. | To drop all, send | Do it like so: | look() -> | "not this": | `not this`: |
<b>Do not run this:</b>
""")
"""Each shows the command after it, rejects it, or makes it somebody else's or another time's."""

LEADS = _items("""
Here is the JSON response: | Here's the JSON: | Here is my response in JSON format: | Here is the command in the
requested format: | Here's my next move: | Here is what I will do next: | Here is what I'll do: | I'll start by
gathering wood. | I will start by collecting wood from the nearby trees. | Let me start by looking around. | Let's get
started! | Let's begin by chopping a tree. | First, I need to check my inventory. | I should check my inventory first.
| I need to find diamonds. | My goal is to craft a diamond pickaxe. | The goal is to craft a diamond pickaxe, so I
need iron first. | To craft a pickaxe, I need three planks and two sticks. | To make progress, I will mine stone now.
| Given the current state, I will mine iron ore. | Since it's getting dark, I'll build a shelter. | Because there is
no wood, I go to the forest. | Now that I have wood, I can craft planks. | Next, I will craft a crafting table. | The
next step is to craft sticks. | Next step: craft sticks | Step 1: Gather wood | Step 2: | Action: | Next action: |
Response: | Output: | Command: | JSON output: | Sure thing! | Certainly! Here's the command: | OK, here we go: |
Alright, let's do this. | Great, the furnace is ready. | The furnace is ready now. | The zombie is dead. I will loot
it. | There are 3 oak logs in the inventory. | I have enough wood. Time to craft. | I found iron! Mining it. | Health
is low, so I eat. | I will eat bread to restore health. | I'm hungry, eating bread now. | I think the best option is
to sleep. | I believe digging down is the fastest way to find diamonds. | After crafting planks, I will craft sticks.
| As planned, I continue with the stone pickaxe. | As a next step, I will smelt the iron. | Based on the last result,
I'll try another tree. | The previous attempt failed, so I'll try a different path. | The last command failed because
the block was too far away. I will move closer. | My apologies for the error. Here is the corrected command: | I
apologize for the confusion. Here's the fixed JSON: | Sorry about that! Corrected: | Thank you for the feedback. I
will use the shovel. | Understood, I will use the shovel instead. | Thanks, continuing.
""")
"""Each leads to the model's own command."""

FOLLOWS = _items("""
Let me know if you need further assistance. | I hope this works. | This should work. | This will gather wood. | This
will let me craft a table. | This command mines three blocks. | This command will mine three blocks of oak. | With
this, I get wood. | After that, I will craft planks. | Afterwards, I'll craft planks. | Then I'll craft a table. | I
will wait for the result. | Waiting for the result. | Let's see what happens. | Let's go! | Good luck! | I'll report
back. | End of response. | Note: the tree is at (1, 2, 3). | (3 logs) | I chose this because wood is near. | The
command collects wood.
""")
"""Each may follow it."""

PLACES = [
    "@ `no`",
    '@ "no"',
    "@ <no>",
    "@\n<!-- cancelled -->",
    "@\n// cancelled",
    "@\n# cancelled",
    "@\n```text\nDo not run this.\n```",
    "@\n```\nno\n```",
    '@\n{"cancel": true}',
    '@\n{"approved": false}',
    "@\ncancel: true",
    "@\n- cancelled",
    "@\n> ignore that",
    "@<think>no</think>",
    "@\n<thinking>that would be bad</thinking>",
    "# <think>\n@",
    "```\nnot this\n```\n@",
]
"""Whole texts around a command, marked @, that take it back by where they stand."""
