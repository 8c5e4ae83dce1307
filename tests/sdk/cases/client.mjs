// Ten mistakes made through the official client. What counts is the error that it hands out.

import { ID, PASSWORD } from "./request.mjs";

export const client = [
  ["unknown collection", (pb) => pb.collection("nothing").getList()],
  ["unknown record", (pb) => pb.collection("posts").getOne("nothing00000000")],
  ["broken filter", (pb) => pb.collection("posts").getList(1, 10, { filter: "title = " })],
  ["sort by an unknown field", (pb) => pb.collection("posts").getFullList({ sort: "-nope" })],
  ["filter by a hidden field", (pb) => pb.collection("users").getFirstListItem('tokenKey != ""')],
  ["superusers only", (pb) => pb.collection("_superusers").getFullList()],
  ["value outside the select", (pb) => pb.collection("posts").create({ title: "x", type: ["a", "z"], author: "missing00000000" })],
  ["user without what is required", (pb) => pb.collection("users").create({ username: "x y" })],
  ["user name taken", (pb) =>
    pb.collection("users").create({
      username: "ALICE",
      password: PASSWORD,
      passwordConfirm: PASSWORD,
      organization: ID.org,
    })],
  ["wrong password", (pb) => pb.collection("users").authWithPassword("alice", "wrong")],
  ["refresh without a session", (pb) => pb.collection("users").authRefresh()],
  ["changed id", (pb) => pb.collection("posts").update(ID.post(1), { id: "other0000000001" })],
].map(([name, call]) => ({ name: `client: ${name}`, call }));
