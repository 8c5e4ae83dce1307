-- Made by `basalt migrate diff`; may be edited before it is first run.

-- drop index `idx_subjects_title` of `subjects`, which was made for the view rule of rules_back (schema/rules_back.toml:7), the update rule of rules_back (schema/rules_back.toml:9) and 3 more
DROP INDEX "idx_subjects_title";
