// Writing: bodies of every kind, casts, modifiers, validation, unique values, deletes.

import { ID, ORGS, PERMS, POSTS, USERS, form, get, json, list, multipart, raw, send, user } from "./request.mjs";

const first = `${POSTS}/${ID.post(1)}`;
const alice = `${USERS}/${ID.alice}`;
const asRoot = { as: "root" };
const patch = (body, more) => json("PATCH", first, body, more);
const patchAlice = (body, more = asRoot) => json("PATCH", alice, body, more);

const malformed = [
  '{"title":', "", "[]", "1", '"x"', "null", "true", "{}", '{"title":"a","title":"b"}', '{"title":"a",}', "{'title':'a'}", '{"title":"a"} trailing',
  '\uFEFF{"title":"a"}', '{"title":1e999}', '{"title":"\\ud800"}', '{title:"a"}', '{"title":"a"}{"title":"b"}', " {} ",
];

const types = [null, "text/plain", "APPLICATION/JSON", "application/json; charset=utf-8", "application/jsonp", "application/xml", "text/html", "nonsense"];

const titles = [5, 1.5, 1e21, -0, true, false, null, [], ["a"], {}, { a: 1 }, "", " spaced ", "x".repeat(5000), "x".repeat(5001), "😀".repeat(2500), "\u0000\u0007\u2028<&>"];
const bools = ["true", "false", "yes", "1", "t", "TRUE", "", 0, 1, 2, -1, 0.5, null, [], {}, [true]];
const selects = [
  ["a", "b", "c"], ["a", "b", "c", "d"], ["e"], ["a", "e"], ["a", "a", "b", "a"], [], null, "", "a", "e", '["b","c"]', "[", '["a"', ["", "a"], [1], [null, "a"], { a: 1 }, 1, true,
];
const singleRelations = [ID.bob, [ID.alice, ID.bob], "missing00000000", ["missing00000000"], "", null, [], 5, {}, `["${ID.bob}"]`, ID.org];
const multiRelations = [
  [ID.perm], [ID.perm, ID.perm2, ID.perm], [ID.perm, "missing00000000"], "missing00000000", ID.perm3, "", null, [], `["${ID.perm2}"]`, 5, {}, [ID.org], [ID.perm, ID.perm2],
];
const ids = ["short", "UPPER0000000001", "with space 0001", "sixteen000000001", "", null, 123456789012345, ID.post(1), [], "ünïcödé00000001"];
const usernames = ["ab", "no spaces", "-dash", "alice", "ALICE", "x".repeat(151), "ok.name-1", "", null, 12345, "ünï"];
const emails = ["nowhere", "alice@example.com", "ALICE@example.com", "a@b", "a b@example.com", "", null, 5, `${"x".repeat(250)}@example.com`, "ü@example.com", "a@exämple.com"];

// Each made user is of another name, so that only the value in question can be at fault.
let serial = 0;
const register = (more, sender = asRoot) => json("POST", USERS, user(undefined, `user-${++serial}`, more), sender);

