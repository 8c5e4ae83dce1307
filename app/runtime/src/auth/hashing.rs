//! Password hashes: argon2id with OWASP's parameters; and bcrypt's, which come with imported
//! accounts and are replaced at the next login.

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};

use crate::error::ApiError;

/// Hashes passwords one after the other in the same memory: 19 MiB, which the system would have
/// to clear anew for each.
#[derive(Default)]
pub struct Hasher(Vec<Block>);

impl Hasher {
    /// The hash of a password with a salt of its own, as text that says how it was made.
    pub fn hash(&mut self, password: &str) -> Result<String, ApiError> {
        let (version, params) = (Version::default(), Params::default());
        let salt = Salt::generate();
        let output = self.output(password, &salt, version, &params);
        let hash = PasswordHash {
            algorithm: Algorithm::Argon2id.ident(),
            version: Some(version.into()),
            params: ParamsString::try_from(&params).map_err(ApiError::internal)?,
            salt: Some(salt),
            hash: Some(output.map_err(ApiError::internal)?),
        };
        Ok(hash.to_string())
    }

    /// Does the password belong to the hash? Anything that is no hash belongs to no password.
    pub fn verify(&mut self, password: &str, hash: &str) -> bool {
        self.check(password, hash).unwrap_or(false)
    }

    fn check(&mut self, password: &str, hash: &str) -> Option<bool> {
        if bcrypt_cost(hash).is_some() {
            return Some(verify_bcrypt(password, hash));
        }
        let hash = PasswordHash::new(hash).ok()?;
        let expected = hash.hash?;
        if hash.algorithm != Algorithm::Argon2id.ident() {
            return None;
        }
        let version = match hash.version {
            Some(version) => Version::try_from(version).ok()?,
            None => Version::default(),
        };
        let params = Params::try_from(&hash).ok()?;
        let output = self.output(password, &hash.salt?, version, &params).ok()?;
        // Takes the same time wherever they differ.
        Some(output == expected)
    }

    fn output(
        &mut self,
        password: &str,
        salt: &Salt,
        version: Version,
        params: &Params,
    ) -> argon2::password_hash::Result<Output> {
        let length = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
        let blocks = params.block_count();
        if self.0.len() < blocks {
            self.0 = vec![Block::new(); blocks];
        }
        let memory = self.0.get_mut(..blocks).unwrap_or_default();
        let argon2 = Argon2::new(Algorithm::Argon2id, version, params.clone());
        let mut output = vec![0; length];
        argon2.hash_password_into_with_memory(password.as_bytes(), salt, &mut output, memory)?;
        Ok(Output::new(&output)?)
    }

    /// Gives the memory back.
    pub fn forget(&mut self) {
        self.0 = Vec::new();
    }
}

/// The longest password in bytes that bcrypt looks at as a whole.
const BCRYPT_LONGEST: usize = 72;

/// The cost of a bcrypt hash; `None` if it is none.
pub fn bcrypt_cost(hash: &str) -> Option<u32> {
    // `$2b$10$` and then salt and hash, 53 characters.
    let versioned = ["$2a$", "$2b$", "$2x$", "$2y$"];
    let rest = versioned.iter().find_map(|start| hash.strip_prefix(start));
    let (cost, rest) = rest?.split_once('$')?;
    let of_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/');
    let complete = cost.len() == 2 && rest.len() == 53 && rest.bytes().all(of_base64);
    let cost = cost.parse().ok().filter(|cost| (4..=31).contains(cost))?;
    complete.then_some(cost)
}

/// Is it a hash that [`Hasher::verify`] can check a password against?
pub fn is_hash(text: &str) -> bool {
    let argon2id = || {
        let hash = PasswordHash::new(text).ok()?;
        let known = hash.algorithm == Algorithm::Argon2id.ident();
        (known && hash.hash.is_some() && hash.salt.is_some()).then(|| Params::try_from(&hash).ok())
    };
    bcrypt_cost(text).is_some() || argon2id().flatten().is_some()
}

