// What an application does, done with the official client: sessions, records, lists, relations,
// modifiers, cascades. Passes against this server and, with PEER_BIN set, against the live peer.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import PocketBase, { ClientResponseError } from "pocketbase";
import { ROOT, peerBinary, startBasalt, startPeer } from "./server.mjs";

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/;
const ID = /^[a-z0-9]{15}$/;
const PASSWORD = "correct horse";
const ORG = "org000000000001";
const PERMISSIONS = ["perm00000000001", "perm00000000002", "perm00000000003"];
const ALICE = "alice0000000001";
const BOB = "bob000000000001";

let server;
let root;
let alice;

before(async () => {
  server = await (peerBinary() ? startPeer() : startBasalt());
  root = client();
  alice = client();
});
after(() => server?.stop());

function client() {
  const pb = new PocketBase(server.url);
  pb.autoCancellation(false);
  return pb;
}

/** Checks the parts of a record that the server chooses, and returns the rest. */
function known({ collectionId, created, updated, ...rest }) {
  assert.equal(typeof collectionId, "string");
  assert.match(created, TIME);
  assert.match(updated, TIME);
  return rest;
}

function post(n, more = {}) {
  return {
    id: `post0000000000${n}`,
    title: `Post ${n}`,
    description: `<p>Text of <b>post</b> ${n}</p>`,
    public: n % 2 === 1,
    type: ["a", "b"],
    author: n < 4 ? ALICE : BOB,
    ...more,
  };
}

/** Runs a call that must fail, and returns the client's error. */
async function failure(call) {
  const error = await call.then(
    () => assert.fail("the request succeeded"),
    (caught) => caught,
  );
  assert.ok(error instanceof ClientResponseError, String(error));
  return error;
}

test("health", async () => {
  const health = await client().health.check();
  assert.equal(health.code, 200);
  assert.equal(health.message, "API is healthy.");
});

test("superuser session", async () => {
  const { token, record } = await root
    .collection("_superusers")
    .authWithPassword(ROOT.email, ROOT.password);
  assert.equal(root.authStore.token, token);
  assert.equal(root.authStore.isSuperuser, true);
  const { id, ...rest } = known(record);
  assert.match(id, ID);
  assert.deepEqual(rest, {
    collectionName: "_superusers",
    email: ROOT.email,
    emailVisibility: false,
    verified: true,
  });
});

test("create organizations and permissions", async () => {
  const org = await root.collection("organizations").create({ id: ORG, name: "Acme" });
  assert.deepEqual(known(org), { collectionName: "organizations", id: ORG, name: "Acme" });
  for (const [index, id] of PERMISSIONS.entries()) {
    const body = { id, name: `permission ${index}`, active: index !== 1 };
    const made = await root.collection("permissions").create(body);
    assert.deepEqual(known(made), { collectionName: "permissions", ...body });
  }
  const generated = await root.collection("organizations").create({ name: "No id given" });
  assert.match(generated.id, ID);
  assert.equal(await root.collection("organizations").delete(generated.id), true);
});

test("register users as a guest", async () => {
  for (const [id, username] of [[ALICE, "alice"], [BOB, "Bob"]]) {
    const email = `${username.toLowerCase()}@example.com`;
    const relations = { organization: ORG, permissions: PERMISSIONS.slice(0, 2) };
    const secret = { password: PASSWORD, passwordConfirm: PASSWORD };
    const made = await client().collection("users").create({ id, username, email, ...secret, ...relations });
    assert.deepEqual(known(made), {
      collectionName: "users",
      id,
      username,
      emailVisibility: false,
      verified: false,
      ...relations,
    });
  }
});

test("log in by email and by username, then refresh", async () => {
  const expected = {
    collectionName: "users",
    id: ALICE,
    username: "alice",
    email: "alice@example.com",
    emailVisibility: false,
    verified: false,
    organization: ORG,
    permissions: PERMISSIONS.slice(0, 2),
  };
  for (const identity of ["alice@example.com", "alice", "ALICE"]) {
    const { record } = await alice.collection("users").authWithPassword(identity, PASSWORD);
    assert.deepEqual(known(record), expected);
    assert.equal(alice.authStore.isValid, true);
    assert.equal(alice.authStore.isSuperuser, false);
  }
  const { token, record } = await alice.collection("users").authRefresh();
  assert.deepEqual(known(record), expected);
  assert.equal(alice.authStore.token, token);
  assert.equal(alice.authStore.isValid, true);

  const wrong = await failure(client().collection("users").authWithPassword("alice", "wrong"));
  assert.deepEqual(wrong.response, { data: {}, message: "Failed to authenticate.", status: 400 });
});

test("auth methods", async () => {
  const methods = await client().collection("users").listAuthMethods();
  assert.deepEqual(methods, {
    mfa: { duration: 0, enabled: false },
    oauth2: { enabled: false, providers: [] },
    otp: { duration: 0, enabled: false },
    password: { enabled: true, identityFields: ["email", "username"] },
  });
});

test("create posts and read one", async () => {
  for (let n = 1; n <= 5; n++) {
    const made = await alice.collection("posts").create(post(n));
    assert.deepEqual(known(made), { collectionName: "posts", ...post(n) });
  }
  const one = await client().collection("posts").getOne(post(2).id);
  assert.deepEqual(known(one), { collectionName: "posts", ...post(2) });
  const byCollectionId = await client().collection(one.collectionId).getOne(post(2).id);
  assert.deepEqual(byCollectionId, one);

  const missing = await failure(client().collection("posts").getOne("nothing00000000"));
  assert.equal(missing.status, 404);
  assert.deepEqual(missing.response, {
    data: {},
    message: "The requested resource wasn't found.",
    status: 404,
  });
});

