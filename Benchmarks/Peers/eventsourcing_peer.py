"""The Python library `eventsourcing` on SQLite, as a peer of annals-bench.

It measures SQLiteApplicationRecorder, the library's lowest layer: stored events in, stored events out. Aggregates,
mappers and transcoders, which an application has above it, are left out, so all figures favour the library.

    eventsourcing_peer.py check
    eventsourcing_peer.py append DATABASE EVENTS BATCH SECONDS
    eventsourcing_peer.py scan DATABASE
    eventsourcing_peer.py streams DATABASE NUMBERS

EVENTS has for each event the number of its stream (four bytes, little-endian) and its payload (150 bytes).
NUMBERS has the numbers of streams, four bytes each. Only the calls of the recorder are timed. One JSON object is
printed: entries, seconds, and the microseconds of each call as latencies.
"""

import gc
import json
import struct
import sys
from time import perf_counter_ns

try:
    from eventsourcing.persistence import StoredEvent
    from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore
except ImportError:
    sys.exit(3)

PAYLOAD_BYTES = 150
# How many events are prepared at a time, so that as many are appended without a pause.
PREPARED = 500_000
# How many notifications a scan asks for at a time.
PAGE = 10_000


def name(stream):
    return f"stream/{stream:06}"


def recorder(database):
    """The recorder with the settings of the peer `sqlite`: WAL, a flush at each commit, a cache of 64 MiB."""
    # Names of streams as they are: making and reading UUIDs would only take longer.
    datastore = SQLiteDatastore(database, pool_size=1, max_overflow=0, originator_id_type="text")
    # The pool has this one connection, which keeps its settings.
    with datastore.get_connection(commit=True) as connection:
        cursor = connection.cursor()
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA cache_size = -65536")
        settings = []
        for pragma in ["journal_mode", "synchronous", "cache_size"]:
            cursor.execute(f"PRAGMA {pragma}")
            settings.append(cursor.fetchone()[0])
        if settings != ["wal", 2, -65536]:
            sys.exit(f"SQLite has other settings than were asked for: {settings}")
    result = SQLiteApplicationRecorder(datastore)
    result.create_table()
    return result


class Clock:
    """Times calls one after the other."""

    def __init__(self):
        self.latencies = []
        # The collector would look at all prepared events again and again.
        gc.collect()
        gc.disable()

    def call(self, function, *arguments, **options):
        start = perf_counter_ns()
        result = function(*arguments, **options)
        self.latencies.append(perf_counter_ns() - start)
        return result

    @property
    def seconds(self):
        return sum(self.latencies) / 1e9

    def report(self, entries):
        microseconds = [latency / 1e3 for latency in self.latencies]
        print(json.dumps({"entries": entries, "seconds": self.seconds, "latencies": microseconds}))


def append(database, events, batch, seconds):
    """Appends until the events or the seconds have run out."""
    batch, seconds, recording = int(batch), float(seconds), recorder(database)
    clock, entries, versions = Clock(), 0, {}
    size = 4 + PAYLOAD_BYTES
    with open(events, "rb") as file:
        while clock.seconds < seconds:
            data = file.read(max(PREPARED // batch, 1) * batch * size)
            if not data:
                break
            prepared = []
            for offset in range(0, len(data), size):
                (stream,) = struct.unpack_from("<I", data, offset)
                # The aggregate knows its version, so the application looks nothing up.
                version = versions.get(stream, 0) + 1
                versions[stream] = version
                payload = data[offset + 4 : offset + size]
                prepared.append(StoredEvent(name(stream), version, "bench:Sampled", payload))
            for first in range(0, len(prepared), batch):
                if clock.seconds >= seconds:
                    break
                entries += len(clock.call(recording.insert_events, prepared[first : first + batch]))
    clock.report(entries)


def scan(database):
    """Reads all events in the order of their notification ids."""
    recording = recorder(database)
    clock, entries, size, last = Clock(), 0, 0, 0
    while found := clock.call(recording.select_notifications, last + 1, PAGE):
        entries += len(found)
        size += sum(len(event.state) for event in found)
        last = found[-1].id
    if size != entries * PAYLOAD_BYTES:
        sys.exit(f"{entries} events have {size} bytes")
    clock.report(entries)


def streams(database, numbers):
    """Reads all events of one stream after the other."""
    recording = recorder(database)
    with open(numbers, "rb") as file:
        data = file.read()
    names = [name(stream) for (stream,) in struct.iter_unpack("<I", data)]
    clock, entries = Clock(), 0
    for stream in names:
        entries += len(clock.call(recording.select_events, stream))
    clock.report(entries)


def check():
    """Does nothing: the library was found."""
    Clock().report(0)


if __name__ == "__main__":
    work = {"check": check, "append": append, "scan": scan, "streams": streams}
    work[sys.argv[1]](*sys.argv[2:])
