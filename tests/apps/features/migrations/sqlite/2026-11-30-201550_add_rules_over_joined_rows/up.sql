-- Made by `basalt migrate diff`; may be edited before it is first run.

-- create `rules_back`
CREATE TABLE "rules_back" (
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
  "owners" TEXT NOT NULL DEFAULT '[]',
  "up" TEXT REFERENCES "rules_back" ("id") ON DELETE SET NULL,
  "ups" TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE "_link_rules_back_many" (
  "owner" TEXT NOT NULL REFERENCES "rules_back" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_back_many" ON "_link_rules_back_many" ("target", "owner");

CREATE TABLE "_link_rules_back_owners" (
  "owner" TEXT NOT NULL REFERENCES "rules_back" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "members" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_back_owners" ON "_link_rules_back_owners" ("target", "owner");

CREATE TABLE "_link_rules_back_ups" (
  "owner" TEXT NOT NULL REFERENCES "rules_back" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "rules_back" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_back_ups" ON "_link_rules_back_ups" ("target", "owner");

-- relation `one`
CREATE INDEX "idx_rules_back_one" ON "rules_back" ("one");

-- relation `owner`
CREATE INDEX "idx_rules_back_owner" ON "rules_back" ("owner");

-- relation `up`
CREATE INDEX "idx_rules_back_up" ON "rules_back" ("up");

-- create `rules_call`
CREATE TABLE "rules_call" (
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

CREATE TABLE "_link_rules_call_many" (
  "owner" TEXT NOT NULL REFERENCES "rules_call" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "subjects" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_call_many" ON "_link_rules_call_many" ("target", "owner");

CREATE TABLE "_link_rules_call_owners" (
  "owner" TEXT NOT NULL REFERENCES "rules_call" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "members" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_rules_call_owners" ON "_link_rules_call_owners" ("target", "owner");

-- relation `one`
CREATE INDEX "idx_rules_call_one" ON "rules_call" ("one");

-- relation `owner`
CREATE INDEX "idx_rules_call_owner" ON "rules_call" ("owner");
