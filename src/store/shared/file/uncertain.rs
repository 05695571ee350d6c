//! The calls of a file whose outcome may be uncertain.

use rusqlite::{Transaction, params};

use crate::store::reconcile::{UncertainCall, UncertainCalls, UncertainPage};

/// The number of rows that one part of the search looks at: other operations of the process wait for it.
const ROWS_PER_PAGE: i64 = 2000;

/// The contents of records that keep arguments, and the numbers of the other rows.
const PAGE: &str = "
SELECT rowid, name, CASE WHEN name LIKE 'call:%' AND content LIKE '%\"kept\":%' THEN content END
FROM rows WHERE rowid > ?1 ORDER BY rowid LIMIT ?2";

pub(super) fn list(transaction: &Transaction<'_>, page: &UncertainPage) -> rusqlite::Result<UncertainCalls> {
    let after: i64 = page.cursor.as_deref().and_then(|cursor| cursor.parse().ok()).unwrap_or(i64::MIN);
    let mut select = transaction.prepare_cached(PAGE)?;
    let mut rows = select.query(params![after, ROWS_PER_PAGE])?;
    let (mut found, mut looks, mut last) = (UncertainCalls::default(), 0, after);
    while let Some(row) = rows.next()? {
        looks += 1;
        last = row.get(0)?;
        let (name, content): (String, Option<String>) = (row.get(1)?, row.get(2)?);
        found.calls.extend(content.and_then(|content| UncertainCall::from_stored(&name, &content, page.begun_by)));
    }
    found.next = (looks == ROWS_PER_PAGE).then(|| last.to_string());
    Ok(found)
}
