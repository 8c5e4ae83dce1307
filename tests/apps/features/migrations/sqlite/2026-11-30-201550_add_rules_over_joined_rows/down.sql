-- Made by `basalt migrate diff`; may be edited before it is first run.

-- Tables are dropped below, which must not act on the rows that refer to them. `basalt migrate run`
-- turns foreign keys off meanwhile and checks all of them before it commits; other tools stop here.
CREATE TEMP TABLE "_guard" (
  "foreign_keys" INTEGER CONSTRAINT "foreign_keys_must_be_off" CHECK ("foreign_keys" = 0)
);
INSERT INTO "_guard" SELECT "foreign_keys" FROM pragma_foreign_keys;
DROP TABLE "_guard";

-- drop `rules_call`
DROP TABLE "_link_rules_call_many";
DROP TABLE "_link_rules_call_owners";
DROP TABLE "rules_call";

-- drop `rules_back`
DROP TABLE "_link_rules_back_many";
DROP TABLE "_link_rules_back_owners";
DROP TABLE "_link_rules_back_ups";
DROP TABLE "rules_back";
