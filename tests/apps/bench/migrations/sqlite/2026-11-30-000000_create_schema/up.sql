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

-- `email` of an auth collection
CREATE UNIQUE INDEX "uq__superusers_email" ON "_superusers" ("email") WHERE "email" <> '';

-- `tokenKey` of an auth collection
CREATE UNIQUE INDEX "uq__superusers_tokenKey" ON "_superusers" ("tokenKey");

-- create `organizations`
CREATE TABLE "organizations" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL DEFAULT '',
  "created" TEXT NOT NULL DEFAULT '',
  "updated" TEXT NOT NULL DEFAULT ''
);

-- create `organizations_named`
CREATE TABLE "organizations_named" (
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

-- create `permissions_named`
CREATE TABLE "permissions_named" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "name" TEXT NOT NULL DEFAULT '',
  "active" BOOLEAN NOT NULL DEFAULT FALSE,
  "created" TEXT NOT NULL DEFAULT '',
  "updated" TEXT NOT NULL DEFAULT ''
);

-- create `posts10k`
CREATE TABLE "posts10k" (
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
CREATE INDEX "idx_posts10k_author" ON "posts10k" ("author");

-- create `posts10k_auth`
CREATE TABLE "posts10k_auth" (
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
CREATE INDEX "idx_posts10k_auth_author" ON "posts10k_auth" ("author");

-- create `posts10k_author`
CREATE TABLE "posts10k_author" (
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
CREATE INDEX "idx_posts10k_author_author" ON "posts10k_author" ("author");

-- create `posts10k_author_id`
CREATE TABLE "posts10k_author_id" (
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
CREATE INDEX "idx_posts10k_author_id_author" ON "posts10k_author_id" ("author");

-- create `posts10k_each`
CREATE TABLE "posts10k_each" (
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
CREATE INDEX "idx_posts10k_each_author" ON "posts10k_each" ("author");

-- create `posts10k_each_any`
CREATE TABLE "posts10k_each_any" (
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
CREATE INDEX "idx_posts10k_each_any_author" ON "posts10k_each_any" ("author");

-- create `posts10k_org`
CREATE TABLE "posts10k_org" (
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
CREATE INDEX "idx_posts10k_org_author" ON "posts10k_org" ("author");

-- create `posts10k_perm`
CREATE TABLE "posts10k_perm" (
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
CREATE INDEX "idx_posts10k_perm_author" ON "posts10k_perm" ("author");

-- create `posts10k_perm_any`
CREATE TABLE "posts10k_perm_any" (
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
CREATE INDEX "idx_posts10k_perm_any_author" ON "posts10k_perm_any" ("author");

-- create `posts10k_text`
CREATE TABLE "posts10k_text" (
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
CREATE INDEX "idx_posts10k_text_author" ON "posts10k_text" ("author");

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

-- relation `organization`
CREATE INDEX "idx_users_organization" ON "users" ("organization");

-- `email` of an auth collection
CREATE UNIQUE INDEX "uq_users_email" ON "users" ("email") WHERE "email" <> '';

-- `tokenKey` of an auth collection
CREATE UNIQUE INDEX "uq_users_tokenKey" ON "users" ("tokenKey");

-- declared at schema/users.toml:27
CREATE UNIQUE INDEX "uq_users_username" ON "users" ("username" COLLATE NOCASE);

-- create `users_ruled`
CREATE TABLE "users_ruled" (
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

CREATE TABLE "_link_users_ruled_permissions" (
  "owner" TEXT NOT NULL REFERENCES "users_ruled" ("id") ON DELETE CASCADE,
  "target" TEXT NOT NULL REFERENCES "permissions" ("id") ON DELETE CASCADE,
  "position" INTEGER NOT NULL,
  PRIMARY KEY ("owner", "target")
) WITHOUT ROWID;
CREATE INDEX "_linked_users_ruled_permissions" ON "_link_users_ruled_permissions" ("target", "owner");

-- relation `organization`
CREATE INDEX "idx_users_ruled_organization" ON "users_ruled" ("organization");

-- `email` of an auth collection
CREATE UNIQUE INDEX "uq_users_ruled_email" ON "users_ruled" ("email") WHERE "email" <> '';

-- `tokenKey` of an auth collection
CREATE UNIQUE INDEX "uq_users_ruled_tokenKey" ON "users_ruled" ("tokenKey");

-- declared at schema/users_ruled.toml:27
CREATE UNIQUE INDEX "uq_users_ruled_username" ON "users_ruled" ("username" COLLATE NOCASE);
