-- Made by `basalt migrate diff`; may be edited before it is first run.

-- drop index `idx_rules_each_m` of `rules_each`, which was made for the list rule of rules_each (schema/rules_each.toml:6)
DROP INDEX "idx_rules_each_m";
