-- Made by `basalt migrate diff`; may be edited before it is first run.

-- Tables are dropped below, which must not act on the rows that refer to them. `basalt migrate run`
-- turns foreign keys off meanwhile and checks all of them before it commits; other tools stop here.
CREATE TEMP TABLE "_guard" (
  "foreign_keys" INTEGER CONSTRAINT "foreign_keys_must_be_off" CHECK ("foreign_keys" = 0)
);
INSERT INTO "_guard" SELECT "foreign_keys" FROM pragma_foreign_keys;
DROP TABLE "_guard";

-- drop `rules_moment_links`
DROP TABLE "rules_moment_links";

-- drop `rules_moment`
DROP TABLE "rules_moment";
