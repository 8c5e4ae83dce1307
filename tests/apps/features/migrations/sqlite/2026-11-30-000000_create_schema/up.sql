-- Made by `basalt migrate diff`; may be edited before it is first run.

-- create `_superusers`
CREATE TABLE "_superusers" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "password" TEXT NOT NULL DEFAULT '',
  "tokenKey" TEXT NOT NULL DEFAULT '',
  "email" TEXT NOT NULL DEFAULT '',
  "emailVisibility" BOOLEAN NOT NULL DEFAULT FALSE,
  "verified" BOOLEAN NOT NULL DEFAULT FALSE,
  "created" TEXT NOT NULL DEFAULT '',
  "updated" TEXT NOT NULL DEFAULT ''
);

-- `tokenKey` of an auth collection
CREATE UNIQUE INDEX "uq__superusers_tokenKey" ON "_superusers" ("tokenKey");

-- `email` of an auth collection
CREATE UNIQUE INDEX "uq__superusers_email" ON "_superusers" ("email") WHERE "email" <> '';

-- create `codes`
CREATE TABLE "codes" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL DEFAULT ''
);

-- create `extras`
CREATE TABLE "extras" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "greeting" TEXT NOT NULL DEFAULT 'hello',
  "count" NUMERIC NOT NULL DEFAULT 7,
  "active" BOOLEAN NOT NULL DEFAULT TRUE,
  "level" TEXT NOT NULL DEFAULT 'low',
  "tags" TEXT NOT NULL DEFAULT '["x","y"]',
  "since" TEXT NOT NULL DEFAULT '2024-02-03 04:05:06.000Z',
  "settings" TEXT NOT NULL DEFAULT '{"a":[1,true]}',
  "place" TEXT NOT NULL DEFAULT '{"lat":52.5,"lon":13.5}',
  "note" TEXT DEFAULT NULL,
  "score" NUMERIC DEFAULT NULL,
  "agreed" BOOLEAN DEFAULT NULL,
  "until" TEXT DEFAULT NULL,
  "rank" TEXT DEFAULT NULL,
  "given" NUMERIC NOT NULL DEFAULT 0,
  "asked" BOOLEAN NOT NULL DEFAULT FALSE,
  "hidden_default" TEXT NOT NULL DEFAULT 'unseen'
);

-- create `holders`
CREATE TABLE "holders" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "must" TEXT REFERENCES "trees" ("id") ON DELETE SET NULL,
  "must_many" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_holders_must_many" (
  "owner" TEXT NOT NULL REFERENCES "holders" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "trees" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_holders_must_many" ON "_link_holders_must_many" ("target", "owner");

-- relation `must`
CREATE INDEX "idx_holders_must" ON "holders" ("must");

-- create `journal`
CREATE TABLE "journal" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "event" TEXT NOT NULL DEFAULT '',
  "record" TEXT NOT NULL DEFAULT '',
  "detail" TEXT NOT NULL DEFAULT ''
);

-- create `leaves`
CREATE TABLE "leaves" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "soft" TEXT REFERENCES "trees" ("id") ON DELETE SET NULL,
  "soft_many" TEXT NOT NULL DEFAULT '[]',
  "hard" TEXT REFERENCES "trees" ("id") ON DELETE SET NULL,
  "hard_many" TEXT NOT NULL DEFAULT '[]',
  "changed" TEXT NOT NULL DEFAULT ''
);

