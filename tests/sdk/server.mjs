// Starts and stops the servers that the tests talk to. Both understand the same command line
// (`superuser upsert EMAIL PASSWORD --dir DIR`, `serve --http ADDR --dir DIR`); the peer also
// needs the demo schema imported, which this server has compiled in.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;

export const ROOT = { email: "root@example.com", password: "1234567890" };

/** Path of the binary under test. */
export function basaltBinary() {
  return resolve(process.env.BASALT_BIN ?? join(HERE, "../../target/debug/basalt"));
}

/** Path of the live peer, or undefined when none was given. */
export function peerBinary() {
  return process.env.PEER_BIN ? resolve(process.env.PEER_BIN) : undefined;
}

/** Starts this server, with a superuser and an empty database. */
export async function startBasalt() {
  return start(basaltBinary());
}

/** Starts this server on what it imports from a data directory of the peer's, which may be in use. */
export async function startBasaltFrom(from) {
  return start(basaltBinary(), (binary, dir, home) => run(binary, ["import", "data", from, "--dir", dir], home));
}

/** Starts the peer, with a superuser and the demo schema. */
export async function startPeer() {
  const server = await start(peerBinary());
  try {
    await importDemoSchema(server);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

async function start(binary, prepare = createSuperuser) {
  // The peer writes migrations beside its data folder: both go into a folder of this run alone.
  const home = mkdtempSync(join(tmpdir(), "sdk-test-"));
  const dir = join(home, "data");
  try {
    const prepared = prepare(binary, dir, home);
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(binary, ["serve", "--http", address, "--dir", dir], {
      cwd: home,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const log = [];
    child.stdout.on("data", (chunk) => log.push(chunk));
    child.stderr.on("data", (chunk) => log.push(chunk));
    const server = { url: `http://${address}`, dir, prepared, stop: () => stop(child, home) };
    await untilHealthy(server.url, child, log);
    return server;
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  }
}

function createSuperuser(binary, dir, home) {
  return run(binary, ["superuser", "upsert", ROOT.email, ROOT.password, "--dir", dir], home);
}

/** Runs a command to its end and returns what it printed. */
function run(binary, args, home) {
  const done = spawnSync(binary, args, { cwd: home, encoding: "utf8" });
  if (done.error) throw done.error;
  if (done.status !== 0) {
    throw new Error(`${binary} ${args.join(" ")}: exit ${done.status}\n${done.stdout}${done.stderr}`);
  }
  return done.stdout;
}

function freePort() {
  return new Promise((found, failed) => {
    const probe = createServer();
    probe.on("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => found(port));
    });
  });
}

async function untilHealthy(url, child, log) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let exited = false;
  child.once("exit", () => (exited = true));
  while (!exited && Date.now() < deadline) {
    const answer = await fetch(`${url}/api/health`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((next) => setTimeout(next, 20));
  }
  child.kill("SIGKILL");
  const why = exited ? `ended with code ${child.exitCode}` : `not healthy after ${START_TIMEOUT_MS} ms`;
  throw new Error(`server ${why}\n${Buffer.concat(log).toString()}`);
}

function stop(child, dir) {
  return new Promise((done) => {
    const impatience = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    const finish = () => {
      clearTimeout(impatience);
      rmSync(dir, { recursive: true, force: true });
      done();
    };
    if (child.exitCode !== null || child.signalCode !== null) return finish();
    child.once("exit", finish);
    child.kill("SIGTERM");
  });
}

async function importDemoSchema({ url }) {
  const { token } = await logIn(url, "_superusers", ROOT.email, ROOT.password);
  const collections = JSON.parse(readFileSync(join(HERE, "demo_schema.json"), "utf8"));
  const answer = await fetch(`${url}/api/collections/import`, {
    method: "PUT",
    headers: { Authorization: token, "Content-Type": "application/json" },
    body: JSON.stringify({ collections, deleteMissing: true }),
  });
  if (!answer.ok) throw new Error(`schema import: ${answer.status} ${await answer.text()}`);
}

/** Logs in with a password and returns the answer's body. */
export async function logIn(url, collection, identity, password) {
  const answer = await fetch(`${url}/api/collections/${collection}/auth-with-password`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ identity, password }),
  });
  if (!answer.ok) throw new Error(`login of ${identity}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
