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
  "name" TEXT NOT NULL DEFAULT ''
);

-- create `posts`
CREATE TABLE "posts" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "title" TEXT NOT NULL DEFAULT '',
  "description" TEXT NOT NULL DEFAULT '',
  "public" BOOLEAN NOT NULL DEFAULT FALSE,
  "type" TEXT NOT NULL DEFAULT '[]',
  "author" TEXT REFERENCES "users" ("id") ON DELETE SET NULL
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
  "organization" TEXT REFERENCES "organizations" ("id") ON DELETE SET NULL
);

-- `tokenKey` of an auth collection
CREATE UNIQUE INDEX "uq_users_tokenKey" ON "users" ("tokenKey");

-- `email` of an auth collection
CREATE UNIQUE INDEX "uq_users_email" ON "users" ("email") WHERE "email" <> '';

-- relation `organization`
CREATE INDEX "idx_users_organization" ON "users" ("organization");
