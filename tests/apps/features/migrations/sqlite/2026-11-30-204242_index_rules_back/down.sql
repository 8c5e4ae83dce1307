-- Made by `basalt migrate diff`; may be edited before it is first run.

-- drop index `idx_rules_back_t` of `rules_back`, which was made for the list rule of rules_back (schema/rules_back.toml:6) and the view rule of rules_back (schema/rules_back.toml:7)
DROP INDEX "idx_rules_back_t";
