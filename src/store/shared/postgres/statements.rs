//! The SQL of the store, with the name of its schema.
//!
//! Each operation is one statement, which is a transaction of its own and needs no state of the connection: a pooler may
//! give each statement to another connection. A commit locks its session's row as it changes it.

use crate::store::shared::probe;

/// The version of the table layout. Tables with a newer layout are refused. A migration to another layout must change
/// the version of every session, so that no process commits a session that it read before.
pub(super) const LAYOUT_VERSION: i32 = 1;
/// The maximum of sessions that one statement of a sweep or of an erasure looks at.
pub(super) const SESSIONS_PER_STATEMENT: i64 = 200;

/// Creates what is absent, also of tables that an earlier version has made: those continue with them, and a session that they have
/// written last has no time since when it owes a result, or that of a former one, until its next commit. One process at a time: the lock ends with the transaction, which is the whole text. The
/// number is "TGAT". A change of a table that a backup reads waits shortly, and is tried again: other statements wait for it.
const CREATE: &str = "
SELECT pg_advisory_xact_lock(1413955924), set_config('lock_timeout', '500ms', true);
CREATE TABLE IF NOT EXISTS {schema}.installation (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), layout integer NOT NULL, fingerprint_key text NOT NULL
);
CREATE TABLE IF NOT EXISTS {schema}.sessions (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE \"C\" NOT NULL UNIQUE,
    version text NOT NULL, used_at bigint NOT NULL, document text NOT NULL, commits text[] NOT NULL
);
ALTER TABLE {schema}.sessions ADD COLUMN IF NOT EXISTS owed_since bigint;
CREATE INDEX IF NOT EXISTS sessions_by_use ON {schema}.sessions (used_at);
CREATE INDEX IF NOT EXISTS sessions_by_owed ON {schema}.sessions (owed_since) WHERE owed_since IS NOT NULL;
CREATE TABLE IF NOT EXISTS {schema}.session_rows (
    session bigint NOT NULL REFERENCES {schema}.sessions (number) ON DELETE CASCADE,
    name text COLLATE \"C\" NOT NULL, expires bigint, content text NOT NULL, PRIMARY KEY (session, name)
);
CREATE INDEX IF NOT EXISTS session_rows_by_expiry ON {schema}.session_rows (session, expires)
    WHERE expires IS NOT NULL;
INSERT INTO {schema}.installation (layout, fingerprint_key) VALUES ({layout}, '{key}') ON CONFLICT DO NOTHING;
";

/// Separate from [`CREATE`]: it needs a right on the database that the user of an existing schema need not have.
const CREATE_SCHEMA: &str = "SELECT pg_advisory_xact_lock(1413955924); CREATE SCHEMA IF NOT EXISTS {schema};";

/// $1 the session, $2 names of rows. One row: the installation, the server's time, the session, and the contents in the
/// order of the names. No row if the installation's is gone.
const READ: &str = "
SELECT i.layout, i.fingerprint_key, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, s.version, s.document,
    ARRAY(
        SELECT r.content FROM unnest($2::text[]) WITH ORDINALITY AS n (name, place)
        LEFT JOIN {schema}.session_rows r ON r.session = s.number AND r.name = n.name ORDER BY n.place
    )
FROM {schema}.installation i LEFT JOIN {schema}.sessions s ON s.id = $1";

/// The first part of a commit. $1 the session, $2 the version that was read, $3 the commit id, which is the next version,
/// $4 the time of the use, $5 the document, $11 names of rows that must be absent, $12 since when a result is owed. The indexed time of the use is set a
/// second ahead, so that it seldom changes: an update that changes no index writes one version of the row and nothing else.
const UPDATE_SESSION: &str = "
WITH changed AS (
    UPDATE {schema}.sessions SET version = $3, document = $5, commits = ($3::text || commits)[1:32],
        used_at = CASE WHEN used_at < $4 OR used_at > $4 + 1000 THEN $4 + 1000 ELSE used_at END, owed_since = $12
    WHERE id = $1 AND version = $2 AND NOT EXISTS (
        SELECT FROM {schema}.session_rows r WHERE r.session = sessions.number AND r.name = ANY ($11::text[])
    ) RETURNING number
)";

