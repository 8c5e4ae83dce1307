// Replaces what must differ between two servers by what it has to look like.

import { ID } from "./cases/request.mjs";

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/;
const GENERATED_ID = /^[a-z0-9]{15}$/;
const GENERATED_USERNAME = /^users\d{6}$/;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const CHOSEN = /^(post|perm|org|alice|bob|carol|dora|dated|modified|missing|nothing|other)[0-9]*$/;

/** A copy of an answer in which generated values are masked. */
export function mask(value, key = "") {
  if (Array.isArray(value)) return value.map((item) => mask(item, key));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mask(inner, name)]));
  }
  return typeof value === "string" ? maskText(value, key) : value;
}

function maskText(text, key) {
  if (key === "collectionId" && text !== "") return "<collection id>";
  if ((key === "created" || key === "updated") && TIME.test(text)) return "<time>";
  if (key === "token" && JWT.test(text)) return claims(text);
  if (key === "username" && GENERATED_USERNAME.test(text)) return "<username>";
  if (GENERATED_ID.test(text) && !CHOSEN.test(text) && !Object.values(ID).includes(text)) return "<id>";
  return text;
}

/** What a token says, with the time left in whole minutes. */
function claims(token) {
  const [header, payload] = token.split(".").slice(0, 2).map(decode);
  const minutes = Math.round((payload.exp - Date.now() / 1000) / 60);
  return { header, payload: mask({ ...payload, exp: minutes }) };
}

function decode(part) {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}
