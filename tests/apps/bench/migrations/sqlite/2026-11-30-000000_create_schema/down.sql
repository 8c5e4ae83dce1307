-- Made by `basalt migrate diff`; may be edited before it is first run.

-- Tables are dropped below, which must not act on the rows that refer to them. `basalt migrate run`
-- turns foreign keys off meanwhile and checks all of them before it commits; other tools stop here.
CREATE TEMP TABLE "_guard" (
  "foreign_keys" INTEGER CONSTRAINT "foreign_keys_must_be_off" CHECK ("foreign_keys" = 0)
);
INSERT INTO "_guard" SELECT "foreign_keys" FROM pragma_foreign_keys;
DROP TABLE "_guard";

-- drop `users_ruled`
DROP TABLE "_link_users_ruled_permissions";
DROP TABLE "users_ruled";

-- drop `users`
DROP TABLE "_link_users_permissions";
DROP TABLE "users";

-- drop `posts10k_text`
DROP TABLE "posts10k_text";

-- drop `posts10k_perm_any`
DROP TABLE "posts10k_perm_any";

-- drop `posts10k_perm`
DROP TABLE "posts10k_perm";

-- drop `posts10k_org`
DROP TABLE "posts10k_org";

-- drop `posts10k_each_any`
DROP TABLE "posts10k_each_any";

-- drop `posts10k_each`
DROP TABLE "posts10k_each";

-- drop `posts10k_author_id`
DROP TABLE "posts10k_author_id";

-- drop `posts10k_author`
DROP TABLE "posts10k_author";

-- drop `posts10k_auth`
DROP TABLE "posts10k_auth";

-- drop `posts10k`
DROP TABLE "posts10k";

-- drop `permissions_named`
DROP TABLE "permissions_named";

-- drop `permissions`
DROP TABLE "permissions";

-- drop `organizations_named`
DROP TABLE "organizations_named";

-- drop `organizations`
DROP TABLE "organizations";

-- drop `_superusers`
DROP TABLE "_superusers";
