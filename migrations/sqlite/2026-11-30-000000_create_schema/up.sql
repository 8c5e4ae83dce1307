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

-- create `organizations`
CREATE TABLE "organizations" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL DEFAULT '',
  "updated" TEXT NOT NULL DEFAULT ''
);

-- create `permissions`
CREATE TABLE "permissions" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL DEFAULT '',
  "active" BOOLEAN NOT NULL DEFAULT FALSE,
  "created" TEXT NOT NULL DEFAULT '',
  "updated" TEXT NOT NULL DEFAULT ''
);

-- create `posts`
CREATE TABLE "posts" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "title" TEXT NOT NULL DEFAULT '',
  "description" TEXT NOT NULL DEFAULT '',
  "public" BOOLEAN NOT NULL DEFAULT FALSE,
  "type" TEXT NOT NULL DEFAULT '[]',
  "author" TEXT REFERENCES "users" ("id") ON DELETE SET NULL,
  "created" TEXT NOT NULL DEFAULT '',
  "updated" TEXT NOT NULL DEFAULT ''
);

-- relation `author`
CREATE INDEX "idx_posts_author" ON "posts" ("author");

-- create `users`
CREATE TABLE "users" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "password" TEXT NOT NULL DEFAULT '',
  "tokenKey" TEXT NOT NULL DEFAULT '',
  "email" TEXT NOT NULL DEFAULT '',
  "emailVisibility" BOOLEAN NOT NULL DEFAULT FALSE,
  "verified" BOOLEAN NOT NULL DEFAULT FALSE,
  "username" TEXT NOT NULL DEFAULT '',
  "organization" TEXT REFERENCES "organizations" ("id") ON DELETE SET NULL,
  "permissions" TEXT NOT NULL DEFAULT '[]',
  "created" TEXT NOT NULL DEFAULT '',
  "updated" TEXT NOT NULL DEFAULT ''
);

CREATE TABLE "_link_users_permissions" (
  "owner" TEXT NOT NULL REFERENCES "users" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "permissions" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_users_permissions" ON "_link_users_permissions" ("target", "owner");

-- declared at schema/users.toml:28
CREATE UNIQUE INDEX "__pb_users_auth__username_idx" ON "users" ("username" COLLATE NOCASE);

-- declared at schema/users.toml:34
CREATE UNIQUE INDEX "__pb_users_auth__email_idx" ON "users" ("email") WHERE "email" <> '';

-- declared at schema/users.toml:40
CREATE UNIQUE INDEX "__pb_users_auth__tokenKey_idx" ON "users" ("tokenKey");

-- relation `organization`
CREATE INDEX "idx_users_organization" ON "users" ("organization");
