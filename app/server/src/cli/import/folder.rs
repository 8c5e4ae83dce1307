//! The folder that schema files are written to: what is there already, and whether all of it builds
//! together.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use basalt_codegen::{Checked, Report, Source};

/// Lines of a difference that are shown for each file.
const MOST_LINES: usize = 12;

/// What is to be written, compared with what is there.
pub(super) struct Folder {
    path: PathBuf,
    /// Schema files that stay as they are, since the import has no file of that name.
    pub others: Vec<Source>,
    /// Files that are not there yet.
    pub new: Vec<String>,
    /// Files that say something else, with what they say.
    pub differs: BTreeMap<String, String>,
    /// How many say the same.
    pub same: usize,
}

type Files = BTreeMap<String, String>;

impl Folder {
    /// Looks at the folder, which need not be there.
    pub(super) fn compare(path: &Path, files: &Files) -> anyhow::Result<Self> {
        let mut folder = Folder {
            path: path.to_owned(),
            others: Vec::new(),
            new: Vec::new(),
            differs: BTreeMap::new(),
            same: 0,
        };
        let shown = path.display();
        if path.exists() {
            if !path.is_dir() {
                bail!("{shown} is not a folder: give another one by --out");
            }
            let sources = basalt_codegen::read_dir(path)
                .map_err(|report| anyhow!("{report}; nothing was written"))?;
            let other = |source: &Source| {
                let name = source.path.rsplit('/').next().unwrap_or_default();
                !files.contains_key(name)
            };
            folder.others = sources.into_iter().filter(other).collect();
        }
        for (name, text) in files {
            let file = path.join(name);
            match fs::read(&file) {
                Ok(bytes) if bytes == text.as_bytes() => folder.same += 1,
                Ok(bytes) => {
                    let found = String::from_utf8_lossy(&bytes).into_owned();
                    folder.differs.insert(name.clone(), found);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    folder.new.push(name.clone());
                }
                Err(error) => {
                    return Err(error).with_context(|| format!("can't read {}", file.display()));
                }
            }
        }
        Ok(folder)
    }

    /// Does the folder build with these files?
    pub(super) fn check(&self, files: &Files) -> Result<Checked, Report> {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        let name = name.to_string_lossy();
        let new = files.iter().filter(|(file, _)| file.ends_with(".toml"));
        let new = new.map(|(file, text)| Source {
            path: format!("{name}/{file}"),
            text: text.clone(),
        });
        let sources: Vec<Source> = self.others.iter().cloned().chain(new).collect();
        basalt_codegen::resolve(&sources)
    }

    /// Why files that are there are not overwritten.
    pub(super) fn refusal(&self, files: &Files) -> String {
        let mut text = "some files are there and say something else; nothing was written \
                        (-: in the file, +: by the import)\n"
            .to_owned();
        for (name, found) in &self.differs {
            let wanted = files.get(name).map_or("", String::as_str);
            let _ = writeln!(text, "  {}", self.path.join(name).display());
            text.push_str(&difference(found, wanted));
        }
        text.push_str("To overwrite them, add --force.");
        text
    }

    /// Writes what is new or differs: all of it, or on failure nothing.
    pub(super) fn write(&self, files: &Files) -> anyhow::Result<()> {
        let made = !self.path.exists();
        let written = self.write_all(files);
        if written.is_err() && made {
            // Only if it is empty: nothing of anyone else's goes.
            let _ = fs::remove_dir(&self.path);
        }
        written
    }

    fn write_all(&self, files: &Files) -> anyhow::Result<()> {
        let shown = self.path.display();
        fs::create_dir_all(&self.path).with_context(|| format!("can't make the folder {shown}"))?;
        let changed = self.new.iter().chain(self.differs.keys());
        let mut staged: Vec<(PathBuf, PathBuf)> = Vec::new();
        for name in changed {
            let text = files.get(name).map_or("", String::as_str);
            let (part, file) = (
                self.path.join(format!(".{name}.part")),
                self.path.join(name),
            );
            let outcome = fs::write(&part, text);
            staged.push((part, file));
            if let Err(error) = outcome {
                for (part, _) in &staged {
                    let _ = fs::remove_file(part);
                }
                return Err(error).with_context(|| format!("can't write {shown}/{name}"));
            }
        }
        for (part, file) in &staged {
            fs::rename(part, file).with_context(|| format!("can't write {}", file.display()))?;
        }
        Ok(())
    }
}

/// The lines that only one of the texts has.
fn difference(found: &str, wanted: &str) -> String {
    let mut lines = Vec::new();
    for (mark, these, others) in [("-", found, wanted), ("+", wanted, found)] {
        let others: Vec<&str> = others.lines().collect();
        let only = these.lines().filter(|line| !others.contains(line));
        lines.extend(only.map(|line| format!("    {mark} {line}\n")));
    }
    if lines.is_empty() {
        return "    the order of the lines differs\n".to_owned();
    }
    let more = lines.len().saturating_sub(MOST_LINES);
    let mut text: String = lines.into_iter().take(MOST_LINES).collect();
    if more > 0 {
        let _ = writeln!(text, "    and {more} more lines");
    }
    text
}
