//! The address of a Postgres server: a `postgres://` URL, with the schema of the store's tables.

use std::io;
use std::sync::Arc;

use once_cell::sync::OnceCell;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The schema of the tables if none is named.
pub(super) const DEFAULT_SCHEMA: &str = "toolgate";
/// The longest name that the server does not cut, in bytes.
const MAX_SCHEMA_BYTES: usize = 63;

/// Where the store is, and how it is connected to.
pub(super) struct PostgresAddress {
    pub(super) config: Config,
    pub(super) schema: String,
    tls: OnceCell<MakeRustlsConnect>,
}

impl PostgresAddress {
    /// Parses a URL. Beside the parameters of the client it takes `schema`, and the values `verify-ca` and `verify-full`
    /// of `sslmode`: a connection with TLS always verifies the certificate and its name. `schema` prevails over the
    /// URL's.
    ///
    /// # Errors
    /// If the URL or the schema is not valid. The message does not contain the URL, which may include a password.
    pub(super) fn parse(url: &str, schema: Option<&str>) -> io::Result<Self> {
        let (url, url_schema) = take_schema(url);
        let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
            invalid(&format!("the postgres address is not valid: {}", super::failure::describe(&error)))
        })?;
        if config.get_application_name().is_none() {
            config.application_name("toolgate");
        }
        let schema = schema.map(str::to_owned).or(url_schema).unwrap_or_else(|| DEFAULT_SCHEMA.to_owned());
        if !is_schema_name(&schema) {
            return Err(invalid(&format!(
                "the postgres schema `{schema}` must be 1 to {MAX_SCHEMA_BYTES} lowercase letters, digits and `_`, not \
                 beginning with a digit or `pg_`"
            )));
        }
        Ok(Self { config, schema, tls: OnceCell::new() })
    }

    /// The maker of TLS connections, which trusts the authorities of the system, or of the file `SSL_CERT_FILE`.
    pub(super) fn tls(&self) -> Result<MakeRustlsConnect, rustls::Error> {
        let make = || {
            let mut roots = RootCertStore::empty();
            if self.may_use_tls() {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
            Ok(MakeRustlsConnect::new(builder.with_root_certificates(roots).with_no_client_auth()))
        };
        self.tls.get_or_try_init(make).cloned()
    }

    fn may_use_tls(&self) -> bool {
        self.config.get_ssl_mode() != SslMode::Disable
            && self.config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(_)))
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// Takes the parameter `schema` out of a URL, and names the strict values of `sslmode` as the client knows them.
fn take_schema(url: &str) -> (String, Option<String>) {
    let Some((place, query)) = url.split_once('?') else { return (url.to_owned(), None) };
    let (mut schema, mut kept) = (None, Vec::new());
    for parameter in query.split('&') {
        match parameter.split_once('=') {
            Some(("schema", name)) => schema = Some(name.to_owned()),
            Some(("sslmode", "verify-ca" | "verify-full")) => kept.push("sslmode=require"),
            _ => kept.push(parameter),
        }
    }
    let separator = if kept.is_empty() { "" } else { "?" };
    ([place, separator, &kept.join("&")].concat(), schema)
}

fn is_schema_name(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty()
        && name.len() <= MAX_SCHEMA_BYTES
        && name.bytes().all(is_known)
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.starts_with("pg_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema_of(url: &str, schema: Option<&str>) -> String {
        PostgresAddress::parse(url, schema).unwrap().schema
    }

    #[test]
    fn the_schema_is_an_option_or_a_parameter() {
        assert_eq!(schema_of("postgres://h/db", None), "toolgate");
        assert_eq!(schema_of("postgres://h/db?schema=a&sslmode=disable", None), "a");
        assert_eq!(schema_of("postgresql://h/db?schema=a", Some("b")), "b");
        for wrong in ["", "A", "1a", "a\"b", "pg_a", "a b", &"x".repeat(64)] {
            let error = PostgresAddress::parse("postgres://h/db", Some(wrong)).err().unwrap();
            assert!(error.to_string().contains(&format!("`{wrong}` must be")), "{error}");
        }
    }

    #[test]
    fn every_tls_mode_is_known_and_verified() {
        for (mode, expected) in [
            ("disable", SslMode::Disable),
            ("prefer", SslMode::Prefer),
            ("require", SslMode::Require),
            ("verify-ca", SslMode::Require),
            ("verify-full", SslMode::Require),
        ] {
            let address = PostgresAddress::parse(&format!("postgres://h/db?sslmode={mode}"), None).unwrap();
            assert_eq!(address.config.get_ssl_mode(), expected);
        }
    }

    #[test]
    fn a_wrong_address_does_not_show_its_password() {
        for url in [
            "postgres://u:hidden@h:port/db",
            "postgres://u:hidden@h/db?unheard=1",
            "postgres://u:hidden@h/db?sslmode=x",
        ] {
            let error = PostgresAddress::parse(url, None).err().unwrap().to_string();
            assert!(error.starts_with("the postgres address is not valid: "), "{error}");
            assert!(!error.contains("hid"), "{error}");
        }
    }
}