/// Does the password belong to the bcrypt hash? Takes as long for a password that is too long: what
/// stands behind the end isn't looked at, so that it would belong to many hashes.
fn verify_bcrypt(password: &str, hash: &str) -> bool {
    bcrypt::verify(password, hash).unwrap_or(false) && password.len() <= BCRYPT_LONGEST
}

/// Takes as long as a check against a bcrypt hash of this cost.
pub fn pass_bcrypt_time(password: &str, cost: u32) {
    std::hint::black_box(verify_bcrypt(password, &nobodys_bcrypt(cost)));
}

/// A bcrypt hash of no password that is known.
fn nobodys_bcrypt(cost: u32) -> String {
    format!("$2b${cost:02}${}", ".".repeat(53))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use argon2::password_hash::{PasswordHasher, PasswordVerifier};

    use super::*;

    #[test]
    fn a_hash_belongs_to_its_password_alone() {
        let mut hasher = Hasher::default();
        let hash = hasher.hash("1234567890").unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        assert_ne!(hasher.hash("1234567890").unwrap(), hash);
        assert!(hasher.verify("1234567890", &hash));
        assert!(!hasher.verify("123456789", &hash));
        for nothing in ["", "1234567890", "$argon2id$", "$argon2id$v=19$m=8,t=1,p=1"] {
            assert!(!hasher.verify("", nothing), "{nothing}");
        }
        assert!(!hasher.verify("1234567890", &hash.replace("argon2id", "argon2i")));
    }

    #[test]
    fn a_bcrypt_hash_belongs_to_its_password_alone() {
        let mut hasher = Hasher::default();
        let hash = bcrypt::hash("1234567890", 4).unwrap();
        for version in ["$2a$", "$2b$", "$2y$"] {
            let hash = hash.replace("$2b$", version);
            assert!(hasher.verify("1234567890", &hash), "{hash}");
            assert!(!hasher.verify("123456789", &hash), "{hash}");
        }
        let longest = "x".repeat(BCRYPT_LONGEST);
        let hash = bcrypt::hash(&longest, 4).unwrap();
        assert!(hasher.verify(&longest, &hash));
        assert!(!hasher.verify(&format!("{longest}x"), &hash));
    }

    #[test]
    fn hashes_are_told_from_other_texts() {
        let bcrypt = bcrypt::hash("1234567890", 5).unwrap();
        assert_eq!(bcrypt_cost(&bcrypt), Some(5));
        assert!(is_hash(&bcrypt));
        assert!(is_hash(&Hasher::default().hash("1234567890").unwrap()));
        let cut = bcrypt.get(..59).unwrap();
        let spaced = format!("{cut} ");
        let wrong = bcrypt.replace("$05$", "$32$");
        for text in [
            "",
            "1234567890",
            "$2b$",
            "$argon2id$",
            "$2b$10$é",
            cut,
            &spaced,
            &wrong,
        ] {
            assert!(!is_hash(text), "{text}");
            assert_eq!(bcrypt_cost(text), None, "{text}");
        }
    }

    /// Else an unknown account would be answered sooner.
    #[test]
    fn passing_time_computes_a_hash() {
        let hash = nobodys_bcrypt(4);
        assert!(is_hash(&hash));
        assert!(!bcrypt::verify("1234567890", &hash).unwrap());
    }

    /// Whatever was hashed in the memory before, results are those of the library itself.
    #[test]
    fn memory_that_was_used_changes_nothing() {
        let mut hasher = Hasher::default();
        for (memory, passes, lanes, length) in [
            (19456, 2, 1, 32),
            (64, 3, 2, 16),
            (19456, 1, 1, 64),
            (8, 1, 1, 10),
        ] {
            let params = Params::new(memory, passes, lanes, Some(length)).unwrap();
            for version in [Version::V0x10, Version::V0x13] {
                let library = Argon2::new(Algorithm::Argon2id, version, params.clone());
                let hash = library.hash_password(b"1234567890").unwrap().to_string();
                assert!(hasher.verify("1234567890", &hash), "{hash}");
                assert!(!hasher.verify("other", &hash), "{hash}");
            }
            let own = hasher.hash("1234567890").unwrap();
            let found = Argon2::default().verify_password(b"1234567890", own.as_str());
            assert_eq!(found, Ok(()));
        }
    }
}
