//! From a PocketBase data directory: records, accounts with their passwords and sessions, files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, bail};
use diesel_migrations::EmbeddedMigrations;

use super::files::Files;
use super::load::{Columns, Load, Loaded, Manner, id_of};
use super::progress::Progress;
use super::raw::{Raw, Reading};
use super::report::Summary;
use super::source::{Collection, Source};
use super::{relations, target};
use crate::auth::secrets;
use crate::meta::CollectionMeta;
use crate::registry::{Entry, Registry};
use crate::sql::Conn;

/// What is to be imported, and where to.
pub struct Import<'a> {
    /// The directory that is read.
    pub from: &'a Path,
    /// The data folder that is written.
    pub to: PathBuf,
    /// How strictly.
    pub manner: Manner,
    /// Is it only tried out?
    pub dry_run: bool,
}

/// A collection there and its counterpart here.
struct Pair<'a> {
    from: &'a Collection,
    columns: Columns,
}

/// Imports a PocketBase data directory into an application's database.
///
/// # Errors
/// One line that says what is wrong. Nothing is changed then.
pub fn data(
    import: &Import<'_>,
    registry: &Registry,
    migrations: &EmbeddedMigrations,
) -> anyhow::Result<Summary> {
    let same =
        |one: &Path, other: &Path| Some(one.canonicalize().ok()? == other.canonicalize().ok()?);
    if same(import.from, &import.to) == Some(true) {
        bail!(
            "{} is read, so it can't be the data folder too",
            import.from.display()
        );
    }
    let mut source = Source::open(import.from)?;
    let known = std::mem::take(&mut source.collections);
    let mut summary = Summary {
        dry_run: import.dry_run,
        keep_going: import.manner.keep_going,
        ..Summary::default()
    };
    let pairs = pairs(&known, registry, &mut summary.notes)?;
    note_columns(&mut source, &pairs, &mut summary.notes)?;
    let settings = source.settings()?;
    if !settings.is_empty() {
        let settings = settings.join(", ");
        summary.notes.push(format!(
            "settings without a counterpart are left: {settings}"
        ));
    }
    target::fill(&import.to, registry, migrations, |conn| {
        run(import, &mut source, &pairs, conn, &mut summary)?;
        let keep = summary.is_kept();
        Ok(((), keep))
    })?;
    Ok(summary)
}

fn run(
    import: &Import<'_>,
    source: &mut Source,
    pairs: &[Pair<'_>],
    conn: &mut Conn,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    let mut progress = Progress::of(pairs.iter().map(|pair| pair.from.count).sum());
    let mut loaded = Vec::new();
    for pair in pairs {
        progress.say(&pair.from.name);
        loaded.push(load(pair, source, conn, import.manner, &mut progress)?);
    }
    source.check_unchanged()?;
    progress.say("relations");
    relations::check(conn, import.manner, &mut loaded)?;
    let refused: u64 = loaded.iter().map(|one| one.tally.refused).sum();
    if refused == 0 || import.manner.keep_going {
        for (pair, one) in pairs.iter().zip(&loaded) {
            take_secret(pair, one, conn, &mut summary.notes)?;
        }
        progress.say("files");
        let mut files = Files::begin(&import.to, import.dry_run)?;
        for pair in pairs {
            copy_files(pair, source, conn, &mut files)?;
        }
        note_files(&files, summary);
        progress.say("checking");
        relations::verify(conn, &loaded)?;
        if !import.dry_run {
            files.put()?;
        }
    }
    let tallies = loaded
        .into_iter()
        .map(|one| (one.entry.meta().name.to_owned(), one.tally));
    summary.tallies = tallies.collect();
    Ok(())
}

/// Finds the counterparts, by id and then by name.
fn pairs<'a>(
    known: &'a [Collection],
    registry: &Registry,
    notes: &mut Vec<String>,
) -> anyhow::Result<Vec<Pair<'a>>> {
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    for from in known {
        if from.kind == "view" {
            notes.push(format!(
                "`{}` is a view: it has no records of its own",
                from.name
            ));
            continue;
        }
        let Some(entry) = counterpart(from, known, registry) else {
            if from.count > 0 {
                let records = counted(from.count, "record");
                let name = &from.name;
                notes.push(format!(
                    "{records} of `{name}` are left: the schema has no such collection"
                ));
            }
            continue;
        };
        if pairs
            .iter()
            .any(|pair| pair.columns.entry.place == entry.place)
        {
            bail!("two collections belong to `{}` here", entry.meta().name);
        }
        let meta = entry.meta();
        if (from.kind == "auth") != meta.auth.is_some() {
            let here = if meta.auth.is_some() { "auth" } else { "base" };
            bail!(
                "`{}` is of type {} there, and {here} in the schema",
                from.name,
                from.kind
            );
        }
        if from.id != meta.id && meta.auth.is_some() {
            notes.push(format!(
                "`{}` has the id `{}` in the schema and `{}` there: its tokens are not valid here",
                meta.name, meta.id, from.id
            ));
        }
        let places = meta.fields.iter().enumerate();
        let places = places.filter(|(_, field)| from.columns.iter().any(|it| it == field.name));
        let places: Vec<usize> = places.map(|(place, _)| place).collect();
        if places.first() != Some(&0) {
            bail!("the table `{}` has no column `id`", from.name);
        }
        pairs.push(Pair {
            from,
            columns: Columns {
                entry: Arc::clone(entry),
                table: from.name.clone(),
                places,
            },
        });
    }
    Ok(pairs)
}