/// The same for a session that was not there. The conditions use the parameters that the other form has.
const INSERT_SESSION: &str = "
WITH changed AS (
    INSERT INTO {schema}.sessions (id, version, used_at, document, commits, owed_since)
    SELECT $1, $3, $4, $5, ARRAY[$3::text], $12 WHERE $2 = '' AND $11::text[] IS NOT NULL ON CONFLICT (id) DO NOTHING RETURNING number
)";

/// The second part, if rows are deleted. $6 names of the rows to put, $9 names of the rows to delete, $10 the time until
/// which some expired rows are deleted: more than is added until the next commit that does, so that none accumulate.
const DELETE_ROWS: &str = ", gone AS (
    SELECT unnest($9::text[]) AS name
    UNION
    (SELECT e.name FROM {schema}.session_rows e
     WHERE e.session = (SELECT number FROM changed) AND e.expires <= $10::bigint ORDER BY e.expires LIMIT 32)
), removed AS (
    DELETE FROM {schema}.session_rows r USING gone
    WHERE r.session = (SELECT number FROM changed) AND r.name = gone.name AND r.name <> ALL ($6::text[])
)";

/// The last part. $6, $7, $8 names, expiries and contents of the rows to put. Returns the number of sessions that were
/// changed: 0 if the version does not match, or a row that must be absent exists.
const PUT_ROWS: &str = ", stored AS (
    INSERT INTO {schema}.session_rows (session, name, expires, content)
    SELECT changed.number, put.name, put.expires, put.content
    FROM changed, unnest($6::text[], $7::bigint[], $8::text[]) AS put (name, expires, content)
    ON CONFLICT (session, name) DO UPDATE SET expires = excluded.expires, content = excluded.content
)
SELECT count(*) FROM changed";

/// $1 the session, $2 a commit id. Whether the commit is one of the last.
const HAS_COMMIT: &str = "SELECT $2 = ANY (commits) FROM {schema}.sessions WHERE id = $1";

