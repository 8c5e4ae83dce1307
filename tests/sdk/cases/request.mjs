// How a parity case is written down: a name, a request, and who sends it.

export const ORGS = "/api/collections/organizations/records";
export const PERMS = "/api/collections/permissions/records";
export const USERS = "/api/collections/users/records";
export const POSTS = "/api/collections/posts/records";
export const PASSWORD = "correct horse";

/** Ids that the cases give themselves; they are compared, all others are masked. */
export const ID = {
  org: "org000000000001",
  org2: "org000000000002",
  perm: "perm00000000001",
  perm2: "perm00000000002",
  perm3: "perm00000000003",
  alice: "alice0000000001",
  bob: "bob000000000001",
  carol: "carol0000000001",
  post: (n) => `post${String(n).padStart(11, "0")}`,
};

/** A request without a body. `more` may hold `as` (guest, alice, bob, root) and `headers`. */
export function send(method, path, more = {}) {
  return { name: `${method} ${path}${more.as ? ` as ${more.as}` : ""}`, method, path, ...more };
}

export const get = (path, more) => send("GET", path, more);

/** A request with a JSON body. */
export function json(method, path, body, more = {}) {
  return raw(method, path, JSON.stringify(body), "application/json", more);
}

/** A request with a body of any text and any content type (`null`: no such header). */
export function raw(method, path, body, type, more = {}) {
  const shown = String(body).length > 90 ? `${String(body).slice(0, 90)}…` : body;
  const headers = { ...(type === null ? {} : { "Content-Type": type }), ...more.headers };
  const name = `${method} ${path} ${shown}${more.as ? ` as ${more.as}` : ""}`;
  return { name, method, path, body: Buffer.from(body), ...more, headers };
}

/** A URL-encoded form; the parts are [key, value] pairs. */
export function form(method, path, parts, more) {
  return raw(method, path, String(new URLSearchParams(parts)), "application/x-www-form-urlencoded", more);
}

/** A multipart form; the parts are [key, value] pairs. */
export function multipart(method, path, parts, more) {
  const lines = parts.map(
    ([key, value]) => `--frontier\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  );
  return raw(method, path, `${lines.join("")}--frontier--\r\n`, "multipart/form-data; boundary=frontier", more);
}

/** A list request; `query` is an object of parameters, encoded here. */
export function list(path, query, more = {}) {
  return get(`${path}?${new URLSearchParams(query)}`, more);
}

/** The body of a user that can be created. */
export function user(id, username, more = {}) {
  return {
    id,
    username,
    email: `${username}@example.com`,
    password: PASSWORD,
    passwordConfirm: PASSWORD,
    organization: ID.org,
    ...more,
  };
}
