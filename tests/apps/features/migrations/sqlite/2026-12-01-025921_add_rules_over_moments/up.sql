-- Made by `basalt migrate diff`; may be edited before it is first run.

-- create `rules_moment`
CREATE TABLE "rules_moment" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "until" TEXT NOT NULL DEFAULT ''
);

-- create `rules_moment_links`
CREATE TABLE "rules_moment_links" (
  "id" TEXT PRIMARY KEY NOT NULL,
  "moment" TEXT REFERENCES "rules_moment" ("id") ON DELETE SET NULL
);

-- relation `moment`
CREATE INDEX "idx_rules_moment_links_moment" ON "rules_moment_links" ("moment");
