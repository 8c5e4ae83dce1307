-- Made by `basalt migrate diff`; may be edited before it is first run.

-- Tables are dropped below, which must not act on the rows that refer to them. `basalt migrate run`
-- turns foreign keys off meanwhile and checks all of them before it commits; other tools stop here.
CREATE TEMP TABLE "_guard" (
  "foreign_keys" INTEGER CONSTRAINT "foreign_keys_must_be_off" CHECK ("foreign_keys" = 0)
);
INSERT INTO "_guard" SELECT "foreign_keys" FROM pragma_foreign_keys;
DROP TABLE "_guard";

-- drop `uniques`
DROP TABLE "uniques";

-- drop `trees`
DROP TABLE "trees";

-- drop `tickets`
DROP TABLE "tickets";

-- drop `things`
DROP TABLE "_link_things_refs";
DROP TABLE "things";

-- drop `subjects`
DROP TABLE "_link_subjects_more";
DROP TABLE "subjects";

-- drop `slugs`
DROP TABLE "slugs";

-- drop `rules_request`
DROP TABLE "_link_rules_request_many";
DROP TABLE "_link_rules_request_owners";
DROP TABLE "rules_request";

-- drop `rules_own`
DROP TABLE "_link_rules_own_many";
DROP TABLE "_link_rules_own_owners";
DROP TABLE "rules_own";

-- drop `rules_one`
DROP TABLE "_link_rules_one_many";
DROP TABLE "_link_rules_one_owners";
DROP TABLE "rules_one";

-- drop `rules_many`
DROP TABLE "_link_rules_many_many";
DROP TABLE "_link_rules_many_owners";
DROP TABLE "rules_many";

-- drop `rules_each`
DROP TABLE "_link_rules_each_many";
DROP TABLE "_link_rules_each_owners";
DROP TABLE "rules_each";

-- drop `rules_body`
DROP TABLE "_link_rules_body_many";
DROP TABLE "_link_rules_body_owners";
DROP TABLE "rules_body";

-- drop `notes`
DROP TABLE "notes";

-- drop `musts`
DROP TABLE "_link_musts_refs";
DROP TABLE "musts";

-- drop `members`
DROP TABLE "members";

-- drop `limits`
DROP TABLE "_link_limits_refs";
DROP TABLE "limits";

-- drop `leaves`
DROP TABLE "_link_leaves_soft_many";
DROP TABLE "_link_leaves_hard_many";
DROP TABLE "leaves";

-- drop `journal`
DROP TABLE "journal";

-- drop `holders`
DROP TABLE "_link_holders_must_many";
DROP TABLE "holders";

-- drop `extras`
DROP TABLE "extras";

-- drop `codes`
DROP TABLE "codes";

-- drop `_superusers`
DROP TABLE "_superusers";
