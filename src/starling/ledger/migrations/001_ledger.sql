-- The ledger. `events` is the truth, chained by hash; the other tables repeat it for look-ups, and `verify` compares them.
CREATE TABLE about (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE TABLE populations (
    name TEXT PRIMARY KEY,
    measure TEXT NOT NULL,
    change TEXT NOT NULL,
    unit TEXT NOT NULL,
    retired INTEGER NOT NULL
);
CREATE TABLE datasets (
    name TEXT PRIMARY KEY,
    population TEXT NOT NULL REFERENCES populations (name),
    public_schema TEXT NOT NULL,
    retired INTEGER NOT NULL
);
CREATE TABLE caps (
    -- The event that began it: a charge updates its caps by number.
    since INTEGER PRIMARY KEY,
    population TEXT NOT NULL REFERENCES populations (name),
    -- population, dataset, analyst; and noise: what was charged with one kind of noise, named by its hash and never capped.
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    cap BIGINT,
    spent BIGINT NOT NULL,
    last INTEGER,
    UNIQUE (population, scope, name)
);
CREATE TABLE charges (
    seq INTEGER PRIMARY KEY,
    analyst TEXT NOT NULL,
    request_id TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    -- Registered: its row was read, or is remembered from the head that the charge follows; a reference would look again at every charge.
    dataset TEXT NOT NULL,
    amount BIGINT NOT NULL,
    state TEXT NOT NULL,
    lease TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    holder TEXT NOT NULL,
    answer_kind TEXT,
    answer TEXT,
    -- The draw that it has committed to, and the key to what was drawn, hexadecimal.
    drawn_sha256 TEXT,
    drawn_key TEXT,
    -- How often it was paid: once, and once more for each draw that was lost.
    times INTEGER NOT NULL,
    -- The charge of the same population before this one: the latest are found without an index, which would cost every charge a page.
    previous INTEGER,
    UNIQUE (analyst, request_id)
);
CREATE INDEX charges_by_hash ON charges (analyst, request_hash);
-- Files that the custodian has looked at; the signature stands in the event.
CREATE TABLE accepted (
    seq INTEGER PRIMARY KEY,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    files TEXT NOT NULL,
    UNIQUE (dataset, files)
);
