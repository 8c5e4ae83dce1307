-- Made by `basalt migrate diff`; may be edited before it is first run.

-- drop index `idx_posts10k_each_any_type` of `posts10k_each_any`, which was made for the list rule of posts10k_each_any (schema/posts10k_each_any.toml:6)
DROP INDEX "idx_posts10k_each_any_type";

-- drop index `idx_posts10k_each_type` of `posts10k_each`, which was made for the list rule of posts10k_each (schema/posts10k_each.toml:6)
DROP INDEX "idx_posts10k_each_type";