CREATE TABLE "_link_leaves_soft_many" (
  "owner" TEXT NOT NULL REFERENCES "leaves" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "trees" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_leaves_soft_many" ON "_link_leaves_soft_many" ("target", "owner");

CREATE TABLE "_link_leaves_hard_many" (
  "owner" TEXT NOT NULL REFERENCES "leaves" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "trees" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_leaves_hard_many" ON "_link_leaves_hard_many" ("target", "owner");

-- relation `soft`
CREATE INDEX "idx_leaves_soft" ON "leaves" ("soft");

-- relation `hard`
CREATE INDEX "idx_leaves_hard" ON "leaves" ("hard");

-- create `limits`
CREATE TABLE "limits" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "short" TEXT NOT NULL DEFAULT '',
  "html" TEXT NOT NULL DEFAULT '',
  "whole" NUMERIC NOT NULL DEFAULT 0,
  "ratio" NUMERIC NOT NULL DEFAULT 0,
  "mail" TEXT NOT NULL DEFAULT '',
  "other" TEXT NOT NULL DEFAULT '',
  "site" TEXT NOT NULL DEFAULT '',
  "link" TEXT NOT NULL DEFAULT '',
  "day" TEXT NOT NULL DEFAULT '',
  "one" TEXT NOT NULL DEFAULT '',
  "some" TEXT NOT NULL DEFAULT '[]',
  "doc" TEXT NOT NULL DEFAULT 'null',
  "place" TEXT NOT NULL DEFAULT '{"lon":0,"lat":0}',
  "pass" TEXT NOT NULL DEFAULT '',
  "ref" TEXT REFERENCES "things" ("id") ON DELETE SET NULL,
  "refs" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_limits_refs" (
  "owner" TEXT NOT NULL REFERENCES "limits" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "things" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_limits_refs" ON "_link_limits_refs" ("target", "owner");

-- relation `ref`
CREATE INDEX "idx_limits_ref" ON "limits" ("ref");

-- create `members`
CREATE TABLE "members" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "password" TEXT NOT NULL DEFAULT '',
  "tokenKey" TEXT NOT NULL DEFAULT '',
  "email" TEXT NOT NULL DEFAULT '',
  "emailVisibility" BOOLEAN NOT NULL DEFAULT FALSE,
  "verified" BOOLEAN NOT NULL DEFAULT FALSE,
  "username" TEXT NOT NULL DEFAULT '',
  "role" TEXT NOT NULL DEFAULT '',
  "team" TEXT NOT NULL DEFAULT '',
  "active" BOOLEAN NOT NULL DEFAULT FALSE
);

-- declared at schema/members.toml:25
CREATE UNIQUE INDEX "uq_members_username" ON "members" ("username" COLLATE NOCASE);

-- `tokenKey` of an auth collection
CREATE UNIQUE INDEX "uq_members_tokenKey" ON "members" ("tokenKey");

-- `email` of an auth collection
CREATE UNIQUE INDEX "uq_members_email" ON "members" ("email") WHERE "email" <> '';

-- create `musts`
CREATE TABLE "musts" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "text" TEXT NOT NULL DEFAULT '',
  "html" TEXT NOT NULL DEFAULT '',
  "n" NUMERIC NOT NULL DEFAULT 0,
  "flag" BOOLEAN NOT NULL DEFAULT FALSE,
  "mail" TEXT NOT NULL DEFAULT '',
  "site" TEXT NOT NULL DEFAULT '',
  "day" TEXT NOT NULL DEFAULT '',
  "one" TEXT NOT NULL DEFAULT '',
  "some" TEXT NOT NULL DEFAULT '[]',
  "doc" TEXT NOT NULL DEFAULT 'null',
  "place" TEXT NOT NULL DEFAULT '{"lon":0,"lat":0}',
  "pass" TEXT NOT NULL DEFAULT '',
  "ref" TEXT REFERENCES "things" ("id") ON DELETE SET NULL,
  "refs" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_musts_refs" (
  "owner" TEXT NOT NULL REFERENCES "musts" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "things" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_musts_refs" ON "_link_musts_refs" ("target", "owner");

-- relation `ref`
CREATE INDEX "idx_musts_ref" ON "musts" ("ref");

-- create `notes`
CREATE TABLE "notes" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "title" TEXT NOT NULL DEFAULT '',
  "revision" NUMERIC NOT NULL DEFAULT 0,
  "owner" TEXT REFERENCES "members" ("id") ON DELETE SET NULL,
  "parent" TEXT REFERENCES "notes" ("id") ON DELETE SET NULL
);

-- relation `owner`
CREATE INDEX "idx_notes_owner" ON "notes" ("owner");

-- relation `parent`
CREATE INDEX "idx_notes_parent" ON "notes" ("parent");

