// Puts the same requests to this server and to the live peer and compares the answers.
//
//   PEER_BIN=/path/to/pocketbase node parity.mjs            prints each difference, exit code 1 if any
//   PEER_BIN=… PARITY_SELF=1 node parity.mjs                the peer against itself: must find none
//
// Masked are only ids that the server generated, times, tokens (their claims are compared) and the
// internal ids of collections.

import { isDeepStrictEqual } from "node:util";
import { pathToFileURL } from "node:url";
import PocketBase from "pocketbase";
import { auth } from "./cases/auth.mjs";
import { client } from "./cases/client.mjs";
import { read } from "./cases/read.mjs";
import { ID, PASSWORD } from "./cases/request.mjs";
import { seed } from "./cases/seed.mjs";
import { write } from "./cases/write.mjs";
import { mask } from "./mask.mjs";
import { ROOT, logIn, peerBinary, startBasalt, startPeer } from "./server.mjs";

export const cases = [...seed, ...client, ...read, ...write, ...auth];

/** Sends all cases to both servers, in order; each result is `{name, basalt, peer, same}`. */
export async function compareServers() {
  const ours = await (process.env.PARITY_SELF ? startPeer() : startBasalt());
  try {
    const peer = await startPeer();
    try {
      return await runAll({ url: ours.url, tokens: new Map() }, { url: peer.url, tokens: new Map() });
    } finally {
      await peer.stop();
    }
  } finally {
    await ours.stop();
  }
}

async function runAll(ours, peer) {
  const results = [];
  for (const one of cases) {
    const [basalt, expected] = await Promise.all([answer(ours, one), answer(peer, one)]);
    results.push({ name: one.name, basalt, peer: expected, same: isDeepStrictEqual(basalt, expected) });
  }
  return results;
}

async function answer(server, one) {
  try {
    return one.call ? await clientError(server, one.call) : await response(server, one);
  } catch (error) {
    return { failed: `${error.message}: ${error.cause?.message ?? ""}` };
  }
}

async function response(server, { method, path, body, headers = {}, as = "guest" }) {
  const token = await session(server, as);
  const sent = token === undefined ? headers : { Authorization: token, ...headers };
  const got = await fetch(server.url + path, { method, body, headers: sent, redirect: "manual" });
  const text = await got.text();
  return {
    status: got.status,
    type: got.headers.get("content-type"),
    location: got.headers.get("location"),
    body: got.headers.get("content-type")?.startsWith("application/json") && text ? mask(JSON.parse(text)) : text,
  };
}

async function clientError(server, call) {
  const pb = new PocketBase(server.url);
  pb.autoCancellation(false);
  try {
    return { succeeded: mask(await call(pb)) };
  } catch (error) {
    return { status: error.status, message: error.message, response: mask(error.response) };
  }
}

/** The token of a kept session. It is not renewed: a session that a request ended stays ended. */
async function session(server, as) {
  if (as === "guest") return undefined;
  if (!server.tokens.has(as)) {
    const who = as === "root" ? ["_superusers", ROOT.email, ROOT.password] : ["users", as, PASSWORD];
    server.tokens.set(as, (await logIn(server.url, ...who)).token);
  }
  return server.tokens.get(as);
}

/** Shows both answers of a case that differed. */
export function describe({ name, basalt, peer }) {
  return `${name}\n  peer:   ${JSON.stringify(peer)}\n  basalt: ${JSON.stringify(basalt)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (!peerBinary()) {
    console.log("skipped: set PEER_BIN to the path of the peer's binary to compare with it");
  } else {
    const results = await compareServers();
    const different = results.filter(({ same }) => !same);
    for (const result of different) console.log(describe(result));
    console.log(`${results.length} requests, ${different.length} answered differently`);
    process.exitCode = different.length === 0 ? 0 : 1;
  }
}
