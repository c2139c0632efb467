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
CREATE TABLE lineages (
    name TEXT PRIMARY KEY,
    measure TEXT NOT NULL,
    change TEXT NOT NULL,
    unit TEXT NOT NULL,
    retired INTEGER NOT NULL
);
CREATE TABLE datasets (
    name TEXT PRIMARY KEY,
    lineage TEXT NOT NULL REFERENCES lineages (name),
    public_schema TEXT NOT NULL,
    retired INTEGER NOT NULL
);
CREATE TABLE caps (
    lineage TEXT NOT NULL REFERENCES lineages (name),
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    cap BIGINT,
    spent BIGINT NOT NULL,
    last INTEGER,
    PRIMARY KEY (lineage, scope, name)
);
CREATE TABLE charges (
    seq INTEGER PRIMARY KEY,
    analyst TEXT NOT NULL,
    request_id TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    lineage TEXT NOT NULL REFERENCES lineages (name),
    dataset TEXT NOT NULL REFERENCES datasets (name),
    amount BIGINT NOT NULL,
    state TEXT NOT NULL,
    lease TEXT NOT NULL,
    lease_until BIGINT NOT NULL,
    answer_kind TEXT,
    answer TEXT,
    UNIQUE (analyst, request_id)
);
CREATE INDEX charges_by_answer ON charges (analyst, request_hash) WHERE state = 'answered';
CREATE INDEX charges_by_lineage ON charges (lineage, seq);
CREATE TABLE disclosed (
    lineage TEXT NOT NULL REFERENCES lineages (name),
    native TEXT NOT NULL,
    times BIGINT NOT NULL,
    PRIMARY KEY (lineage, native)
);
