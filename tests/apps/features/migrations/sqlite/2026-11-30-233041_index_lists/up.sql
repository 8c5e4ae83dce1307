-- Made by `basalt migrate diff`; may be edited before it is first run.

-- create index `idx_rules_each_m` on `rules_each`
-- for the list rule of rules_each (schema/rules_each.toml:6)
CREATE INDEX "idx_rules_each_m" ON "rules_each" ("m");
