#!/usr/bin/env python3
"""Judges histories of a cluster from outside: it knows only what callers were told and what stores have.

Usage: judge-histories.py DIRECTORY...
       judge-histories.py --check [random histories, default 60000]

A directory has `history.jsonl`, a line for each call whose answer somebody saw, and `machine-N.jsonl`, a line
for each event that a machine has in the end. Checked are, for each history:

- all machines have the same events, at positions from 1 and, in each stream, at revisions from 0, without
  gaps; no event twice;
- each acknowledged event is where its caller was told, no refused event is there, and an unanswered call is
  there with all of its events or with none;
- each stream is linearizable: there is an instant for each call between its begin and its end, so that the
  calls, one after another at these instants, get the answers that they got, refusals included. The model is a
  list of events with a revision, and a call expects one or does not;
- so is the whole log, as one list;
- no room is booked twice, and a booking was refused only if another one may have been there before.

With --check, the judge itself is compared with a search through all orders, on short random histories.

The status is 1 if anything is wrong. It needs nothing but Python.
"""
import bisect
import collections
import json
import os
import random
import sys

INFINITY = float("inf")


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Write:
    """A call that is stored, in one list: its events are at places from `first` on."""

    def __init__(self, first, count, start, end, expected):
        self.first, self.count, self.start, self.end, self.expected = first, count, start, end, expected


class Refusal:
    """A call that was refused because the last place was not the one that it expected."""

    def __init__(self, start, end, expected):
        self.start, self.end, self.expected = start, end, expected


def linearize(writes, refusals):
    """Returns why no order of the calls explains the answers; `None` if one does.

    The places give the order of the writes. A refusal may be put between any two of them, or at the ends.
    """
    writes = sorted(writes, key=lambda write: write.first)
    place = 0
    for write in writes:
        if write.first != place:
            return f"place {place} has no call, or two"
        if write.expected is not None and write.expected != place - 1:
            return f"a call that expected {write.expected} is stored after {place - 1}"
        place += write.count
    # The instant of the n-th write can be as early as the latest begin of the writes up to it.
    earliest, latest = [-INFINITY], [INFINITY] * (len(writes) + 1)
    for write in writes:
        earliest.append(max(earliest[-1], write.start))
        if earliest[-1] > write.end:
            return f"the call at {write.first} ended before one that comes before it began"
    for index in range(len(writes) - 1, -1, -1):
        latest[index] = min(latest[index + 1], writes[index].end)
    heads = [-1]
    for write in writes:
        heads.append(heads[-1] + write.count)
    # After n writes, an instant is possible from earliest[n] to latest[n]: the begins of those before it and the
    # ends of those after it. Refusals that do not overlap are put in the order of time, each as early as it can
    # be. By their begins: an earlier one never needs to be after a later one.
    ended = []  # (end, slot) of refusals, in the order of their ends, with the largest slot so far
    for refusal in sorted(refusals, key=lambda refusal: refusal.start):
        slot = bisect.bisect_left(latest, refusal.start)
        before = bisect.bisect_left(ended, (refusal.start, -1))
        if before:
            slot = max(slot, ended[before - 1][1])
        if slot < len(heads) and heads[slot] == refusal.expected:
            slot += 1
        if slot >= len(heads) or earliest[slot] > refusal.end:
            return f"a call that expected {refusal.expected} was refused, and at no time had another reason"
        at = bisect.bisect_left(ended, (refusal.end, slot))
        ended.insert(at, (refusal.end, max(slot, ended[at - 1][1] if at else 0)))
        for index in range(at + 1, len(ended)):
            if ended[index][1] >= slot:
                break
            ended[index] = (ended[index][0], slot)
    return None


