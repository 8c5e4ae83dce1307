//! Random numbers that are the same in every run.

/// Numbers that depend on nothing but the seed (SplitMix64), so that no update of a library can
/// change the data set under old results.
pub struct Numbers(u64);

impl Numbers {
    /// Starts a sequence.
    pub fn new(seed: u64) -> Self {
        Numbers(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in `0..end` (0 if `end` is 0).
    pub fn below(&mut self, end: usize) -> usize {
        // The remainder is below `end`, so it fits.
        (self.next() % (end.max(1) as u64)) as usize
    }

    /// `count` different numbers of `0..end`, in random order; fewer if there are fewer.
    pub fn distinct(&mut self, count: usize, end: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..end).collect();
        for place in 0..count.min(end) {
            let other = place + self.below(end - place);
            all.swap(place, other);
        }
        all.truncate(count);
        all
    }

    /// A record's id: 15 letters and digits.
    pub fn id(&mut self) -> String {
        const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
        (0..15)
            .map(|_| char::from(*LETTERS.get(self.below(36)).unwrap_or(&b'a')))
            .collect()
    }
}
