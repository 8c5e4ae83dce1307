-- Made by `basalt migrate diff`; may be edited before it is first run.

-- create index `idx_rules_back_t` on `rules_back`
-- for the list rule of rules_back (schema/rules_back.toml:6) and the view rule of rules_back (schema/rules_back.toml:7)
CREATE INDEX "idx_rules_back_t" ON "rules_back" ("t");