-- create `rules_body`
CREATE TABLE "rules_body" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "t" TEXT NOT NULL DEFAULT '',
  "n" NUMERIC NOT NULL DEFAULT 0,
  "b" BOOLEAN NOT NULL DEFAULT FALSE,
  "d" TEXT NOT NULL DEFAULT '',
  "s" TEXT NOT NULL DEFAULT '',
  "m" TEXT NOT NULL DEFAULT '[]',
  "j" TEXT NOT NULL DEFAULT 'null',
  "g" TEXT NOT NULL DEFAULT '{"lon":0,"lat":0}',
  "one" TEXT REFERENCES "subjects" ("id") ON DELETE SET NULL,
  "many" TEXT NOT NULL DEFAULT '[]',
  "owner" TEXT REFERENCES "members" ("id") ON DELETE SET NULL,
  "owners" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_rules_body_many" (
  "owner" TEXT NOT NULL REFERENCES "rules_body" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_body_many" ON "_link_rules_body_many" ("target", "owner");

CREATE TABLE "_link_rules_body_owners" (
  "owner" TEXT NOT NULL REFERENCES "rules_body" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "members" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_body_owners" ON "_link_rules_body_owners" ("target", "owner");

-- relation `one`
CREATE INDEX "idx_rules_body_one" ON "rules_body" ("one");

-- relation `owner`
CREATE INDEX "idx_rules_body_owner" ON "rules_body" ("owner");

-- for the list rule of rules_body (schema/rules_body.toml:6)
CREATE INDEX "idx_rules_body_t" ON "rules_body" ("t");

-- create `rules_each`
CREATE TABLE "rules_each" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "t" TEXT NOT NULL DEFAULT '',
  "n" NUMERIC NOT NULL DEFAULT 0,
  "b" BOOLEAN NOT NULL DEFAULT FALSE,
  "d" TEXT NOT NULL DEFAULT '',
  "s" TEXT NOT NULL DEFAULT '',
  "m" TEXT NOT NULL DEFAULT '[]',
  "j" TEXT NOT NULL DEFAULT 'null',
  "g" TEXT NOT NULL DEFAULT '{"lon":0,"lat":0}',
  "one" TEXT REFERENCES "subjects" ("id") ON DELETE SET NULL,
  "many" TEXT NOT NULL DEFAULT '[]',
  "owner" TEXT REFERENCES "members" ("id") ON DELETE SET NULL,
  "owners" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_rules_each_many" (
  "owner" TEXT NOT NULL REFERENCES "rules_each" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_each_many" ON "_link_rules_each_many" ("target", "owner");

CREATE TABLE "_link_rules_each_owners" (
  "owner" TEXT NOT NULL REFERENCES "rules_each" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "members" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_each_owners" ON "_link_rules_each_owners" ("target", "owner");

-- relation `one`
CREATE INDEX "idx_rules_each_one" ON "rules_each" ("one");

-- relation `owner`
CREATE INDEX "idx_rules_each_owner" ON "rules_each" ("owner");

-- create `rules_many`
CREATE TABLE "rules_many" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "t" TEXT NOT NULL DEFAULT '',
  "n" NUMERIC NOT NULL DEFAULT 0,
  "b" BOOLEAN NOT NULL DEFAULT FALSE,
  "d" TEXT NOT NULL DEFAULT '',
  "s" TEXT NOT NULL DEFAULT '',
  "m" TEXT NOT NULL DEFAULT '[]',
  "j" TEXT NOT NULL DEFAULT 'null',
  "g" TEXT NOT NULL DEFAULT '{"lon":0,"lat":0}',
  "one" TEXT REFERENCES "subjects" ("id") ON DELETE SET NULL,
  "many" TEXT NOT NULL DEFAULT '[]',
  "owner" TEXT REFERENCES "members" ("id") ON DELETE SET NULL,
  "owners" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_rules_many_many" (
  "owner" TEXT NOT NULL REFERENCES "rules_many" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_many_many" ON "_link_rules_many_many" ("target", "owner");

CREATE TABLE "_link_rules_many_owners" (
  "owner" TEXT NOT NULL REFERENCES "rules_many" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "members" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_many_owners" ON "_link_rules_many_owners" ("target", "owner");

-- relation `one`
CREATE INDEX "idx_rules_many_one" ON "rules_many" ("one");

-- relation `owner`
CREATE INDEX "idx_rules_many_owner" ON "rules_many" ("owner");

-- create `rules_one`
CREATE TABLE "rules_one" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "t" TEXT NOT NULL DEFAULT '',
  "n" NUMERIC NOT NULL DEFAULT 0,
  "b" BOOLEAN NOT NULL DEFAULT FALSE,
  "d" TEXT NOT NULL DEFAULT '',
  "s" TEXT NOT NULL DEFAULT '',
  "m" TEXT NOT NULL DEFAULT '[]',
  "j" TEXT NOT NULL DEFAULT 'null',
  "g" TEXT NOT NULL DEFAULT '{"lon":0,"lat":0}',
  "one" TEXT REFERENCES "subjects" ("id") ON DELETE SET NULL,
  "many" TEXT NOT NULL DEFAULT '[]',
  "owner" TEXT REFERENCES "members" ("id") ON DELETE SET NULL,
  "owners" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_rules_one_many" (
  "owner" TEXT NOT NULL REFERENCES "rules_one" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_one_many" ON "_link_rules_one_many" ("target", "owner");

CREATE TABLE "_link_rules_one_owners" (
  "owner" TEXT NOT NULL REFERENCES "rules_one" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "members" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_one_owners" ON "_link_rules_one_owners" ("target", "owner");

-- relation `one`
CREATE INDEX "idx_rules_one_one" ON "rules_one" ("one");

-- relation `owner`
CREATE INDEX "idx_rules_one_owner" ON "rules_one" ("owner");

-- create `rules_own`
CREATE TABLE "rules_own" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "t" TEXT NOT NULL DEFAULT '',
  "n" NUMERIC NOT NULL DEFAULT 0,
  "b" BOOLEAN NOT NULL DEFAULT FALSE,
  "d" TEXT NOT NULL DEFAULT '',
  "s" TEXT NOT NULL DEFAULT '',
  "m" TEXT NOT NULL DEFAULT '[]',
  "j" TEXT NOT NULL DEFAULT 'null',
  "g" TEXT NOT NULL DEFAULT '{"lon":0,"lat":0}',
  "one" TEXT REFERENCES "subjects" ("id") ON DELETE SET NULL,
  "many" TEXT NOT NULL DEFAULT '[]',
  "owner" TEXT REFERENCES "members" ("id") ON DELETE SET NULL,
  "owners" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_rules_own_many" (
  "owner" TEXT NOT NULL REFERENCES "rules_own" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_own_many" ON "_link_rules_own_many" ("target", "owner");

CREATE TABLE "_link_rules_own_owners" (
  "owner" TEXT NOT NULL REFERENCES "rules_own" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "members" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_own_owners" ON "_link_rules_own_owners" ("target", "owner");

-- relation `one`
CREATE INDEX "idx_rules_own_one" ON "rules_own" ("one");

-- relation `owner`
CREATE INDEX "idx_rules_own_owner" ON "rules_own" ("owner");

-- create `rules_request`
CREATE TABLE "rules_request" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "t" TEXT NOT NULL DEFAULT '',
  "n" NUMERIC NOT NULL DEFAULT 0,
  "b" BOOLEAN NOT NULL DEFAULT FALSE,
  "d" TEXT NOT NULL DEFAULT '',
  "s" TEXT NOT NULL DEFAULT '',
  "m" TEXT NOT NULL DEFAULT '[]',
  "j" TEXT NOT NULL DEFAULT 'null',
  "g" TEXT NOT NULL DEFAULT '{"lon":0,"lat":0}',
  "one" TEXT REFERENCES "subjects" ("id") ON DELETE SET NULL,
  "many" TEXT NOT NULL DEFAULT '[]',
  "owner" TEXT REFERENCES "members" ("id") ON DELETE SET NULL,
  "owners" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_rules_request_many" (
  "owner" TEXT NOT NULL REFERENCES "rules_request" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_request_many" ON "_link_rules_request_many" ("target", "owner");

CREATE TABLE "_link_rules_request_owners" (
  "owner" TEXT NOT NULL REFERENCES "rules_request" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "members" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_request_owners" ON "_link_rules_request_owners" ("target", "owner");

-- relation `one`
CREATE INDEX "idx_rules_request_one" ON "rules_request" ("one");

-- relation `owner`
CREATE INDEX "idx_rules_request_owner" ON "rules_request" ("owner");

-- create `slugs`
CREATE TABLE "slugs" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL DEFAULT ''
);

-- create `subjects`
CREATE TABLE "subjects" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "title" TEXT NOT NULL DEFAULT '',
  "n" NUMERIC NOT NULL DEFAULT 0,
  "kinds" TEXT NOT NULL DEFAULT '[]',
  "j" TEXT NOT NULL DEFAULT 'null',
  "next" TEXT REFERENCES "subjects" ("id") ON DELETE SET NULL,
  "more" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_subjects_more" (
  "owner" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_subjects_more" ON "_link_subjects_more" ("target", "owner");

-- relation `next`
CREATE INDEX "idx_subjects_next" ON "subjects" ("next");

-- for the list rule of rules_many (schema/rules_many.toml:6), the view rule of rules_many (schema/rules_many.toml:7) and 1 more
CREATE INDEX "idx_subjects_title" ON "subjects" ("title");

-- create `things`
CREATE TABLE "things" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "text" TEXT NOT NULL DEFAULT '',
  "auto" TEXT NOT NULL DEFAULT '',
  "html" TEXT NOT NULL DEFAULT '',
  "n" NUMERIC NOT NULL DEFAULT 0,
  "flag" BOOLEAN NOT NULL DEFAULT FALSE,
  "mail" TEXT NOT NULL DEFAULT '',
  "site" TEXT NOT NULL DEFAULT '',
  "day" TEXT NOT NULL DEFAULT '',
  "one" TEXT NOT NULL DEFAULT '',
  "some" TEXT NOT NULL DEFAULT '[]',
  "doc" TEXT NOT NULL DEFAULT 'null',
  "place" TEXT NOT NULL DEFAULT '{"lon":0,"lat":0}',
  "pass" TEXT NOT NULL DEFAULT '',
  "ref" TEXT REFERENCES "things" ("id") ON DELETE SET NULL,
  "refs" TEXT NOT NULL DEFAULT '[]',
  "secret" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL DEFAULT '',
  "updated" TEXT NOT NULL DEFAULT ''
);

CREATE TABLE "_link_things_refs" (
  "owner" TEXT NOT NULL REFERENCES "things" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "things" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_things_refs" ON "_link_things_refs" ("target", "owner");

-- relation `ref`
CREATE INDEX "idx_things_ref" ON "things" ("ref");

-- create `tickets`
CREATE TABLE "tickets" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL DEFAULT '',
  "code" TEXT REFERENCES "codes" ("id") ON DELETE SET NULL
);

-- relation `code`
CREATE INDEX "idx_tickets_code" ON "tickets" ("code");

-- create `trees`
CREATE TABLE "trees" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL DEFAULT '',
  "parent" TEXT REFERENCES "trees" ("id") ON DELETE SET NULL
);

-- relation `parent`
CREATE INDEX "idx_trees_parent" ON "trees" ("parent");

-- create `uniques`
CREATE TABLE "uniques" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "slug" TEXT NOT NULL DEFAULT '',
  "left" TEXT NOT NULL DEFAULT '',
  "right" NUMERIC NOT NULL DEFAULT 0,
  "label" TEXT NOT NULL DEFAULT '',
  "active" BOOLEAN NOT NULL DEFAULT FALSE
);

-- declared at schema/uniques.toml:19
CREATE UNIQUE INDEX "uq_uniques_slug" ON "uniques" ("slug" COLLATE NOCASE) WHERE "slug" <> '';

-- declared at schema/uniques.toml:25
CREATE UNIQUE INDEX "uq_uniques_left_right" ON "uniques" ("left", "right") WHERE "left" <> '';

-- declared at schema/uniques.toml:30
CREATE UNIQUE INDEX "uq_uniques_label" ON "uniques" ("label") WHERE "active" = TRUE AND "label" <> '';