def judge(directory):
    """Returns the faults of a history, and what it has."""
    faults = []
    calls = lines(os.path.join(directory, "history.jsonl"))
    names = sorted(name for name in os.listdir(directory) if name.startswith("machine-"))
    machines = [lines(os.path.join(directory, name)) for name in names]
    events = machines[0]
    for name, machine in zip(names[1:], machines[1:]):
        if machine != events:
            faults.append(f"{name} has other events than {names[0]}")
    places, heads, rooms = {}, collections.Counter(), {}
    for index, event in enumerate(events):
        if event["position"] != index + 1:
            faults.append(f"position {event['position']} comes after {index}")
        if event["revision"] != heads[event["stream"]]:
            faults.append(f"revision {event['revision']} of {event['stream']} is not the next one")
        heads[event["stream"]] += 1
        if event["mark"] in places:
            faults.append(f"mark {event['mark']} is stored twice")
        places[event["mark"]] = event
        if "room" in event:
            if event["room"] in rooms:
                faults.append(f"'{event['room']}' is booked twice")
            rooms[event["room"]] = event["mark"]

    streams = collections.defaultdict(lambda: ([], []))
    whole, begun = [], {}
    known = set()
    for call in calls:
        outcome = call["outcome"]
        marks = [mark for part in call["parts"] for mark in part["marks"]]
        there = [mark in places for mark in marks]
        for mark in marks:
            begun[mark] = call["start"]
        if outcome == "stored":
            for part in call["parts"]:
                told = list(zip(part["marks"], part["positions"], part["revisions"]))
                if len(told) != len(part["marks"]):
                    faults.append(f"a call has not as many answers as events: {call}")
                for mark, position, revision in told:
                    event = places.get(mark)
                    if event is None:
                        faults.append(f"mark {mark} was acknowledged and is lost")
                    elif (event["position"], event["stream"], event["revision"]) != (
                        position, part["stream"], revision):
                        faults.append(f"mark {mark} is not where its caller was told: {event}, {part}")
        elif outcome == "refused":
            if any(there):
                faults.append(f"a refused call is stored: {call}")
            part = call["parts"][0]
            if part.get("expected") is not None:
                streams[part["stream"]][1].append(Refusal(call["start"], call["end"], part["expected"]))
            elif "room" not in call:
                faults.append(f"a call was refused that asked for nothing: {call}")
        elif outcome == "unknown":
            if any(there) and not all(there):
                faults.append(f"a call is stored in part: {call}")
        else:
            faults.append(f"a call got two answers: {call}")
        if marks and all(there) and outcome in ("stored", "unknown"):
            known.update(marks)
            end = call["end"] if outcome == "stored" else INFINITY
            for stream in {part["stream"] for part in call["parts"]}:
                parts = [part for part in call["parts"] if part["stream"] == stream]
                own = [mark for part in parts for mark in part["marks"]]
                first = min(places[mark]["revision"] for mark in own)
                streams[stream][0].append(
                    Write(first, len(own), call["start"], end, parts[0].get("expected")))
            first = min(places[mark]["position"] for mark in marks)
            whole.append(Write(first - 1, len(marks), call["start"], end, None))
    # Events of calls whose caller was killed before it could say anything: at any time.
    for mark, event in places.items():
        if mark not in known:
            streams[event["stream"]][0].append(Write(event["revision"], 1, -INFINITY, INFINITY, None))
            whole.append(Write(event["position"] - 1, 1, -INFINITY, INFINITY, None))
    for stream, (writes, refusals) in streams.items():
        fault = linearize(writes, refusals)
        if fault:
            faults.append(f"{stream}: {fault}")
    fault = linearize(whole, [])
    if fault:
        faults.append(f"the whole log: {fault}")
    for call in calls:
        if call["outcome"] == "refused" and "room" in call:
            winner = rooms.get(call["room"])
            if winner is None or begun.get(winner, -INFINITY) > call["end"]:
                faults.append(f"a booking was refused, and the room was free: {call}")
    counts = collections.Counter(call["outcome"] for call in calls)
    return faults, counts, len(events), len(whole), len(streams)


def search(writes, refusals):
    """Whether an order of the calls explains the answers: tries all of them."""
    calls = writes + refusals

    def go(done, head):
        if len(done) == len(calls):
            return True
        open_calls = [index for index in range(len(calls)) if index not in done]
        for index in open_calls:
            call = calls[index]
            if any(calls[other].end < call.start for other in open_calls):
                continue
            if isinstance(call, Refusal):
                if call.expected != head and go(done | {index}, head):
                    return True
            elif call.first == head + 1 and call.expected in (None, head):
                if go(done | {index}, head + call.count):
                    return True
        return False

    return go(frozenset(), -1)


def check(count):
    """Compares `linearize` with `search`."""
    explained = 0
    for seed in range(count):
        source = random.Random(seed)
        writes, refusals, place = [], [], 0
        for _ in range(source.randint(0, 4)):
            events, start = source.randint(1, 2), source.randint(0, 9)
            end = start + source.randint(0, 5) if source.random() < 0.9 else INFINITY
            writes.append(Write(place, events, start, end, source.choice([None, place - 1])))
            place += events
        for _ in range(source.randint(0, 3)):
            start = source.randint(0, 9)
            refusals.append(Refusal(start, start + source.randint(0, 4), source.randint(-1, place)))
        fault = linearize(writes, refusals)
        if (fault is None) != search(writes, refusals):
            print(f"seed {seed}: the judge says '{fault}', and the search says otherwise")
            return 1
        explained += fault is None
    print(f"{count} random histories, {explained} of them explained by an order: judge and search agree")
    return 0


def main(directories):
    if directories[:1] == ["--check"] and len(directories) <= 2:
        return check(int(directories[1]) if len(directories) == 2 else 60_000)
    if not directories or directories[0].startswith("-"):
        print(__doc__.strip())
        return 64
    histories = faulty = commits = stored = 0
    for directory in directories:
        histories += 1
        if not os.path.exists(os.path.join(directory, "history.jsonl")):
            print(f"{directory}: the run ended without a history")
            faulty += 1
            continue
        faults, counts, events, writes, streams = judge(directory)
        commits += writes
        stored += counts["stored"]
        print(
            f"{directory}: {sum(counts.values())} calls, {counts['stored']} stored, {counts['refused']} "
            f"refused, {counts['unknown']} unknown; {writes} commits, {events} events, {streams} streams, "
            f"{len(faults)} faults")
        for fault in faults[:20]:
            print(f"  {fault}")
        faulty += bool(faults)
    print(f"{histories} histories, {commits} commits, {stored} acknowledged, {faulty} with faults")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
