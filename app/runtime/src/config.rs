//! Settings: built-in values, then `Basalt.toml`, then `BASALT_*` variables, then flags.

use std::path::PathBuf;

use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use serde::{Deserialize, Serialize};

/// Everything that can be set from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Address and port to listen on.
    pub http: String,
    /// Folder of the database.
    pub dir: PathBuf,
    /// Threads that read the database; 0 is one for each core, at least two.
    pub readers: usize,
    /// Threads that hash passwords, at a low priority; 0 is one for each core. Each needs 19 MiB
    /// while it works.
    pub hashers: usize,
    /// Megabytes of answers that are kept for requests that ask the same again; 0 keeps none.
    pub answers_mb: usize,
    /// What is logged, e.g. `info` or `warn,basalt_runtime=debug`.
    pub log: String,
    /// How it is logged.
    pub log_format: LogFormat,
    /// Apply pending migrations at the start? Else refuse to start.
    pub migrate: bool,
    /// Seconds that requests in flight get at shutdown.
    pub grace_seconds: u32,
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: one JSON object a line.
    Json,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            http: "127.0.0.1:8090".to_owned(),
            dir: PathBuf::from("basalt_data"),
            readers: 0,
            hashers: 0,
            answers_mb: 32,
            log: "info".to_owned(),
            log_format: LogFormat::Text,
            migrate: true,
            grace_seconds: 10,
        }
    }
}

/// What was given on the command line; `None` leaves the setting as it is.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Flags {
    /// `--http`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<String>,
    /// `--dir`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// `--no-migrate`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub migrate: Option<bool>,
}

impl Settings {
    /// The settings in force. `file` must exist if it is given; `Basalt.toml` need not.
    ///
    /// # Errors
    /// An unknown or ill-typed setting, named with the place it comes from.
    pub fn load(
        file: Option<&std::path::Path>,
        flags: &Flags,
    ) -> Result<Settings, Box<figment::Error>> {
        let toml = match file {
            Some(path) => Toml::file_exact(path),
            None => Toml::file("Basalt.toml"),
        };
        Figment::from(Serialized::defaults(Settings::default()))
            .merge(toml)
            .merge(Env::prefixed("BASALT_").only(&[
                "http",
                "dir",
                "readers",
                "hashers",
                "answers_mb",
                "log",
                "log_format",
                "migrate",
                "grace_seconds",
            ]))
            .merge(Serialized::defaults(flags))
            .extract()
            .map_err(Box::new)
    }

    /// The number of reader threads.
    pub fn reader_count(&self) -> usize {
        match self.readers {
            0 => std::thread::available_parallelism()
                .map_or(2, usize::from)
                .max(2),
            count => count,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn flags_win_over_the_file_and_unknown_settings_are_named() {
        let dir = std::env::temp_dir().join(format!("basalt-config-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join("Basalt.toml");
        std::fs::write(&file, "http = '0.0.0.0:80'\nlog = 'warn'\n").unwrap();
        let flags = Flags {
            http: Some("127.0.0.1:1".into()),
            ..Flags::default()
        };
        let settings = Settings::load(Some(&file), &flags).unwrap();
        assert_eq!(
            (settings.http.as_str(), settings.log.as_str()),
            ("127.0.0.1:1", "warn")
        );
        std::fs::write(&file, "htp = '0.0.0.0:80'\n").unwrap();
        let error = Settings::load(Some(&file), &Flags::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("htp"), "{error}");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
