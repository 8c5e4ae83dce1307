// The records that the other cases use. Creating them is compared like everything else.

import { ID, ORGS, PERMS, POSTS, USERS, json, user } from "./request.mjs";

const posts = [
  { title: "First", description: "<p>Hello <b>big</b> world</p><p>and more</p>", public: true, type: ["a", "b"], author: ID.alice },
  { title: "second", description: "plain text", public: false, type: ["c"], author: ID.alice },
  { title: "Third % of it", description: "", public: true, type: [], author: ID.bob },
  { title: "100", description: "a number as title", public: false, type: ["d", "a", "b"], author: "" },
  { title: "Ärger über \"Zitate\" & <Zeichen> 😀", description: "<ul><li>one</li><li>two</li></ul>", public: true, type: ["b"], author: ID.carol },
  {},
];

export const seed = [
  json("POST", ORGS, { id: ID.org, name: "Acme" }),
  json("POST", ORGS, { id: ID.org2, name: "" }),
  json("POST", PERMS, { id: ID.perm, name: "read", active: true }),
  json("POST", PERMS, { id: ID.perm2, name: "write", active: false }),
  json("POST", PERMS, { id: ID.perm3, name: "admin" }),
  json("POST", USERS, user(ID.alice, "alice", { permissions: [ID.perm, ID.perm2] })),
  json("POST", USERS, user(ID.bob, "Bob", { email: "bob@example.com", emailVisibility: true, organization: ID.org2 })),
  json("POST", USERS, user(ID.carol, "carol", { permissions: ID.perm3, verified: true }), { as: "root" }),
  ...posts.map((body, index) => json("POST", POSTS, { id: ID.post(index + 1), ...body })),
];
