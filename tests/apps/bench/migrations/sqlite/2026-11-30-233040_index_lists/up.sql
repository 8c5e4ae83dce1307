-- Made by `basalt migrate diff`; may be edited before it is first run.

-- create index `idx_posts10k_each_type` on `posts10k_each`
-- for the list rule of posts10k_each (schema/posts10k_each.toml:6)
CREATE INDEX "idx_posts10k_each_type" ON "posts10k_each" ("type");

-- create index `idx_posts10k_each_any_type` on `posts10k_each_any`
-- for the list rule of posts10k_each_any (schema/posts10k_each_any.toml:6)
CREATE INDEX "idx_posts10k_each_any_type" ON "posts10k_each_any" ("type");
