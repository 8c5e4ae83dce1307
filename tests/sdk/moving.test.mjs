// Moving from the live peer to this server: its data directory is imported while it runs, and its
// clients go on here with the tokens and passwords that they have.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import PocketBase from "pocketbase";
import { ROOT, peerBinary, startBasaltFrom, startPeer } from "./server.mjs";

const skip = peerBinary() ? false : "skipped: PEER_BIN does not name the peer's binary";
const NAMES = ["alice", "bob", "carol"];
const PASSWORD = "correct horse";
const POSTS = 1000;
const COLLECTIONS = ["organizations", "permissions", "users", "posts"];

let peer, ours;
const clients = new Map();

/** A client without a login. */
function client(url) {
  const pb = new PocketBase(url);
  pb.autoCancellation(false);
  return pb;
}

/** The same client, as if its server had been exchanged. */
function moved(name) {
  const pb = client(ours.url);
  const { token, record } = clients.get(name).authStore;
  pb.authStore.save(token, record);
  return pb;
}

/** Does some work for each number below `count`, a few at a time. */
async function each(count, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

async function fill(root) {
  const organizations = [];
  for (const name of ["Acme", "", "Ünion \"1\""]) {
    organizations.push((await root.collection("organizations").create({ name })).id);
  }
  const permissions = [];
  for (const name of ["read", "write", "admin"]) {
    permissions.push((await root.collection("permissions").create({ name, active: name !== "admin" })).id);
  }
  const users = [];
  for (const [place, username] of NAMES.entries()) {
    const record = await root.collection("users").create({
      username,
      email: `${username}@example.com`,
      emailVisibility: place === 1,
      verified: place === 2,
      password: PASSWORD,
      passwordConfirm: PASSWORD,
      organization: organizations[place],
      permissions: permissions.slice(0, place + 1),
    });
    users.push(record.id);
  }
  const types = [[], ["a"], ["c", "a"], ["d", "b", "a"]];
  await each(POSTS, (number) =>
    root.collection("posts").create({
      title: [`post ${number}`, `"quoted" \\ ${number}`, `😀 – ${number}`, ""][number % 4],
      description: `<p>${"text ".repeat(number % 50)}</p>`,
      public: number % 3 === 0,
      type: types[number % types.length],
      author: number % 7 === 0 ? "" : users[number % users.length],
    }),
  );
}

before(async () => {
  if (skip) return;
  peer = await startPeer();
  const root = client(peer.url);
  await root.collection("_superusers").authWithPassword(ROOT.email, ROOT.password);
  clients.set("root", root);
  await fill(root);
  for (const name of NAMES) {
    const pb = client(peer.url);
    await pb.collection("users").authWithPassword(name, PASSWORD);
    clients.set(name, pb);
  }
  ours = await startBasaltFrom(peer.dir);
});

after(async () => {
  await ours?.stop();
  await peer?.stop();
});

test("the summary counts every record", { skip }, () => {
  for (const [name, count] of [["posts", POSTS], ["users", NAMES.length], ["_superusers", 1]]) {
    assert.match(ours.prepared, new RegExp(`^${name} +${count} +${count} +0 +0$`, "m"));
  }
  assert.match(ours.prepared, /they are the same\.\n$/);
});

for (const name of ["root", ...NAMES]) {
  test(`the session of ${name} goes on, and sees what it saw`, { skip }, async () => {
    const [here, there] = [moved(name), clients.get(name)];
    for (const collection of COLLECTIONS) {
      const options = { sort: "id", expand: "author,organization,permissions" };
      const pages = async (pb) => {
        const found = [];
        for (let page = 1; page <= 3; page++) {
          found.push(await pb.collection(collection).getList(page, 500, options).catch((error) => error.status));
        }
        return found;
      };
      assert.deepStrictEqual(await pages(here), await pages(there), collection);
    }
    const own = name === "root" ? "_superusers" : "users";
    const { record } = await here.collection(own).authRefresh();
    assert.deepStrictEqual(record, (await there.collection(own).authRefresh()).record);
  });
}

test("records come in the order in which they were made", { skip }, async () => {
  const list = (pb) => pb.collection("posts").getList(2, 400);
  assert.deepStrictEqual(await list(moved("root")), await list(clients.get("root")));
});

test("passwords log in, before and after they are hashed anew", { skip }, async () => {
  for (let time = 0; time < 2; time++) {
    for (const name of NAMES) {
      for (const identity of [name, `${name}@example.com`]) {
        const { token } = await client(ours.url).collection("users").authWithPassword(identity, PASSWORD);
        assert.ok(token);
        const wrong = client(ours.url).collection("users").authWithPassword(identity, `${PASSWORD}!`);
        await assert.rejects(wrong, { status: 400 });
      }
      await moved(name).collection("users").authRefresh();
    }
    await client(ours.url).collection("_superusers").authWithPassword(ROOT.email, ROOT.password);
  }
});

test("an imported password is changed by its owner, which ends the sessions", { skip }, async () => {
  const pb = moved("carol");
  const changed = { oldPassword: PASSWORD, password: "another one", passwordConfirm: "another one" };
  await pb.collection("users").update(pb.authStore.record.id, changed);
  await assert.rejects(pb.collection("users").authRefresh(), { status: 401 });
  const login = client(ours.url).collection("users");
  await login.authWithPassword("carol", "another one");
  await assert.rejects(login.authWithPassword("carol", PASSWORD), { status: 400 });
});