fn counterpart<'r>(
    from: &Collection,
    known: &[Collection],
    registry: &'r Registry,
) -> Option<&'r Arc<Entry>> {
    let entries = registry.entries();
    let by_id = entries.iter().find(|entry| entry.meta().id == from.id);
    let same_name = |meta: &CollectionMeta| meta.name.eq_ignore_ascii_case(&from.name);
    // One with the same id as another collection there is that one's.
    let taken = |meta: &CollectionMeta| known.iter().any(|other| other.id == meta.id);
    let by_name = || {
        let mut named = entries.iter().filter(|entry| same_name(entry.meta()));
        named.find(|entry| !taken(entry.meta()))
    };
    by_id.or_else(by_name)
}

/// Says which columns have no field, if there is something in them, and which fields no column.
fn note_columns(
    source: &mut Source,
    pairs: &[Pair<'_>],
    notes: &mut Vec<String>,
) -> anyhow::Result<()> {
    for Pair { from, columns } in pairs {
        let meta = columns.entry.meta();
        let left = from
            .columns
            .iter()
            .filter(|name| meta.field_index(name).is_none());
        for name in left {
            let filled = filled(source, &from.name, name)?;
            if filled > 0 {
                let kind = from.types.iter().find(|(known, _)| known == name);
                let kind = kind.map_or("column", |(_, kind)| kind.as_str());
                notes.push(format!(
                    "`{}.{name}` ({kind}) is no field of the schema: what is there is left, of {}",
                    from.name,
                    counted(filled, "record")
                ));
            }
        }
        for (place, field) in meta.fields.iter().enumerate() {
            if from.count > 0 && !columns.places.contains(&place) {
                notes.push(format!(
                    "`{}.{}` is not there: records get its default",
                    meta.name, field.name
                ));
            }
        }
    }
    Ok(())
}

/// How many records hold something in a column.
fn filled(source: &mut Source, table: &str, column: &str) -> anyhow::Result<u64> {
    let mut count = 0;
    let reading = Reading {
        table,
        columns: &[column],
        id: None,
    };
    reading.each(&mut source.conn, &mut |values| {
        let empty = match values.first() {
            None | Some(Raw::Null | Raw::Integer(0)) => true,
            Some(Raw::Real(number)) => *number == 0.0,
            Some(Raw::Text(text)) => matches!(text.as_str(), "" | "[]" | "null"),
            Some(_) => false,
        };
        count += u64::from(!empty);
        Ok(())
    })?;
    Ok(count)
}

fn load(
    pair: &Pair<'_>,
    source: &mut Source,
    conn: &mut Conn,
    manner: Manner,
    progress: &mut Progress,
) -> anyhow::Result<Loaded> {
    let mut load = Load::begin(conn, &pair.columns.entry, manner)?;
    pair.columns.each(&mut source.conn, None, &mut |values| {
        progress.step();
        let id = id_of(values);
        match pair.columns.record(values) {
            Ok(record) => load.add(&*record, || format!("`{id}`")),
            Err(reason) => {
                load.refuse(|| format!("`{id}`: {reason}"));
                Ok(())
            }
        }
    })?;
    load.end()
}

/// Tokens that were issued there stay valid, unless there are accounts with tokens here already.
fn take_secret(
    pair: &Pair<'_>,
    loaded: &Loaded,
    conn: &mut Conn,
    notes: &mut Vec<String>,
) -> anyhow::Result<()> {
    let meta = pair.columns.entry.meta();
    let Some(secret) = pair
        .from
        .token_secret
        .as_deref()
        .filter(|_| meta.auth.is_some())
    else {
        return Ok(());
    };
    let own = secrets::token_secret(conn, meta.id)?;
    if own.as_deref() == Some(secret) {
        return Ok(());
    }
    if loaded.before.count > 0 {
        notes.push(format!(
            "`{}` has accounts here already, and keeps what its tokens are signed with: those \
             issued there are not valid here",
            meta.name
        ));
        return Ok(());
    }
    secrets::set_token_secret(conn, meta.id, secret)?;
    Ok(())
}

/// Copies the files of those records that are here now.
fn copy_files(
    pair: &Pair<'_>,
    source: &Source,
    conn: &mut Conn,
    files: &mut Files,
) -> anyhow::Result<()> {
    let folder = source.dir.join("storage").join(&pair.from.id);
    // An id that is a path would lead elsewhere.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !pair.from.id.bytes().all(plain) || !folder.is_dir() {
        return Ok(());
    }
    let reading = || format!("cannot read {}", folder.display());
    let entry = &pair.columns.entry;
    for record in fs::read_dir(&folder).with_context(reading)? {
        let record = record.with_context(reading)?;
        let Ok(id) = record.file_name().into_string() else {
            continue;
        };
        let is_folder = record.file_type().with_context(reading)?.is_dir();
        let is_here =
            is_folder && entry.count_existing_unchecked(conn, std::slice::from_ref(&id))? > 0;
        if is_here {
            files.copy(&record.path(), entry.meta().id, &id)?;
        }
    }
    Ok(())
}

fn note_files(files: &Files, summary: &mut Summary) {
    if files.count > 0 {
        let count = counted(files.count, "file");
        summary
            .notes
            .push(format!("{count} of records, {} bytes", files.bytes));
    }
    if files.left > 0 {
        let left = counted(files.left, "entry");
        summary.notes.push(format!(
            "{left} of the file storage are neither file nor folder: left"
        ));
    }
}

fn counted(count: u64, what: &str) -> String {
    match (count, what) {
        (1, what) => format!("1 {what}"),
        (count, "entry") => format!("{count} entries"),
        (count, what) => format!("{count} {what}s"),
    }
}
