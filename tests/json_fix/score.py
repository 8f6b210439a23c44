#!/usr/bin/env python3
# ruff: noqa
# fmt: off
# -*- coding: utf-8 -*-
"""Score a JSON-answer parser on a set of cases such as devset.jsonl.  Self-contained (stdlib only).

  score.py CASES.jsonl --func package.module:function      # text -> object | None
  score.py CASES.jsonl --cmd  "python -m mypkg --jsonl"     # JSONL {"id","text"} on stdin; a result line a case on stdout:
                                                           #   {"id":…, "name":…, "args":…} | {"id":…, "error":…} | {"id":…, "object":…}
Options: --path DIR (sys.path, repeatable)  --timeout S (per case, function mode; default 10)
         --cmd-timeout S (whole run; default 900)  --strict (no shape leniency)  --show N (print N failures a category)
         --out FILE (per-case verdicts JSONL)  --only CAT[,CAT]  --json FILE (summary)
Verdicts:  exact = same command name and same args (or refused where a refusal is expected)
           refused = no command although one was expected        (costs an LLM fix call; safe)
           WRONG = a command that is not the expected one, or any command where a refusal is expected  (the dangerous error)
           crash/timeout are counted as refused for accuracy and shown apart.
"""
import argparse, collections, importlib, json, math, multiprocessing as mp, os, shlex, statistics, subprocess, sys, time

def expand(x):
    """{"rle": [[s, n], …]} / {"$rle": …} -> string; recursively."""
    if isinstance(x, dict):
        for k in ("rle", "$rle"):
            if set(x) == {k}:
                return "".join(s * n for s, n in x[k])
        return {k: expand(v) for k, v in x.items()}
    if isinstance(x, list):
        return [expand(v) for v in x]
    return x

RESERVED = {"name", "args", "arguments", "parameters", "params", "input", "action_input", "command", "commands", "tool", "tool_name", "action", "function", "kwargs", "action_name"}
NAMES = ("name", "tool", "tool_name", "action", "action_name", "command", "function")
ARGS = ("args", "arguments", "parameters", "params", "input", "action_input", "kwargs")

def _args(v):
    if v is None or v == "" or (isinstance(v, list) and not v):
        return {}
    if isinstance(v, str):
        try:
            v = json.loads(v, strict=False)
        except Exception:
            return None
    return v if isinstance(v, dict) else None

def _pair(d, ks, parent=None):
    name = None
    for k in ks:
        if isinstance(d.get(k), str) and d[k].strip():
            name = d[k].strip(); break
    if name is None:
        return None
    for k in ARGS:
        if k in d:
            a = _args(d[k])
            return None if a is None else (name, a)
    return (name, {})

def to_command(o, strict=False, depth=0):
    """object -> (name, args) | None.  Lenient about the shape unless strict."""
    if isinstance(o, tuple) and len(o) == 2 and isinstance(o[0], str) and isinstance(o[1], dict):
        return (o[0], o[1]) if o[0].strip() else None
    if strict:
        c = o.get("command") if isinstance(o, dict) else None
        if c is None and isinstance(o, dict) and isinstance(o.get("name"), str) and isinstance(o.get("args"), dict):
            c = o
        return (c["name"], c["args"]) if isinstance(c, dict) and isinstance(c.get("name"), str) and c["name"].strip() and isinstance(c.get("args"), dict) else None
    if depth > 3:
        return None
    if isinstance(o, str) and depth <= 1 and o.lstrip()[:1] in ("{", "["):
        try:
            o = json.loads(o, strict=False)
        except Exception:
            return None
    if isinstance(o, list):
        got = [c for c in (to_command(x, False, depth + 1) for x in o[-50:] if isinstance(x, (dict, list))) if c]
        return got[-1] if got else None
    if not isinstance(o, dict):
        return None
    d = {}
    for k, v in o.items():
        d[k.strip().lower() if isinstance(k, str) else k] = v
    if "command" in d:
        c = d["command"]
        if isinstance(c, list) and len(c) == 1:
            c = c[0]
        if isinstance(c, str):
            if c.lstrip()[:1] == "{":
                return to_command(c, False, 1)
            return _pair({**d, "command": c}, ("command",))
        if isinstance(c, dict):
            c2 = {(k.strip().lower() if isinstance(k, str) else k): v for k, v in c.items()}
            p = _pair(c2, NAMES)
            if p:
                return p
            if len(c) == 1:
                (k, v), = c.items()
                if isinstance(k, str) and k.strip() and k.lower() not in RESERVED and isinstance(v, dict):
                    return (k, v)
        return None
    for k in ("commands", "tool_calls"):
        if isinstance(d.get(k), list) and d[k]:
            return to_command(d[k][:1], False, depth + 1)
    if isinstance(d.get("function"), dict):
        return to_command(d["function"], False, depth + 1)
    for k in ("action", "tool", "tool_name"):
        if isinstance(d.get(k), str) and any(a in d for a in ARGS):
            return _pair(d, (k,))
    if isinstance(d.get("name"), str) and any(a in d for a in ARGS):
        return _pair(d, ("name",))
    for v in list(d.values())[:20]:
        if isinstance(v, dict) and any(isinstance(k, str) and k.strip().lower() == "command" for k in v):
            return to_command(v, False, depth + 1)
    return None

