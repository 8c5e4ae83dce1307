// Reading: lists, views, their parameters, and requests that lead nowhere.

import { ID, ORGS, PERMS, POSTS, USERS, get, list, send } from "./request.mjs";

const sorted = (query) => list(POSTS, { sort: "id", ...query });

const filters = [
  "title = 'first'", "title ~ 'first'", "title !~ 'i'", "title ~ '100'", "title = 100", "title ~ '%of%'",
  "title ~ 't_'", "title != ''", "title = ''", "title = null", "title > 'S'", "title ?= 'First'",
  "public = true", "public = false", "public = 1", "public != true", "public = 'true'",
  "type = 'a'", "type ?= 'a'", "type ~ 'a'", "type:each ?= 'b'", "type:each = 'b'", "type:each != 'a'",
  "type:length = 1", "type:length > 1", "type = '[]'", "type != null",
  `author = '${ID.alice}'`, `author != '${ID.alice}'`, "author = ''", "author = null",
  "author.username = 'Bob'", "author.username != 'Bob'", "author.username:lower = 'bob'", "author.organization.name = 'Acme'",
  "author.permissions.name = 'read'", "author.permissions.name ?= 'read'", "author.permissions.name != 'read'",
  "author.permissions.active = true", "author.permissions.active ?= false", "author.permissions:length = 2",
  "author.permissions.name ?= 'read' && author.permissions.active ?= false",
  `author.permissions.id ?= '${ID.perm3}'`, "author.permissions = ''", "author.organization = null",
  "created > '2020-01-01'", "created > @now", "updated <= @now", "(public = true || title = 'second') && author != ''",
  "title = 'a' // comment", "author.email = 'bob@example.com'", "author.email != 'bob@example.com'",
];

const badFilters = [
  "title", "title =", "title = 'a", "nope = 1", "title == 'a'", "author.nope = 1", "title.x = 1", "(title = 'a'", "   ", "()",
  "title = 'a' &&", "title = 'a' and public = true", "@nope = 1", "title:nope = 'a'", "author.password = 'x'", "author.tokenKey != ''",
  Array(201).fill("title = 'a'").join(" || "), `title = '${"x".repeat(3500)}'`,
];

const sorts = ["title", "-title", "+title", "-public,title", " title , id ", "author.username,id", "@rowid", "-@rowid", "type,id", "author.email,id",
  "-author.organization.name,id", "author.organization,author.id,id", "-author.created,id", "author.username:lower,id", "author.verified,-author.username,id", "author.permissions,id",
];
const badSorts = ["nope", "title,", "", "-", "password", "author.password", "1", "'title'", "title desc", "@nope", "@request.auth.id", Array(9).fill("id").join(",")];
const fields = [
  "id", "*", "id,title", "nope", " ", ",", "id,nope", "items.id", "description:excerpt(7)", "description:excerpt(7,true)",
  "id,description:excerpt(100)", "*:excerpt(5)", "title:excerpt(3,true),*", "public:excerpt(3)", "title:excerpt()", "title:excerpt(0)", "title:excerpt('3')", "title:nope(3)",
  "title:excerpt(3", "type", "id,expand.author.id",
];
const expands = ["author", "author.permissions", "author.organization,author.permissions", "nope", "title", "author.nope", "author,nope", " author ", ".author.", "posts_via_author"];

const pages = [
  { page: "2", perPage: "2" }, { page: "99", perPage: "2" }, { page: "0" }, { page: "-1" }, { page: "" }, { page: "x" }, { page: "1.5" },
  { page: "99999999999999999999" }, { perPage: "0" }, { perPage: "-5" }, { perPage: "1000" }, { perPage: "1001" }, { perPage: "" }, { perPage: "x" },
  { skipTotal: "true" }, { skipTotal: "1" }, { skipTotal: "t" }, { skipTotal: "T" }, { skipTotal: "0" }, { skipTotal: "false" }, { skipTotal: "F" }, { skipTotal: "" },
  { skipTotal: "yes" }, { skipTotal: "tRUE" }, { nonsense: "1" },
];

