//! A small generator of repeatable random values; a failure is reproduced from its seed.

/// Splitmix64: one word of state, every seed is a good one.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts the sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, or 0 when `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.word() % limit).unwrap_or(0)
    }

    /// One of the choices, or the default when there are none.
    pub fn pick<T: Copy + Default>(&mut self, choices: &[T]) -> T {
        let index = self.below(choices.len());
        choices.get(index).copied().unwrap_or_default()
    }

    /// Up to `most` bytes of any value.
    pub fn bytes(&mut self, most: usize) -> Vec<u8> {
        let length = self.below(most.saturating_add(1));
        (0..length).map(|_| (self.word() & 0xff) as u8).collect()
    }
}