def eq(a, b):
    if isinstance(b, dict) and set(b) == {"$nan"}:
        return isinstance(a, float) and math.isnan(a)
    if isinstance(b, dict) and set(b) == {"$inf"}:
        return isinstance(a, float) and math.isinf(a) and (a > 0) == (b["$inf"] > 0)
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b or (isinstance(a, bool) and isinstance(b, bool) and a == b)
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(eq(a[k], b[k]) for k in b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(eq(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and a == b

def match(got, exp):
    if exp.get("refuse"):
        return got is None
    c = exp["command"]
    return got is not None and got[0] == c["name"] and eq(got[1], c["args"])

def load(path, only=None):
    out = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            d = json.loads(line)
            if only and d["category"] not in only:
                continue
            d["text"] = expand(d["text"]); d["expected"] = expand(d["expected"])
            d["accept"] = [expand(x) for x in d.get("accept", [])]
            out.append(d)
    return out

def _worker(spec, paths, strict, conn):
    for p in reversed(paths):
        sys.path.insert(0, p)
    m, _, f = spec.partition(":")
    fn = importlib.import_module(m)
    for part in f.split("."):
        fn = getattr(fn, part)
    conn.send("ready")
    while True:
        t = conn.recv()
        if t is None:
            return
        err = None; got = None
        t0 = time.process_time()
        try:
            o = fn(t)
        except Exception as e:                       # an exception is a refusal
            o = None; err = f"{type(e).__name__}: {str(e)[:120]}"
        dt = time.process_time() - t0
        try:
            got = to_command(o, strict)
            conn.send((dt, got, err))
        except Exception as e:
            conn.send((dt, None, f"result: {type(e).__name__}"))

class Runner:
    def __init__(s, spec, paths, strict, timeout):
        s.a = (spec, paths, strict); s.timeout = timeout; s.start()
    def start(s):
        ctx = mp.get_context("spawn"); s.conn, child = ctx.Pipe()
        s.p = ctx.Process(target=_worker, args=(*s.a, child), daemon=True); s.p.start(); child.close()
        if not s.conn.poll(120):
            raise SystemExit("worker did not start")
        try:
            s.conn.recv()
        except EOFError:
            raise SystemExit("worker failed to import " + s.a[0])
    def run(s, text):
        t0 = time.perf_counter()
        try:
            s.conn.send(text)
            if s.conn.poll(s.timeout):
                return s.conn.recv()
            why = "TIMEOUT"
        except (EOFError, BrokenPipeError, ConnectionResetError):
            why = "CRASH"
        s.p.kill(); s.p.join(); s.start()
        return (time.perf_counter() - t0, None, why)
    def stop(s):
        try: s.conn.send(None)
        except Exception: pass
        s.p.join(2); s.p.kill()

def run_func(cases, a):
    r = Runner(a.func, a.path + [os.getcwd()], a.strict, a.timeout)
    warm = next((d["text"] for d in cases if d["category"] == "valid"), "{}")
    for _ in range(3): r.run(warm)
    res = {d["id"]: r.run(d["text"]) for d in cases}
    r.stop()
    return res, None

def run_cmd(cases, a):
    data = "".join(json.dumps({"id": d["id"], "text": d["text"]}) + "\n" for d in cases).encode()
    t0 = time.perf_counter(); res = {}
    try:
        p = subprocess.run(shlex.split(a.cmd), input=data, stdout=subprocess.PIPE, timeout=a.cmd_timeout)
        out = p.stdout
    except subprocess.TimeoutExpired as e:
        out = e.stdout or b""
    wall = time.perf_counter() - t0
    for line in out.splitlines():
        try:
            d = json.loads(line)
        except Exception:
            continue
        if not isinstance(d, dict) or "id" not in d: continue
        if d.get("error") is not None: g, e = None, str(d["error"])[:120]
        elif "object" in d: g, e = to_command(d["object"], a.strict), None
        else:
            g = (d["name"], d["args"]) if isinstance(d.get("name"), str) and d["name"] and isinstance(d.get("args"), dict) else None; e = None
        res[d["id"]] = (d.get("us", 0) / 1e6 if d.get("us") is not None else None, g, e)
    for d in cases:
        res.setdefault(d["id"], (None, None, "CRASH"))
    return res, wall

def main():
    ap = argparse.ArgumentParser(); ap.add_argument("cases"); ap.add_argument("--func"); ap.add_argument("--cmd"); ap.add_argument("--path", action="append", default=[])
    ap.add_argument("--timeout", type=float, default=10); ap.add_argument("--cmd-timeout", type=float, default=900); ap.add_argument("--strict", action="store_true")
    ap.add_argument("--show", type=int, default=0); ap.add_argument("--out"); ap.add_argument("--only"); ap.add_argument("--json"); ap.add_argument("--name"); ap.add_argument("--quiet", action="store_true")
    a = ap.parse_args()
    if bool(a.func) == bool(a.cmd): ap.error("give --func or --cmd")
    cases = load(a.cases, set(a.only.split(",")) if a.only else None)
    res, wall = (run_func if a.func else run_cmd)(cases, a)
    cat = collections.OrderedDict(); fails = collections.defaultdict(list); outf = open(a.out, "w") if a.out else None
    for d in cases:
        dt, got, err = res[d["id"]]
        ok = match(got, d["expected"]) or any(match(got, x) for x in d["accept"])
        bad = err in ("TIMEOUT", "CRASH")
        v = "refused" if bad and not d["expected"].get("refuse") else "hang" if bad else "exact" if ok else "refused" if got is None else "WRONG"
        c = cat.setdefault(d["category"], collections.Counter()); c["n"] += 1; c[v] += 1; c["bad"] += bad
        want_cmd = not d["expected"].get("refuse")
        must = want_cmd and not any(x.get("refuse") for x in d["accept"])     # no refusal is accepted: it has to be read
        c["must_n"] += must; c["must"] += must and v == "exact"
        c["cmd_n"] += want_cmd; c["ref_n"] += not want_cmd
        c["recovered"] += want_cmd and v == "exact" and got is not None      # a right command where a command was meant
        c["held"] += (not want_cmd) and v == "exact"                          # refused (or an accepted reading) where a refusal was meant
        if v != "exact": fails[d["category"]].append((v, d, got, err))
        if outf: outf.write(json.dumps({"id": d["id"], "verdict": v, "err": err, "s": dt, "got": None if got is None else {"name": got[0], "args": got[1]} if len(d["text"]) < 100000 else got[0]}) + "\n")
    tot = collections.Counter()
    for c in cat.values(): tot.update(c)
    if not a.quiet:
        print(f"{'category':18s} {'n':>4s} {'exact':>6s} {'acc%':>6s} {'refused':>8s} {'WRONG':>6s} {'crash/timeout':>14s}")
        for k, c in list(cat.items()) + [("ALL", tot)]:
            print(f"{k:18s} {c['n']:4d} {c['exact']:6d} {100*c['exact']/c['n']:6.1f} {c['refused']:8d} {c['WRONG']:6d} {c['bad']:14d}")
    macro = 100 * statistics.mean(c["exact"] / c["n"] for c in cat.values())
    small = [(res[d["id"]][0], len(d["text"].encode("utf-8", "surrogatepass")), d["id"]) for d in cases if res[d["id"]][0] is not None]
    norm = [x for x in small if x[1] < 100000]
    s = {"name": a.name or a.func or a.cmd, "n": tot["n"], "exact": tot["exact"], "acc": round(100 * tot["exact"] / tot["n"], 2), "macro": round(macro, 2), "refused": tot["refused"], "wrong": tot["WRONG"], "bad": tot["bad"],
         "cats": {k: [c["n"], c["exact"], c["refused"], c["WRONG"]] for k, c in cat.items()}}
    if norm:
        ts = sorted(x[0] for x in norm)
        big = [x for x in small if x[1] >= 100000]
        w = max(small)
        s.update(us_mean=round(1e6 * statistics.mean(ts), 1), us_p50=round(1e6 * ts[len(ts) // 2], 1), us_p99=round(1e6 * ts[int(len(ts) * .99)], 1), mbs=round(sum(x[1] for x in norm) / 1e6 / max(1e-9, sum(ts)), 2), worst_s=round(w[0], 3), worst_id=w[2],
                 big_mbs=round(sum(x[1] for x in big) / 1e6 / max(1e-9, sum(x[0] for x in big)), 2) if big else None)
    if wall is not None: s["wall_s"] = round(wall, 2)
    s["must"] = [tot["must"], tot["must_n"]]; s["recovered"] = [tot["recovered"], tot["cmd_n"]]; s["held"] = [tot["held"], tot["ref_n"]]
    print(f"overall exact {tot['exact']}/{tot['n']} = {s['acc']}%  macro {s['macro']}%  refused {tot['refused']}  WRONG {tot['WRONG']}  crash/timeout {tot['bad']}")
    print(f"recovered {tot['recovered']}/{tot['cmd_n']} = {100*tot['recovered']/max(1,tot['cmd_n']):.1f}% of answers that hold a command;  refusals held {tot['held']}/{tot['ref_n']} = {100*tot['held']/max(1,tot['ref_n']):.1f}%;  to the LLM stage {sum(c['refused'] for c in cat.values())} needlessly")
    print("time:", {k: s[k] for k in ("us_mean", "us_p50", "us_p99", "mbs", "big_mbs", "worst_s", "worst_id", "wall_s") if k in s})
    if a.show:
        for k, fs in fails.items():
            for v, d, got, err in fs[:a.show]:
                print(f"\n[{v}] {d['id']} ({d['source']}) err={err}\n  text: {d['text'][:700]!r}\n  want: {json.dumps(d['expected'])[:400]}\n  got:  {json.dumps(got)[:400]}")
    if a.json: json.dump(s, open(a.json, "w"))

if __name__ == "__main__":
    main()