/// $1 the time before which sessions are dropped, or how long they are kept; $2 whether it is the latter; $3 the sessions
/// that stay; $4 the maximum. Sessions that a commit is changing are left out. Returns the documents of those that owe results.
const SWEEP: &str = "
DELETE FROM {schema}.sessions WHERE number IN (
    SELECT number FROM {schema}.sessions
    WHERE used_at < CASE WHEN $2::boolean
        THEN (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1::bigint ELSE $1::bigint END
    AND id <> ALL ($3::text[]) ORDER BY used_at LIMIT $4 FOR UPDATE SKIP LOCKED
) RETURNING id, CASE WHEN document LIKE '%\"owed\":%' THEN document END";

/// The time since when the oldest result is owed, and the server's time.
const OWED: &str = "
SELECT (SELECT min(owed_since) FROM {schema}.sessions WHERE owed_since IS NOT NULL),
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// Whether the tables have what this version has added to them is the last.
const INSTALLATION: &str = "
SELECT layout, fingerprint_key, EXISTS (
    SELECT FROM pg_catalog.pg_attribute WHERE attrelid = to_regclass('{schema}.sessions') AND attname = 'owed_since'
) FROM {schema}.installation";

const COUNT: &str = "
SELECT 'session', count(*) FROM {schema}.sessions WHERE id <> '{probe}'
UNION ALL SELECT split_part(name, ':', 1), count(*) FROM {schema}.session_rows GROUP BY 1";

/// $1 and $2 the use and the number of the last session of the page before, $3 the size of a page.
const LIST: &str = "
SELECT used_at, number, id, document FROM {schema}.sessions WHERE (used_at, number) < ($1, $2)
ORDER BY used_at DESC, number DESC LIMIT $3";

/// $1 the session. Its document and its rows, in one snapshot.
const SHOW: &str = "
SELECT s.document, ARRAY(SELECT name FROM {schema}.session_rows WHERE session = s.number ORDER BY name),
    ARRAY(SELECT content FROM {schema}.session_rows WHERE session = s.number ORDER BY name)
FROM {schema}.sessions s WHERE s.id = $1";

/// $1 the number of the last session of the page before, $2 the size of a page.
const SCAN: &str = "SELECT number, id, document FROM {schema}.sessions WHERE number > $1 ORDER BY number LIMIT $2";

/// $1 the number of the last session of the page before, $2 the size of a page. The last session of this page, and its records
/// that keep arguments.
const UNCERTAIN: &str = "
WITH page AS (SELECT number FROM {schema}.sessions WHERE number > $1 ORDER BY number LIMIT $2),
kept AS MATERIALIZED (
    SELECT r.session, r.name, r.content FROM page JOIN {schema}.session_rows r ON r.session = page.number
    WHERE r.name LIKE 'call:%' AND r.content LIKE '%\"kept\":%'
)
SELECT (SELECT max(number) FROM page), ARRAY(SELECT name FROM kept ORDER BY session, name),
    ARRAY(SELECT content FROM kept ORDER BY session, name)";

/// $1 the numbers of the sessions. The session's row is locked first, as by a commit.
const ERASE: &str = "
WITH gone AS (DELETE FROM {schema}.sessions WHERE number = ANY ($1::bigint[]) RETURNING number),
removed AS (DELETE FROM {schema}.session_rows WHERE session IN (SELECT number FROM gone) RETURNING name)
SELECT 'session', count(*) FROM gone
UNION ALL SELECT split_part(name, ':', 1), count(*) FROM removed GROUP BY 1";

/// The texts of the statements.
pub(super) struct Statements {
    schema: String,
    pub(super) read: String,
    pub(super) update: String,
    /// The same for a commit that deletes rows. Statements are parsed and planned each time, so the other one lacks that part.
    pub(super) update_and_delete: String,
    /// Of a session that was not there: it has no rows to delete.
    pub(super) insert: String,
    pub(super) has_commit: String,
    pub(super) sweep: String,
    pub(super) owed: String,
    pub(super) installation: String,
    pub(super) count: String,
    pub(super) list: String,
    pub(super) show: String,
    pub(super) scan: String,
    pub(super) uncertain: String,
    pub(super) erase: String,
}

impl Statements {
    /// The statements on the tables of a schema, whose name is valid.
    pub(super) fn new(schema: &str) -> Self {
        let of = |text: &str| in_schema(text, schema);
        Self {
            schema: schema.to_owned(),
            read: of(READ),
            update: of(&[UPDATE_SESSION, PUT_ROWS].concat()),
            update_and_delete: of(&[UPDATE_SESSION, DELETE_ROWS, PUT_ROWS].concat()),
            insert: of(&[INSERT_SESSION, PUT_ROWS].concat()),
            has_commit: of(HAS_COMMIT),
            sweep: of(SWEEP),
            owed: of(OWED),
            installation: of(INSTALLATION),
            count: of(&COUNT.replace("{probe}", probe::KEY)),
            list: of(LIST),
            show: of(SHOW),
            scan: of(SCAN),
            uncertain: of(UNCERTAIN),
            erase: of(ERASE),
        }
    }

    pub(super) fn create_schema(&self) -> String {
        in_schema(CREATE_SCHEMA, &self.schema)
    }

    /// Creates the tables, with the key of a new installation: hex digits.
    pub(super) fn create_tables(&self, fingerprint_key: &str) -> String {
        let text = CREATE.replace("{layout}", &LAYOUT_VERSION.to_string()).replace("{key}", fingerprint_key);
        in_schema(&text, &self.schema)
    }
}

fn in_schema(text: &str, schema: &str) -> String {
    text.replace("{schema}", &format!("\"{schema}\""))
}
