// Every parity case as a test of its own, so that a report names each request that differs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cases, compareServers } from "./parity.mjs";
import { peerBinary } from "./server.mjs";

const skip = peerBinary() ? false : "skipped: PEER_BIN does not name the peer's binary";

test("answers like the peer", { skip }, async (t) => {
  const results = await compareServers();
  assert.equal(results.length, cases.length);
  for (const { name, basalt, peer } of results) {
    await t.test(name, () => assert.deepStrictEqual(basalt, peer));
  }
});