test("list with filter, sort, nested expand and fields", async () => {
  const page = await alice.collection("posts").getList(1, 2, {
    filter: alice.filter("author = {:who} && title ~ 'post'", { who: ALICE }),
    sort: "-title",
    expand: "author.permissions",
    fields: "id,title,expand.author.username,expand.author.expand.permissions.name",
  });
  const author = {
    expand: { permissions: [{ name: "permission 0" }, { name: "permission 1" }] },
    username: "alice",
  };
  assert.deepEqual(page, {
    items: [3, 2].map((n) => ({ expand: { author }, id: post(n).id, title: post(n).title })),
    page: 1,
    perPage: 2,
    totalItems: 3,
    totalPages: 2,
  });
});

test("list without totals", async () => {
  const options = { skipTotal: true, sort: "title", fields: "id" };
  assert.deepEqual(await client().collection("posts").getList(2, 2, options), {
    items: [{ id: post(3).id }, { id: post(4).id }],
    page: 2,
    perPage: 2,
    totalItems: -1,
    totalPages: -1,
  });
});

test("filter over relations", async () => {
  const ids = async (filter) => {
    const found = await root.collection("posts").getFullList({ filter, sort: "id", fields: "id" });
    return found.map((item) => item.id);
  };
  assert.deepEqual(await ids("author.username = 'Bob'"), [4, 5].map((n) => post(n).id));
  assert.deepEqual(await ids("author.permissions.active ?= false"), [1, 2, 3, 4, 5].map((n) => post(n).id));
  assert.deepEqual(await ids("author.permissions.active = false"), []);
  assert.deepEqual(await ids("public = true && author.organization.name = 'Acme'"), [1, 3, 5].map((n) => post(n).id));
});

test("whole collection in small batches, and the first match", async () => {
  const all = await client().collection("posts").getFullList({ batch: 2, sort: "title" });
  assert.deepEqual(all.map(known), [1, 2, 3, 4, 5].map((n) => ({ collectionName: "posts", ...post(n) })));

  const first = await client().collection("posts").getFirstListItem('title = "Post 4"');
  assert.deepEqual(known(first), { collectionName: "posts", ...post(4) });
  const none = await failure(client().collection("posts").getFirstListItem('title = "Post 9"'));
  assert.equal(none.status, 404);
});

test("modifiers of a relation append, prepend and remove", async () => {
  const users = root.collection("users");
  const [first, second, third] = PERMISSIONS;
  const step = async (body) => (await users.update(BOB, body)).permissions;
  assert.deepEqual(await step({ "permissions+": third }), [first, second, third]);
  assert.deepEqual(await step({ "permissions-": [first, second] }), [third]);
  assert.deepEqual(await step({ "+permissions": [second] }), [second, third]);
  assert.deepEqual(await step({ "permissions+": second }), [second, third]);
  assert.deepEqual((await users.getOne(BOB)).permissions, [second, third]);
});

test("modifiers of a select append, prepend and remove", async () => {
  const posts = alice.collection("posts");
  const id = post(1).id;
  const step = async (body) => (await posts.update(id, body)).type;
  assert.deepEqual(await step({ "type+": "d" }), ["a", "b", "d"]);
  assert.deepEqual(await step({ "type-": ["a", "b"] }), ["d"]);
  assert.deepEqual(await step({ "+type": "c" }), ["c", "d"]);
  assert.deepEqual((await posts.getOne(id)).type, ["c", "d"]);
  const other = await posts.update(id, { title: "Changed" });
  assert.deepEqual(known(other), {
    collectionName: "posts",
    ...post(1, { title: "Changed", type: ["c", "d"] }),
  });
});

test("own changes reach the auth store, a new password ends the old session", async () => {
  await alice.collection("users").update(ALICE, { emailVisibility: true });
  assert.equal(alice.authStore.record.emailVisibility, true);
  const old = client();
  old.authStore.save(alice.authStore.token, alice.authStore.record);
  const password = "another horse";
  await alice.collection("users").update(ALICE, {
    oldPassword: PASSWORD,
    password,
    passwordConfirm: password,
  });
  const refused = await failure(old.collection("users").authRefresh());
  assert.equal(refused.status, 401);
  await alice.collection("users").authWithPassword("alice", password);
  await alice.collection("users").authRefresh();
});

test("validation errors arrive by field", async () => {
  const error = await failure(
    client().collection("users").create({
      id: "short",
      username: "no spaces allowed",
      email: "nowhere",
      password: PASSWORD,
      passwordConfirm: PASSWORD,
      permissions: ["missing00000000"],
    }),
  );
  assert.equal(error.status, 400);
  assert.equal(error.message, "Failed to create record.");
  const codes = Object.entries(error.response.data).map(([field, { code }]) => [field, code]);
  assert.deepEqual(Object.fromEntries(codes), {
    email: "validation_is_email",
    id: "validation_min_text_constraint",
    organization: "validation_required",
    permissions: "validation_missing_rel_records",
    username: "validation_invalid_format",
  });
});

test("delete cascades to the referring records", async () => {
  assert.equal(await root.collection("organizations").delete(ORG), true);
  for (const collection of ["organizations", "users", "posts"]) {
    assert.deepEqual(await root.collection(collection).getFullList(), [], collection);
  }
  const left = await root.collection("permissions").getFullList({ sort: "id", fields: "id" });
  assert.deepEqual(left.map(({ id }) => id), PERMISSIONS);
  const gone = await failure(root.collection("organizations").delete(ORG));
  assert.equal(gone.status, 404);
});