export const read = [
  ...pages.map((query) => sorted({ fields: "id", ...query })),
  ...filters.map((filter) => sorted({ fields: "id", filter })),
  // A path into another collection is subject to that collection's rule, so the caller matters.
  ...filters.filter((filter) => filter.includes("author.")).flatMap((filter) =>
    ["alice", "root"].map((as) => list(POSTS, { sort: "id", fields: "id", filter }, { as })),
  ),
  ...badFilters.map((filter) => list(POSTS, { filter })),
  ...sorts.map((sort) => list(POSTS, { fields: "id", sort })),
  ...sorts.filter((sort) => sort.includes("author.")).flatMap((sort) =>
    ["alice", "root"].flatMap((as) => ["", "author.username != 'Bob'"].map((filter) => list(POSTS, { fields: "id", sort, filter }, { as }))),
  ),
  ...badSorts.map((sort) => list(POSTS, { sort })),
  ...fields.map((picked) => sorted({ fields: picked })),
  ...expands.map((expand) => sorted({ expand })),
  get(POSTS),
  get(`${POSTS}?page=2&page=1&perPage=2&sort=id&fields=id`),
  list(POSTS, { filter: "@request.auth.id = ''" }),
  list(POSTS, { filter: "title = '@collection.users'" }),
  list(POSTS, { sort: "@collection.users.id" }),
  list(POSTS, { filter: "@request.auth.id != ''", sort: "id", fields: "id" }, { as: "root" }),
  list(POSTS, { filter: "author.password != ''", sort: "id", fields: "id" }, { as: "root" }),

  get(ORGS), get(PERMS), get(USERS),
  ...["alice", "root"].flatMap((as) => [ORGS, PERMS, USERS].map((path) => list(path, { sort: "id" }, { as }))),
  list(USERS, { filter: "email = 'alice@example.com'", fields: "id" }, { as: "bob" }),
  list(USERS, { filter: "email ~ 'example'", sort: "id", fields: "id" }, { as: "bob" }),
  list(USERS, { filter: "password != ''" }, { as: "alice" }),
  list(USERS, { filter: "tokenKey != ''" }, { as: "alice" }),
  list(USERS, { filter: "tokenKey != ''", sort: "id", fields: "id" }, { as: "root" }),
  list(USERS, { sort: "tokenKey" }, { as: "alice" }),
  list(USERS, { sort: "-email", fields: "id" }, { as: "alice" }),
  list(USERS, { expand: "permissions,organization", sort: "id" }, { as: "alice" }),
  get("/api/collections/_superusers/records"),
  get("/api/collections/_superusers/records", { as: "alice" }),

  ...[ID.alice, ID.bob].flatMap((id) => ["guest", "alice", "root"].map((as) => get(`${USERS}/${id}`, { as }))),
  get(`${USERS}/${ID.alice}?expand=permissions,organization&fields=id,expand.permissions.name,expand.organization`),
  get(`${POSTS}/${ID.post(1)}?expand=author.organization&fields=*,expand.author.username`),
  get(`${POSTS}/${ID.post(1)}?fields=title:excerpt(2,true),description:excerpt(8,1)`),
  get(`${POSTS}/${ID.post(6)}?expand=author`),
  get(`${POSTS}/nothing00000000`), get(`${POSTS}/${ID.post(1).toUpperCase()}`), get(`${POSTS}/%20`), get(`${POSTS}/%ff`), get(`${POSTS}/a%2Fb`),
  get("/api/collections/nothing/records"), get("/api/collections/nothing/records/x"), get("/api/collections/POSTS/records?sort=id&fields=id"),
  get(`/api/collections/Posts/records/${ID.post(2)}`), get("/api/nothing"), get("/api"), get("/api/"),
  get("/api/health"), get(`${POSTS}/`), get(`${POSTS}/${ID.post(1)}/`), get(`/api//health`), get("/api/collections/posts/records//"),
  ...["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"].map((method) => send(method, POSTS)),
  ...["HEAD", "OPTIONS", "PUT", "POST"].map((method) => send(method, `${POSTS}/${ID.post(1)}`)),
  send("HEAD", `${POSTS}/nothing00000000`),
  get(POSTS, { headers: { Authorization: "nonsense" } }),
  get(ORGS, { headers: { Authorization: "Bearer a.b.c" } }),
  get("/api/collections/_superusers/records", { headers: { Authorization: "Basic eDp5" } }),
];
