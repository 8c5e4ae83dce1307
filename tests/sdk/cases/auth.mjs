// Sessions: logging in, refreshing, what a user may change about itself, what a superuser may.

import { ID, PASSWORD, POSTS, USERS, form, get, json, list, raw, send, user } from "./request.mjs";

const USERS_AUTH = "/api/collections/users/auth-with-password";
const REFRESH = "/api/collections/users/auth-refresh";
const METHODS = "/api/collections/users/auth-methods";
const logIn = (body, more) => json("POST", USERS_AUTH, body, more);
const good = { identity: "alice", password: PASSWORD };
const self = (body) => json("PATCH", `${USERS}/${ID.alice}`, body, { as: "alice" });
const byRoot = (body) => json("PATCH", `${USERS}/${ID.alice}`, body, { as: "root" });
const create = (more) => json("POST", USERS, user("dora00000000001", "dora", more));

export const auth = [
  get(METHODS), get(`${METHODS}?fields=password`), get("/api/collections/posts/auth-methods"), get("/api/collections/nothing/auth-methods"), send("POST", METHODS),
  get("/api/collections/_superusers/auth-methods"),

  logIn(good), logIn({ ...good, identity: "ALICE" }), logIn({ ...good, identity: "alice@example.com" }), logIn({ ...good, identity: "ALICE@example.com" }),
  logIn({ ...good, identityField: "username" }), logIn({ ...good, identityField: "email" }), logIn({ ...good, identityField: "nope" }), logIn({ ...good, identityField: "" }),
  logIn({ IDENTITY: "alice", Password: PASSWORD }), logIn({ ...good, extra: 1 }),
  logIn({}), logIn({ identity: "alice" }), logIn({ password: PASSWORD }), logIn({ identity: "", password: "" }), logIn({ identity: "  ", password: " " }),
  logIn({ ...good, password: "wrong" }), logIn({ ...good, identity: "nobody" }), logIn({ ...good, identity: 5 }), logIn({ ...good, password: null }), logIn({ ...good, password: ["x"] }),
  logIn({ ...good, identity: "x".repeat(256) }), logIn({ ...good, password: "x".repeat(256) }), logIn({ ...good, identity: "x".repeat(255) }), logIn({ ...good, identity: " alice" }),
  raw("POST", USERS_AUTH, "{", "application/json"), raw("POST", USERS_AUTH, "", "application/json"), raw("POST", USERS_AUTH, "[]", "application/json"), raw("POST", USERS_AUTH, "x", "text/plain"),
  form("POST", USERS_AUTH, [["identity", "alice"], ["password", PASSWORD]]), form("POST", USERS_AUTH, []),
  json("POST", `${USERS_AUTH}?fields=token,record.email`, good), json("POST", `${USERS_AUTH}?expand=organization`, good), json("POST", `${USERS_AUTH}?fields=record.username:excerpt(2)`, good),
  get(USERS_AUTH),
  json("POST", "/api/collections/posts/auth-with-password", good), json("POST", "/api/collections/nothing/auth-with-password", good),
  json("POST", "/api/collections/_superusers/auth-with-password", good), json("POST", "/api/collections/_superusers/auth-with-password", {}),

  ...["guest", "alice", "root"].map((as) => send("POST", REFRESH, { as })),
  send("POST", `${REFRESH}?fields=record.id`, { as: "alice" }),
  send("POST", REFRESH, { headers: { Authorization: "nonsense" } }),
  raw("POST", REFRESH, "{", "application/json", { as: "alice" }),
  get(REFRESH, { as: "alice" }),
  ...["guest", "alice", "root"].map((as) => send("POST", "/api/collections/_superusers/auth-refresh", { as })),
  send("POST", "/api/collections/posts/auth-refresh", { as: "alice" }), send("POST", "/api/collections/posts/auth-refresh"), send("POST", "/api/collections/nothing/auth-refresh", { as: "alice" }),

  create({ passwordConfirm: undefined }), create({ passwordConfirm: "other" }), create({ password: undefined }), create({ password: "", passwordConfirm: "" }),
  create({ password: undefined, passwordConfirm: undefined }), create({ password: "short", passwordConfirm: "short" }), create({ password: "x".repeat(72), passwordConfirm: "x".repeat(72) }),
  create({ password: 12345678, passwordConfirm: 12345678 }), create({ verified: true, username: "a b" }), create({ verified: true, passwordConfirm: "x" }), create({ email: "bad", passwordConfirm: "x" }),
  create({ verified: false, emailVisibility: true, email: "dora@example.com", username: "dora" }),
  create({ id: "dora00000000002" }),

  self({ email: "new@example.com" }), self({ email: "alice@example.com" }), self({ email: "" }), self({ verified: true }), self({ verified: false }), self({ emailVisibility: true }),
  self({ password: "new password" }), self({ password: "new password", passwordConfirm: "new password" }), self({ password: "new password", passwordConfirm: "new password", oldPassword: "wrong" }),
  self({ password: "new password", passwordConfirm: "other", oldPassword: PASSWORD }), self({ oldPassword: PASSWORD }), self({ passwordConfirm: "x" }), self({ password: "" }), self({ password: null }),
  self({ password: "short", passwordConfirm: "short", oldPassword: PASSWORD }), self({ email: "new@example.com", verified: true, password: "x" }),
  json("PATCH", `${USERS}/${ID.alice}`, { email: "new@example.com" }), json("PATCH", `${USERS}/dora00000000001`, { username: "by-alice", email: "stolen@example.com" }, { as: "alice" }),
  byRoot({ verified: true }), byRoot({ verified: "false" }), byRoot({ password: "new password" }), byRoot({ password: "new password", passwordConfirm: "other" }), byRoot({ password: "short", passwordConfirm: "short" }),
  self({ emailVisibility: false }),

  self({ password: "new password", passwordConfirm: "new password", oldPassword: PASSWORD }),
  send("POST", REFRESH, { as: "alice" }), list("/api/collections/organizations/records", { sort: "id" }, { as: "alice" }),
  logIn(good), logIn({ ...good, password: "new password" }),
  byRoot({ password: PASSWORD, passwordConfirm: PASSWORD }), logIn(good), byRoot({ email: "moved@example.com" }), logIn({ ...good, identity: "alice@example.com" }), logIn({ ...good, identity: "moved@example.com" }),
  send("DELETE", `${USERS}/${ID.alice}`, { as: "alice" }), logIn(good), list(POSTS, { sort: "@rowid", fields: "id,author" }),
];
