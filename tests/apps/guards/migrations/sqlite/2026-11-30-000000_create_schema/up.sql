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

-- create `clients`
CREATE TABLE "clients" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "password" TEXT NOT NULL DEFAULT '',
  "tokenKey" TEXT NOT NULL DEFAULT '',
  "email" TEXT NOT NULL DEFAULT '',
  "emailVisibility" BOOLEAN NOT NULL DEFAULT FALSE,
  "verified" BOOLEAN NOT NULL DEFAULT FALSE,
  "nick" TEXT NOT NULL DEFAULT '',
  "role" TEXT NOT NULL DEFAULT ''
);

-- declared at schema/clients.toml:18
CREATE UNIQUE INDEX "uq_clients_nick" ON "clients" ("nick");

-- `tokenKey` of an auth collection
CREATE UNIQUE INDEX "uq_clients_tokenKey" ON "clients" ("tokenKey");

-- `email` of an auth collection
CREATE UNIQUE INDEX "uq_clients_email" ON "clients" ("email") WHERE "email" <> '';

-- create `reports`
CREATE TABLE "reports" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "title" TEXT NOT NULL DEFAULT '',
  "open" BOOLEAN NOT NULL DEFAULT FALSE,
  "about" TEXT REFERENCES "staff" ("id") ON DELETE SET NULL,
  "readers" TEXT NOT NULL DEFAULT '[]',
  "score" NUMERIC NOT NULL DEFAULT 0,
  "made" TEXT NOT NULL DEFAULT '',
  "secret" TEXT NOT NULL DEFAULT ''
);

CREATE TABLE "_link_reports_readers" (
  "owner" TEXT NOT NULL REFERENCES "reports" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "staff" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_reports_readers" ON "_link_reports_readers" ("target", "owner");

-- declared at schema/reports.toml:20
CREATE INDEX "idx_reports_title_score" ON "reports" ("title", "score");

-- relation `about`
CREATE INDEX "idx_reports_about" ON "reports" ("about");

-- create `staff`
CREATE TABLE "staff" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "password" TEXT NOT NULL DEFAULT '',
  "tokenKey" TEXT NOT NULL DEFAULT '',
  "email" TEXT NOT NULL DEFAULT '',
  "emailVisibility" BOOLEAN NOT NULL DEFAULT FALSE,
  "verified" BOOLEAN NOT NULL DEFAULT FALSE,
  "nick" TEXT NOT NULL DEFAULT '',
  "role" TEXT NOT NULL DEFAULT '',
  "salary" NUMERIC NOT NULL DEFAULT 0,
  "bonus" NUMERIC NOT NULL DEFAULT 0,
  "code" TEXT NOT NULL DEFAULT '',
  "skills" TEXT NOT NULL DEFAULT '[]',
  "mentor" TEXT REFERENCES "staff" ("id") ON DELETE SET NULL,
  "rank" TEXT NOT NULL DEFAULT 'none',
  "notes" TEXT NOT NULL DEFAULT ''
);

-- declared at schema/staff.toml:27
CREATE UNIQUE INDEX "uq_staff_nick" ON "staff" ("nick");

-- declared at schema/staff.toml:31
CREATE UNIQUE INDEX "uq_staff_code" ON "staff" ("code") WHERE "code" <> '';

-- `tokenKey` of an auth collection
CREATE UNIQUE INDEX "uq_staff_tokenKey" ON "staff" ("tokenKey");

-- `email` of an auth collection
CREATE UNIQUE INDEX "uq_staff_email" ON "staff" ("email") WHERE "email" <> '';

-- relation `mentor`
CREATE INDEX "idx_staff_mentor" ON "staff" ("mentor");