export const write = [
  ...malformed.flatMap((body) => [raw("POST", POSTS, body, "application/json"), raw("PATCH", first, body, "application/json")]),
  raw("POST", POSTS, Buffer.from([0x7b, 0x22, 0x74, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "application/json"),
  raw("POST", POSTS, `${"[".repeat(20_000)}`, "application/json"),
  ...types.map((type) => raw("POST", POSTS, '{"title":"typed"}', type)),
  raw("POST", POSTS, "", "text/plain"),
  raw("POST", "/api/collections/nothing/records", "{}", "application/json"),
  raw("POST", "/api/collections/nothing/records", "{", "application/json"),
  raw("POST", "/api/collections/_superusers/records", "{", "application/json"),
  json("POST", "/api/collections/_superusers/records", {}),
  json("PATCH", "/api/collections/nothing/records/x", {}),
  json("PATCH", `${POSTS}/nothing00000000`, { title: "x" }),
  raw("PATCH", `${POSTS}/nothing00000000`, "{", "application/json"),
  raw("DELETE", `${POSTS}/nothing00000000`, "{", "application/json"),

  ...titles.map((title) => patch({ title })),
  ...titles.slice(0, 11).map((description) => patch({ description })),
  ...bools.map((value) => patch({ public: value })),
  ...selects.map((type) => patch({ type })),
  ...singleRelations.map((author) => patch({ author })),
  ...multiRelations.map((permissions) => patchAlice({ permissions })),
  ...ids.map((id) => json("POST", POSTS, { id })),
  ...ids.slice(0, 8).map((id) => patch({ id })),
  ...usernames.map((username) => register({ username })),
  ...emails.map((email) => register({ email })),
  ...["Alice", "BOB", "carol"].map((username) => patchAlice({ username })),
  ...["bob@example.com", "alice@example.com", "bad", ""].map((email) => patchAlice({ email })),
  patchAlice({ email: "alice@example.com" }),
  ...[undefined, "", null, "missing00000000", ID.perm].map((organization) => register({ organization })),
  ...["", null, "missing00000000", ID.org].map((organization) => patchAlice({ organization })),
  register({ id: ID.alice }),
  register({ id: "bad", username: "a b", email: "x", organization: "missing00000000", permissions: ["missing00000000"] }),
  json("POST", USERS, {}, asRoot),
  json("POST", USERS, {}),
  json("POST", USERS, user(ID.org, "same-id-as-another-collection"), asRoot),

  patch({ unknown: 1, Title: "case", collectionId: "x", collectionName: "y", expand: {}, "title+": "x", "+title": "y", "@jsonPayload": '{"title":"no"}' }),
  patch({ created: "2001-01-01 00:00:00.000Z", updated: "2001-01-01" }),
  patch({ created: "2001-01-01 00:00:00.000Z" }, asRoot),
  json("POST", POSTS, { id: "dated0000000001", created: "2001-01-01 00:00:00.000Z" }, asRoot),
  list(POSTS, { filter: "created < '2010-01-01'", fields: "id" }),
  patchAlice({ tokenKey: "x".repeat(40) }, { as: "alice" }),
  register({ tokenKey: "y".repeat(40) }, {}),

  patch({ type: ["a"] }),
  ...[{ "type+": "b" }, { "type+": ["b", "c"] }, { "+type": "c" }, { "type+": "d" }, { "type-": "b" }, { "type-": ["nope"] }, { "type+": "e" }, { "type+": null }, { "type-": ["a", "b", "c"] }, { "type+": [] }, { type: ["a"], "type+": "d" }].map((body) => patch(body)),
  ...[{ "author+": ID.bob }, { "+author": ID.carol }, { "author-": ID.carol }, { "author-": ID.bob }, { "author+": "missing00000000" }, { author: ID.alice }].map((body) => patch(body)),
  ...[{ "permissions+": ID.perm3 }, { "+permissions": ID.perm3 }, { "permissions-": [ID.perm, ID.perm3] }, { "permissions+": "missing00000000" }, { permissions: [ID.perm], "permissions+": ID.perm2 }].map((body) => patchAlice(body)),
  json("POST", POSTS, { id: "modified0000001", "type+": ["a", "c"], "author+": ID.alice }),
  patch({ title: "picked" }, {}), json("PATCH", `${first}?fields=id,title&expand=author`, { title: "with options" }),
  json("PATCH", `${first}?expand=author.organization&fields=title,expand.author.username`, { title: "with expand" }),

  ...["5", "-1.5", "01", "1.10", "1e3", "true", "false", "", "null", "[1]", "12345678901234567890", "0.1", "-", " 5"].map((title) => form("PATCH", first, [["title", title]])),
  ...["5", "true", "", "x"].map((title) => multipart("PATCH", first, [["title", title]])),
  form("PATCH", first, [["public", "true"], ["type", "a"], ["type", "b"]]),
  form("PATCH", first, [["title", "one"], ["title", "two"]]),
  form("PATCH", first, [["type", "c"]]),
  form("PATCH", first, [["type+", "d"]]),
  multipart("PATCH", first, [["type", "a"], ["type", "d"], ["public", "false"]]),
  multipart("PATCH", first, [["title", "outer"], ["@jsonPayload", '{"title":"inner"}'], ["@jsonPayload", '{"public":true}']]),
  form("PATCH", first, [["@jsonPayload", '{"title":5,"type":["b"]}']]),
  multipart("PATCH", first, [["@jsonPayload", "{"]]),
  multipart("PATCH", first, [["@jsonPayload", "[1]"]]),
  multipart("PATCH", `${first}?title=query`, [["public", "true"]]),
  multipart("PATCH", `${first}?title=query`, [["title", "body"]]),
  json("PATCH", `${first}?title=query`, { public: true }),
  form("PATCH", first, []),
  raw("PATCH", first, "title=%zz&public=1", "application/x-www-form-urlencoded"),
  raw("PATCH", first, "no boundary", "multipart/form-data"),
  raw("PATCH", first, "--frontier\r\nbroken", "multipart/form-data; boundary=frontier"),
  get(first), get(alice, asRoot),

  send("DELETE", `${POSTS}/nothing00000000`),
  send("DELETE", "/api/collections/nothing/records/x"),
  send("DELETE", "/api/collections/_superusers/records/x"),
  send("DELETE", `${POSTS}/modified0000001`),
  get(`${POSTS}/modified0000001`),
  json("POST", PERMS, { id: "perm00000000009", name: "only" }),
  patchAlice({ permissions: ["perm00000000009", ID.perm] }),
  send("DELETE", `${PERMS}/perm00000000009`),
  get(alice, asRoot),
  send("DELETE", `${PERMS}/${ID.perm3}`),
  get(`${USERS}/${ID.carol}`, asRoot),
  get(`${POSTS}/${ID.post(5)}`),
  send("DELETE", `${ORGS}/${ID.org2}`),
  get(`${USERS}/${ID.bob}`, asRoot),
  list(POSTS, { sort: "@rowid", fields: "id,author" }),
];
